"""The command train, as people type it, and the net that it leaves as an agent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import PLYGROUND, answer, refusal, run
from plyground import agents, games, learn, rules
from plyground.learn import train as training
from plyground.nets.files import read_weights
from plyground.spec import InputError

DQN = ["train", "dqn", "tictactoe"]
SHORT = ["--games", "100", "--hidden", "8"]


LOADED = "print('PyTorch is loaded' if 'torch' in sys.modules else 'no PyTorch')"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "dqn"
    told = answer(*DQN, "--out", str(folder), *SHORT, "--seed", "7")
    assert told["games"] == 100 and told["seed"] == 7 and 0 <= told["figures"]["mistakes"] <= 1
    return folder


def test_no_learner_needs_pytorch_to_tell_its_options_and_the_games_that_it_fits() -> None:
    code = "import sys\nfrom plyground import games, learn\nfrom plyground.cli.train import command\n"
    code += "from plyground.learn.train import suits\nfor name in learn.registry():\n    kind = learn.learner(name)\n"
    code += "    command(name, kind)\n    print([suits(kind, games.make(one)) for one in ('tictactoe', 'tetris')])\n"
    ran = subprocess.run([sys.executable, "-c", code + LOADED], capture_output=True, text=True, check=True)
    *fit, loaded = ran.stdout.splitlines()
    assert len(fit) == len(learn.registry()) and set(fit) == {"[True, False]", "[False, True]", "[True, True]"}
    assert loaded == "no PyTorch"


def test_every_learner_says_in_a_sentence_which_games_it_fits() -> None:
    table = (Path(__file__).parents[2] / "docs" / "learning.md").read_text(encoding="utf-8").splitlines()
    for name in learn.registry():
        said = learn.learner(name).learns
        assert any(name in line and line.endswith(f"| {said} |") for line in table), name
    assert "It learns games of two" in " ".join(run("train", "dqn", "--help").stdout.split())


# one command after the other: what each ends with, what it says is wrong, and whether PyTorch is there by then
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from plyground.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv, wrong, code = ["plyground", "train", *words], io.StringIO(), None
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(wrong):
            main()
    except SystemExit as end:
        code = end.code
    print(json.dumps([code, wrong.getvalue(), "torch" in sys.modules]))
"""


