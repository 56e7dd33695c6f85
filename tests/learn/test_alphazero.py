"""The learner alphazero: its losses against NumPy, whole runs, being stopped, and what it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

import toys
from commands import answer, refusal, run
from plyground import agents, games, rules, sealed
from plyground.learn.alphazero import AlphaZero, chances
from plyground.learn.base import chosen, usual_for
from plyground.learn.selfplay import learner as selfplay
from plyground.learn.selfplay.distillation import agreement
from plyground.learn.selfplay.kernel import sample_type
from plyground.learn.selfplay.window import Batch
from plyground.nets.files import load, read_card
from plyground.nets.models import InferenceNet
from plyground.nets.trained import find
from plyground.spec import InputError

TINY = {
    "blocks": 1,
    "channels": 8,
    "sims": 8,
    "quick_sims": 4,
    "parallel_games": 8,
    "batch": 32,
    "round": 60,
    "positions": 200,
}
TINY |= {"device": "cpu", "threads": 1, "considered": 4, "window": 150}
WORDS = [word for name, value in TINY.items() for word in (f"--{name.replace('_', '-')}", str(value))]
TRAIN = ["train", "alphazero", "tictactoe"]


pytestmark = pytest.mark.usefixtures("measured_quickly", "nets_in_this_process")


def learner(game: str = "tictactoe", seed: int = 0, **given: Any) -> AlphaZero:
    return AlphaZero(games.make(game), game, chosen(AlphaZero, TINY | given), seed)


def opinionated(made: AlphaZero) -> AlphaZero:
    """With outputs that are not all 0."""
    torch.manual_seed(1)
    for layer in (made.model.logits, made.model.outcome):
        torch.nn.init.normal_(layer.weight)
    return made


def trained(made: AlphaZero) -> AlphaZero:
    while made.done < made.steps:
        made.advance()
    return made


def equal(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


# --- the loss -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("blend", [0.0, 0.3, 1.0])
def test_the_losses_are_cross_entropies(blend: float) -> None:
    made = opinionated(learner(blend=blend))
    rng = np.random.default_rng(0)
    n = 6
    planes = rng.integers(0, 2, size=(n, 2, 3, 3)).astype(np.float32)
    policy = rng.dirichlet(np.ones(9), size=n).astype(np.float32)
    score, value = np.array([1, -1, 0, 1, -0.5, 0], np.float32), rng.uniform(-1, 1, n).astype(np.float32)
    weight = np.array([1, 0, 1, 1, 0, 1], np.float32)
    batch = Batch(*(torch.from_numpy(a) for a in (planes, policy, score, value, weight, np.zeros(n, np.int64))))
    made.model.eval()
    with torch.no_grad():
        losses = made.losses(made.options, made.model, batch)
        logits, outcome = (out.numpy().astype(float) for out in made.model(batch.planes))
    policy_loss, value_loss = [], []
    for i in range(n):
        log_p = logits[i] - np.log(np.exp(logits[i]).sum())
        log_o = outcome[i] - np.log(np.exp(outcome[i]).sum())
        if weight[i]:
            policy_loss.append(-(policy[i] * log_p).sum())
        target = np.zeros(3)  # win, draw, loss
        for share, x in ((blend, value[i]), (1 - blend, score[i])):
            target += share * np.array([max(x, 0), 1 - abs(x), max(-x, 0)])
        assert target.sum() == pytest.approx(1) and target[0] - target[2] == pytest.approx(
            blend * value[i] + (1 - blend) * score[i], abs=1e-6
        )
        value_loss.append(-(target * log_o).sum())
    assert float(losses["policy_loss"]) == pytest.approx(np.mean(policy_loss), rel=1e-5)
    assert float(losses["value_loss"]) == pytest.approx(np.mean(value_loss), rel=1e-5)


def test_a_batch_of_quick_searches_teaches_no_policy() -> None:
    made = opinionated(learner())
    n = 4
    zeros = torch.zeros(n)
    batch = Batch(torch.zeros(n, 2, 3, 3), torch.full((n, 9), 1 / 9), zeros, zeros, zeros, zeros.long())
    assert made.losses(made.options, made.model, batch)["policy_loss"].item() == 0


def test_chances_have_the_mean_they_are_made_of() -> None:
    values = torch.linspace(-1, 1, 9)
    made = chances(values)
    assert torch.allclose(made.sum(1), torch.ones(9)) and (made >= 0).all()
    assert torch.allclose(made[:, 0] - made[:, 2], values)


# --- runs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"root": "puct", "target": "visits", "resign": -0.8, "mirror": False}])
def test_a_round_plays_and_learns(given: dict[str, Any]) -> None:
    made = learner(**given)
    before = made.arrays()
    figures = made.advance()
    assert made.done >= 60 and len(made.window) == made.done
    assert 0 < figures["policy_loss"] < 4 and 0 < figures["value_loss"] < 4 and figures["games"] > 0
    assert any((before[name] != array).any() for name, array in made.arrays().items() if name.startswith("net."))
    (sample,) = made.samples()
    state = rules.new(made.game)
    for word in sample["moves"].split():
        (action,) = [a for a in rules.legal(made.game, state) if made.game.name(a) == word]
        made.game.play(state, action)
    if "resign" not in given:
        assert made.game.over(state) and made.game.score(state) == sample["score"]


def played(made: Any, positions: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of one round of self-play, and what was counted."""
    made.players.begin(made.player, positions)
    return made._end_round()


