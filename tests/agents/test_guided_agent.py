"""The agent guided: a net from a folder, without PyTorch; its options; its priors in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import answer, run
from plyground import agents, games, rules
from plyground.agents.base import Limit
from plyground.spec import InputError
from reseal import reseal

TICTACTOE = games.make("tictactoe")
START = rules.new(TICTACTOE)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a net that has seen nothing."""
    pytest.importorskip("torch")
    from plyground.nets.card import Card
    from plyground.nets.files import save
    from plyground.nets.models import MLP

    folder = tmp_path_factory.mktemp("net")
    save(folder, MLP([9, 32, 32, 9], seed=3), Card([9, 32, 32, 9], "signed", "policy", "tictactoe"))
    return folder


def test_every_move_is_told_with_its_prior(net: Path) -> None:
    thought = agents.make(f"guided(net={str(net)!r}, sims=500)", 1).think(TICTACTOE, START)
    assert sum(move.prior or 0.0 for move in thought.moves) == pytest.approx(1)
    assert thought.simulations == sum(move.visits for move in thought.moves) == 500
    assert thought.action == thought.moves[0].action


def test_exploration_is_less_where_a_position_has_few_actions(net: Path) -> None:
    """It is shared out by the priors: the net decides alone where two actions get what suits nine."""
    agent = agents.make(f"guided(net={str(net)!r})")
    weights = {spec: agent.exploration(games.make(spec)) for spec in ("tictactoe", "mnk(4,4,4)", "pig(30)")}
    assert weights == pytest.approx({"tictactoe": 16, "mnk(4,4,4)": 16, "pig(30)": 16 * 2 / 9})
    assert agents.make(f"guided(net={str(net)!r}, c=3.0)").exploration(TICTACTOE) == 3


def test_the_priors_are_those_of_onnxruntime(net: Path) -> None:
    pytest.importorskip("onnxruntime")
    from plyground.nets.evaluate import Encoder, onnx_evaluator, softmax

    state = TICTACTOE.read("X../.O./... X")
    thought = agents.make(f"guided(net={str(net)!r})").think(TICTACTOE, state)
    logits = onnx_evaluator(net)(Encoder(TICTACTOE, "signed").one(state))[0]
    legal = rules.legal(TICTACTOE, state)
    wanted = dict(zip(legal, softmax(logits[legal]).tolist(), strict=True))
    assert {move.action: move.prior for move in thought.moves} == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    "options",
    ["threads=2", "keep=True", "discount=0.9", "choose='value'", "solve=False, rollouts=3", "rollout='random'"],
)
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5), ("X../OO./X.. X", 5)])
def test_wins_and_blocks_with_every_option(net: Path, options: str, diagram: str, best: int) -> None:
    agent = agents.make(f"guided(net={str(net)!r}, sims=2000, {options})", 2)
    thought = agent.think(TICTACTOE, TICTACTOE.read(diagram))
    assert thought.action == best
    assert sum(move.prior or 0.0 for move in thought.moves) == pytest.approx(1)


def test_check_plays_a_win_without_a_search(net: Path) -> None:
    agent = agents.make(f"guided(net={str(net)!r}, check=True)")
    assert agent.think(TICTACTOE, TICTACTOE.read("XX./OO./... X")).simulations == 0


def test_the_same_seed_plays_the_same_and_a_kept_tree_goes_on(net: Path) -> None:
    thoughts = []
    for _ in range(2):
        agent = agents.make(f"guided(net={str(net)!r}, sims=300, keep=True, solve=False)", 5)
        first = agent.think(TICTACTOE, START, Limit(simulations=200))
        reply = first.line[1]
        state = rules.after(TICTACTOE, rules.after(TICTACTOE, START, first.action), reply)
        second = agent.think(TICTACTOE, state)
        assert sum(move.visits for move in second.moves) > 300
        thoughts.append((first.moves, second.moves))
    assert thoughts[0] == thoughts[1]


def test_the_net_file_itself_may_be_named(net: Path) -> None:
    one, other = (agents.make(f"guided(net={str(path)!r})", 1) for path in (net, net / "net.safetensors"))
    assert one.think(TICTACTOE, START).moves == other.think(TICTACTOE, START).moves


def test_what_does_not_fit_is_refused_in_one_line(net: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="guided needs a net that tells a policy; tictactoe tells policy-value"):
        agents.make('guided(net="tictactoe")')
    with pytest.raises(InputError, match="there is no"):
        agents.make(f"guided(net={str(tmp_path)!r})")
    four = games.make("mnk(4,4,4)")
    with pytest.raises(InputError, match="9 inputs and 9 outputs; this game needs 16 and 16"):
        agents.make(f"guided(net={str(net)!r})").think(four, rules.new(four))
    (tmp_path / "net.json").write_text((net / "net.json").read_text().replace('"policy"', '"q"'))
    reseal(tmp_path)
    with pytest.raises(InputError, match="policy"):
        agents.make(f"guided(net={str(tmp_path)!r})")


def test_a_move_needs_no_torch(net: Path) -> None:
    code = "import sys\nfrom plyground import agents, games, rules\n"
    code += f"game = games.make('tictactoe'); agents.make({f'guided(net={str(net)!r})'!r}).think(game, rules.new(game))"
    code += "\nprint([name for name in ('torch', 'onnxruntime', 'matplotlib') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_think_shows_priors(net: Path) -> None:
    spec = f"guided(net={str(net)!r}, sims=100)"
    told = answer("think", "tictactoe", spec)
    assert np.isclose(sum(move["prior"] for move in told["moves"]), 1)
    assert "prior" in run("think", "tictactoe", spec).stdout
    assert "prior" not in run("think", "tictactoe", "uct(sims=100)").stdout
    assert all("prior" not in move for move in answer("think", "tictactoe", "uct(sims=100)")["moves"])