@pytest.mark.parametrize("name", ["dqn", "own.py"])
def test_what_is_wrong_is_told_before_pytorch_is_loaded(name: str, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("from plyground.learn.dqn import DQN\n\n\nclass Own(DQN):\n    pass\n")
    problems = {
        ("--help",): "",
        ("tictactoe", "--lr", "banana"): "Invalid value for '--lr'",
        ("tictactoe", "--gamma", "7"): "gamma is 0 to 1",
        ("tetris",): "learners for this game are a2c",
    }
    learner, out = str(own) if name == "own.py" else name, ["--out", str(tmp_path / "run")]
    told = json.dumps([[learner, *words, *out] for words in problems])
    ran = subprocess.run([sys.executable, "-c", COMMANDS, told], capture_output=True, text=True, check=True)
    for problem, line in zip(problems.values(), ran.stdout.splitlines(), strict=True):
        code, wrong, loaded = json.loads(line)
        assert (code or 0) == (2 if problem else 0) and problem in wrong, wrong
        assert not loaded, problem


def test_the_algorithms_are_listed_without_pytorch() -> None:
    code = "import sys; sys.modules['torch'] = None; sys.argv = ['plyground', 'train', '--help']\n"
    code += "from plyground.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert all(name in ran.stdout for name in ("dqn", "reinforce", "Deep Q-learning", "Examples"))


def test_help_tells_every_option_with_its_meaning_and_default() -> None:
    told = " ".join(run("train", "dqn", "--help").stdout.split())
    for words in (
        "--epsilon-games",
        "Adam's learning rate [default: 0.001]",
        "--masking / --no-masking",
        "strong",
        "--resume",
    ):
        assert words in told, words


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["train", "dqnn", "tictactoe", "--out", "x"], "did you mean dqn"),
        (DQN, "--out"),
        (["train", "dqn", "tictacto", "--out", "x"], "did you mean tictactoe"),
        ([*DQN, "--out", "x", "--games", "0"], "games is at least 1"),
        ([*DQN, "--out", "x", "--games", "many"], "--games"),
        ([*DQN, "--out", "x", "--seat", "third"], "first, second, both"),
        ([*DQN, "--out", "x", "--preset", "strng"], "did you mean strong"),
        ([*DQN, "--out", "x", "--opponent", "uct(sims=0)"], "sims"),
        ([*DQN, "--out", "x", "--resume"], "does not hold a run"),
        (["train", "dqn", "line-taking", "--input", "signed", "--out", "x"], "take planes"),
        (["train", "actor-critic", "tetris(4,8)", "--out", "x"], "are a2c, afterstate-dqn, alphazero, cma-es, cross"),
        (["train", "cross-entropy", "tictactoe", "--out", "x"], "cross-entropy learns games of one player"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in refusal(run(*words))
    assert not list(tmp_path.iterdir())


def test_without_pytorch_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    assert "pip install 'plyground[train]'" in refusal(run(*DQN, "--out", str(tmp_path / "run")))


@pytest.mark.parametrize(("missing", "named"), [("torch.nn", "PyTorch"), ("cma", "cma")])
def test_what_is_missing_is_named(missing: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*told: str) -> None:
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr(learn, "load", fail)
    with pytest.raises(InputError, match=f"training needs {named}: pip install"):
        learn.learner("dqn")


def test_a_run_goes_on_with_its_own_options_only(trained: Path) -> None:
    out = ["--out", str(trained)]
    assert "--resume" in refusal(run(*DQN, *out))
    assert "leave out --games" in refusal(run(*DQN, *out, "--resume", "--games", "5"))
    assert "leave out --seed" in refusal(run(*DQN, *out, "--resume", "--seed", "5"))
    assert "run of dqn for tictactoe" in refusal(run("train", "dqn", "tictactoe(4)", *out, "--resume"))
    done = run(*DQN, *out, "--resume")
    assert done.returncode == 0 and "100 games" in done.stdout and str(trained) in done.stdout
    assert f"{trained} has ended: all 100 games are done" in done.stderr


def test_a_training_that_was_killed_ends_like_one_that_was_not(tmp_path: Path) -> None:
    options = ["--games", "600", "--hidden", "32", "--checkpoint-every", "100", "--measure-every", "0", "--seed", "3"]
    assert run(*DQN, "--out", str(tmp_path / "whole"), *options).returncode == 0
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, PLYGROUND, *DQN, "--out", str(killed), *options], stdout=subprocess.DEVNULL
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and not (killed / "checkpoints" / "200.json").exists() and process.poll() is None:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -9
    assert not (killed / "net.json").exists()
    assert run(*DQN, "--out", str(killed), "--resume").returncode == 0
    for one, other in zip(read_weights(tmp_path / "whole"), read_weights(killed), strict=True):
        assert (one[0] == other[0]).all() and (one[1] == other[1]).all()
    both = []
    for folder in (tmp_path / "whole", killed):
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        both.append([{k: v for k, v in line.items() if k != "seconds"} for line in lines])
    assert both[0] == both[1] and len(both[0]) == 12


# --- the agent ---