def test_who_watches_a_round_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made, seen = learner(), []
    step = made._step
    monkeypatch.setattr(made, "_step", lambda *of: (seen.append(made.under_way()), step(*of))[1])
    assert made.under_way() == (0, "")
    made._begin_round(made.who_plays)
    made.players._playing[0].result()
    positions, what = made.under_way()
    assert what.startswith(f"round {positions}/60, ") and what.endswith(" simulations/s")
    made.advance()
    assert made.done == positions >= 60 and made.under_way() == (0, "")
    assert [what for _, what in seen] == [f"learning, step {i + 1} of {len(seen)}" for i in range(len(seen))]


def test_a_round_without_an_end_tells_no_game() -> None:
    made = learner()
    played(made, 20)
    assert len(made.samples()) == 1
    played(made, 0)
    assert made.samples() == []


def test_more_cores_than_positions_in_a_batch_share_it_fairly() -> None:
    made = learner(threads=3, batch=2)
    figures = made.advance()
    assert len(made.copies) == 1 and 0 < figures["policy_loss"] < 4 and 0 < figures["value_loss"] < 4
    uneven = learner(threads=3, batch=8)
    uneven.losses = lambda options, net, batch: {"score": batch.score.mean() * (1 + 0 * net.outcome.bias.sum())}  # type: ignore
    scores = torch.arange(8.0)
    with ThreadPoolExecutor(3) as pool:
        told = uneven._step(Batch(*(scores for _ in Batch._fields)), pool)
    assert told["score"].item() == pytest.approx(scores.mean().item())


@pytest.mark.parametrize(
    "given", [{}, {"average": 5, "balance": 0.5, "warmup": 100}, {"lag": 1}], ids=["usual", "averaged", "lag"]
)
def test_a_restored_learner_goes_on_bit_for_bit(given: dict[str, Any]) -> None:
    whole, second = learner(**given), learner(**given)
    whole.advance()
    whole.advance()
    second.restore(whole.arrays(), json.loads(json.dumps(whole.notes())))
    for made in (whole, second):
        trained(made)
    assert whole.done == second.done and equal(whole.arrays(), second.arrays())


def test_with_a_lag_a_round_is_played_by_the_net_before_the_one_that_learns() -> None:
    """By hand: the first two rounds are those of the net that has not learnt, the third is of what it has made of the
    first one; and each is learnt from as it comes."""
    made, twin = learner(lag=1), learner()
    nets = [deepcopy(twin.player)]
    for number in range(3):
        made.advance()
        twin.players.begin(nets[max(0, number - 1)], twin.options.round)
        samples, _ = twin._end_round()
        twin.window.add(samples)
        twin.lesson = selfplay.Lesson(len(samples), [], {})
        twin.learn(twin.lesson)
        twin.done, twin.lesson = twin.played, None
        nets.append(deepcopy(twin.player))
        assert equal({"window": made.window.planes.numpy()}, {"window": twin.window.planes.numpy()})
        assert all(map(torch.equal, made.model.parameters(), twin.model.parameters()))
    assert made.players.busy and not twin.players.busy
    made.close()


def test_the_net_that_plays_is_an_average_of_the_one_that_learns() -> None:
    made = learner(average=4, replay_ratio=0.5)  # a round is one step of learning
    wanted = {name: value.clone().float() for name, value in made.model.state_dict().items()}
    for _ in range(3):
        made.advance()
        wanted = {name: value + (made.model.state_dict()[name] - value) / 4 for name, value in wanted.items()}
    for name, value in made.net()[0].state_dict().items():
        if value.is_floating_point():
            assert torch.allclose(value, wanted[name], atol=1e-6), name
    assert not torch.equal(made.player.logits.weight, made.model.logits.weight)
    made.players.take(made.player)
    planes = made.players.groups[0].planes
    judged = made.players.judges[0](planes)
    assert np.allclose(judged, InferenceNet(made.player)(torch.from_numpy(planes)).detach(), atol=0.05)


def test_the_learning_rate_rises_at_first_and_falls_then() -> None:
    usual, made = learner(), learner(warmup=150)
    for _ in range(3):
        plain, warm = usual.advance()["lr"], made.advance()["lr"]
        assert warm == pytest.approx(plain * min(1, made.done / 150), rel=0.02)
    assert plain == pytest.approx(warm, rel=0.02) and made.done > 150


def test_a_run_goes_on_with_the_same_games_on_a_machine_of_other_cores() -> None:
    two, one = learner(threads=2), learner(threads=1)
    two.advance()
    one.restore(two.arrays(), two.notes())
    assert one.players.number == two.players.number == 2
    (samples, tally), (same, tally_too) = played(two, 40), played(one, 40)
    assert samples.tobytes() == same.tobytes() and tally.tolist() == tally_too.tolist()


def test_a_dry_run_tells_who_would_do_what_and_does_nothing(tmp_path: Path) -> None:
    told = run(*TRAIN, *WORDS, "--out", str(tmp_path / "run"), "--dry-run").stdout
    assert told.startswith("200 positions of tictactoe\nthreads that play on this machine: 1; the net runs on cpu\n")
    assert "blocks=1, channels=8" in told and not any(tmp_path.iterdir())


def test_the_same_seed_learns_the_same_and_another_does_not() -> None:
    one, same, other = (trained(learner(seed=seed, positions=100)).arrays() for seed in (1, 1, 2))
    assert equal(one, same) and not equal(one, other)


def test_a_run_from_the_command_line_leaves_a_net_that_plays(tmp_path: Path) -> None:
    told = answer(*TRAIN, "--out", str(tmp_path / "run"), *WORDS, "--seed", "5")
    assert told["seed"] == 5 and 0 <= told["figures"]["mistakes"] <= 1 and "elo" in told["figures"]
    card = read_card(tmp_path / "run")
    assert card.kind == "resnet" and card.sizes == [2, 3, 3, 9, 1, 8] and card.cells and card.game == "tictactoe"
    assert load(tmp_path / "run").sizes == card.sizes
    game = games.make("tictactoe")
    thought = agents.make(f"alphazero({str(tmp_path / 'run')!r}, sims=20)", 1).think(game, rules.new(game))
    assert thought.simulations == 20 and len(thought.moves) == 9