def test_a_training_that_is_asked_to_stop_leaves_a_net_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = [*DQN, "--out", str(folder), "--games", "1000000", "--hidden", "8", "--checkpoint-every", "1000000"]
    process = subprocess.Popen(
        [sys.executable, PLYGROUND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (folder / "metrics.jsonl").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "games in" in out and "Traceback" not in err
    assert "stopped after" in err and f"--resume goes on with {folder}" in err
    agents.make(f'net("{folder}")').think(games.make("tictactoe"), rules.new(games.make("tictactoe")))
    (before,) = (folder / "checkpoints").glob("*.json")
    assert answer(*DQN, "--out", str(folder), "--resume", "--seconds", "0")["games"] > int(before.stem) > 0


def test_a_training_for_some_seconds_ends_like_one_in_a_piece(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    answer(*DQN, "--out", str(whole), *SHORT)
    told, resume = answer(*DQN, "--out", str(parts), *SHORT, "--seconds", "0"), 0
    assert 0 < told["games"] < 100
    while told["games"] < 100:
        told, resume = answer(*DQN, "--out", str(parts), "--resume", "--seconds", "0"), resume + 1
    weights = [(folder / "net.safetensors").read_bytes() for folder in (whole, parts)]
    assert resume and weights[0] == weights[1]


def test_the_net_plays_without_pytorch(trained: Path) -> None:
    code = "import sys\nfrom plyground import agents, games, rules\ngame = games.make('tictactoe')\n"
    code += f'agents.make("net({str(trained)!r})").think(game, rules.new(game))\nprint("torch" in sys.modules)'
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False"]


def test_the_net_plays_the_legal_action_that_is_worth_most(trained: Path) -> None:
    game = games.make("tictactoe")
    agent = agents.make(f"net({str(trained)!r})")
    for line in ([], [4], [4, 0, 8, 2], [0, 1, 2, 4, 3, 5, 7, 6]):
        state = rules.new(game)
        for action in line:
            game.play(state, action)
        thought = agent.think(game, state)
        values = [move.value for move in thought.moves]
        assert sorted(move.action for move in thought.moves) == rules.legal(game, state)
        assert thought.action == thought.moves[0].action and values == sorted(values, reverse=True)
        assert thought.value == values[0] and max(map(abs, values)) <= 1
    assert len(thought.moves) == 1


def test_a_policy_tells_its_probabilities(tmp_path: Path) -> None:
    from plyground.nets.card import Card
    from plyground.nets.files import save
    from plyground.nets.models import MLP

    save(tmp_path, MLP([9, 4, 9]), Card([9, 4, 9], "signed", "policy", "tictactoe"))
    game = games.make("tictactoe")
    state = rules.after(game, rules.new(game), 4)
    moves = agents.make(f"net({str(tmp_path)!r})").think(game, state).moves
    priors = [move.prior or 0.0 for move in moves]
    assert sum(priors) == pytest.approx(1) and priors == sorted(priors, reverse=True) and len(priors) == 8


def test_a_net_that_came_with_the_program_is_played_alone_by_its_name() -> None:
    game = games.make("tictactoe")
    agent = agents.make('net("tictactoe-policy")')
    priors = [move.prior or 0.0 for move in agent.think(game, rules.new(game)).moves]
    assert len(priors) == 9 and priors == sorted(priors, reverse=True) and priors[0] > 1 / 9


def test_a_net_for_another_game_or_none_at_all_is_refused(trained: Path) -> None:
    game = games.make("tictactoe(4)")
    with pytest.raises(InputError, match="needs 16 and 16"):
        agents.make(f"net({str(trained)!r})").think(game, rules.new(game))
    assert "there is no net 'nowhere'" in refusal(run("match", "tictactoe", 'net("nowhere")', "random"))
    assert "net needs run" in refusal(run("match", "tictactoe", "net", "random"))


@pytest.mark.parametrize("algorithm", ["dqn", "reinforce"])
def test_a_game_with_other_planes_than_mine_and_theirs_is_not_refused(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plyground.learn.dqn import DQN
    from plyground.learn.reinforce import Reinforce
    from plyground.learn.train import prepared

    monkeypatch.setattr(DQN, "_compile", lambda learner: None)  # nothing is learnt here
    monkeypatch.setattr(Reinforce, "_search", lambda learner: None)
    game = "line-taking"
    made = prepared(algorithm, game, {"hidden": "8"} if algorithm == "dqn" else {"width": 8})
    assert made.input == "planes" and made.net()[1].input == "planes"  # type: ignore[attr-defined]
    assert getattr(made, "masking", True)  # of more actions than penalties could teach