@pytest.mark.usefixtures("unplayed")
def test_a_training_that_was_stopped_ends_like_one_that_was_not(tmp_path: Path, stopped: Any) -> None:
    more = {"positions": 360, "checkpoint_every": 120, "measure_every": 0}
    words = [word for name, value in more.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert run(*TRAIN, "--out", str(tmp_path / "whole"), *WORDS, *words, "--seed", "3").returncode == 0
    stopped(tmp_path / "stopped", 240, "alphazero", "tictactoe", TINY | more, seed=3)
    assert run(*TRAIN, "--out", str(tmp_path / "stopped"), "--resume").returncode == 0
    weights = [load_file(folder / "net.safetensors") for folder in (tmp_path / "whole", tmp_path / "stopped")]
    assert equal(*weights) and len(weights[0]) > 20
    both = []
    for folder in (tmp_path / "whole", tmp_path / "stopped"):
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        both.append([{k: v for k, v in line.items() if k != "seconds"} for line in lines])
    assert both[0] == both[1] and len(both[0]) > 4


def test_options_go_by_their_older_names_too(tmp_path: Path) -> None:
    old = {"quick": 4, "full": 0.5, "desks": 8, "uses": 2.0, "warm": 3}
    now = {"quick_sims": 4, "full_share": 0.5, "parallel_games": 8, "replay_ratio": 2.0, "temperature_moves": 3}
    assert chosen(AlphaZero, old) == chosen(AlphaZero, now)
    words = [word for name, value in old.items() for word in (f"--{name}", str(value))]
    run(*TRAIN, "--out", str(tmp_path), *WORDS, "--positions", "60", *words)
    config = json.loads((tmp_path / "config.json").read_text())
    assert now.items() <= config["options"].items(), "and are noted by their names"
    config["options"] = {name: value for name, value in config["options"].items() if name not in now} | old
    (tmp_path / "config.json").write_text(sealed.text(config))
    told = answer(*TRAIN, "--out", str(tmp_path), "--resume")
    assert told["positions"] >= 60, "a run of an older version goes on"


def test_it_learns_tictactoe_a_little() -> None:
    made = learner(
        seed=1,
        positions=1500,
        round=300,
        channels=16,
        sims=16,
        parallel_games=32,
        replay_ratio=6.0,
        full_share=1.0,
        batch=64,
    )
    before = made.measure()["net_mistakes"]
    assert trained(made).measure()["net_mistakes"] < 0.75 * before


# --- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([*TRAIN, "--out", "x", "--positions", "0"], "positions is at least 1"),
        ([*TRAIN, "--out", "x", "--sims", "0"], "sims is 1 to 100,000"),
        ([*TRAIN, "--out", "x", "--full-share", "2"], "full_share is 0.01 to 1"),
        ([*TRAIN, "--out", "x", "--root", "uct"], "gumbel, puct"),
        ([*TRAIN, "--out", "x", "--resign", "0.5"], "resign is -1 to 0"),
        ([*TRAIN, "--out", "x", "--channels", "none"], "--channels"),
        ([*TRAIN, "--out", "x", "--preset", "strong"], "preset"),
        ([*TRAIN, "--out", "x", "--start", "nowhere"], "there is no net 'nowhere'"),
        (["train", "alphazero", f"{toys.__file__}:Nim", "--out", "x"], "`planes` and `encode`"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in refusal(run(*words))
    assert not list(tmp_path.iterdir())


def test_what_is_made_for_a_gpu_is_told_on_a_cpu_and_a_preset_is_smaller(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = usual_for("alphazero", games.make("gomoku(9)"))
    large, small = (chosen(AlphaZero, {"sims": 3}, preset, usual) for preset in ("", "laptop"))
    assert large.parallel_games > selfplay.MANY > small.parallel_games and large.round > 50 * small.round
    assert (small.sims, small.threats) == (3, large.threats)
    monkeypatch.setattr(selfplay, "MANY", 7)
    learner()
    said = "8 games at once, in rounds of 60 positions, are made for a GPU, and here is none: --preset laptop"
    assert said in capsys.readouterr().err


def test_a_gpu_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no GPU"):
        learner(device="cuda")


# --- a teacher ----------------------------------------------------------------------------------------


def test_a_teacher_s_bare_judgements_are_what_is_learnt() -> None:
    made = learner(teacher="tictactoe", sims=1, quick_sims=1, full_share=1.0, blend=1.0, opening=6, window=1000)
    assert made.advance()["divergence"] > 0
    trained(made)
    with torch.inference_mode():
        answers = InferenceNet(load(find("tictactoe")))(made.window.planes[: len(made.window)].float())
    policy = made.window.policy[: len(made.window)].float()
    chances_of_moves = answers[:, :-1].masked_fill(policy == 0, -torch.inf).softmax(1)
    assert len(policy) >= 200 and (policy - chances_of_moves).abs().max() < 0.02
    assert (made.window.rest[: len(policy), 1] - answers[:, -1]).abs().max() < 0.02


def test_a_teacher_agrees_with_itself_and_a_net_without_opinions_does_not() -> None:
    game, teacher = games.make("tictactoe"), load(find("tictactoe"))
    samples = np.zeros(9, sample_type(game))
    samples["planes"][1:, 0, 0, 0] = 1
    samples["planes"][np.arange(1, 9), 1, np.arange(1, 9) // 3, np.arange(1, 9) % 3] = 1
    with torch.inference_mode():
        answers = InferenceNet(teacher)(torch.from_numpy(samples["planes"].copy()))
    samples["policy"], samples["value"] = answers[:, :-1].softmax(1), answers[:, -1]
    samples["weight"] = np.arange(9) > 0  # the first, of a quick search, is left out
    same = agreement(teacher, samples, "cpu")
    assert same == pytest.approx({"explained": 1, "same_move": 1, "divergence": 0}, abs=1e-5)
    other = agreement(learner().model, samples, "cpu")
    logs = np.log(samples["policy"][1:])
    assert other["divergence"] == pytest.approx((samples["policy"][1:] * (logs + np.log(9))).sum(1).mean(), abs=1e-4)
    assert other["explained"] <= 1e-6


def test_a_teacher_has_to_fit_the_game() -> None:
    with pytest.raises(InputError, match="the net of connect-four"):
        learner(teacher="connect-four")
    with pytest.raises(InputError, match="a teacher plays on this machine"):
        learner(teacher="tictactoe", ray="local")
