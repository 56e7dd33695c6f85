"""The agent alphazero: a net from a folder, without PyTorch; its options, limits, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toys
from commands import answer, refusal, run
from naive_puct import seen
from plyground import agents, games, rules
from plyground.agents import alphazero
from plyground.agents.base import Limit
from plyground.nets import evaluate, trained
from plyground.nets.evaluate import gpu_evaluator, onnx_evaluator
from plyground.nets.files import read_card
from plyground.spec import InputError
from reseal import reseal

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
TICTACTOE = games.make("tictactoe")
START = rules.new(TICTACTOE)


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with nets that have seen nothing but have opinions."""
    torch = pytest.importorskip("torch")
    from plyground.nets.card import Card, cells_are_actions
    from plyground.nets.files import save
    from plyground.nets.models import ResNet

    torch.set_num_threads(1)
    found = {}
    for name in ("tictactoe", "connect-four", "line-taking"):
        game = games.make(name, 1)
        sizes, cells = [*game.planes(), game.actions(), 1, 8], cells_are_actions(game)
        net = ResNet(sizes, cells, seed=4)
        rng = torch.Generator().manual_seed(2)
        for layer in (net.logits, net.outcome):
            layer.weight.data = torch.randn(layer.weight.shape, generator=rng)
        found[name] = tmp_path_factory.mktemp(name)
        save(found[name], net, Card(sizes, "board", "policy-value", name, kind="resnet", cells=cells))
    return found


def agent(folder: Path, options: str = "sims=40", seed: int = 1) -> Any:
    return agents.make(f"alphazero({str(folder)!r}, {options})", seed)


@pytest.mark.parametrize(
    ("name", "net", "options"),
    [
        ("tictactoe", "tictactoe", "sims=40"),
        ("tictactoe", "tictactoe", "sims=30, root='gumbel', symmetry=True"),
        ("tictactoe", "tictactoe", "sims=1"),
        ("mnk(4,3,3)", "tictactoe", "sims=30, leaves=8, keep=False, solve=False"),
        ("mnk(4,3,4)", "tictactoe", "sims=12, choose='value', threats=-1"),
        ("connect-four", "connect-four", "sims=30, leaves=4, symmetry=True"),
        ("line-taking", "line-taking", "sims=20, threats=-1"),
    ],
)
def test_whole_games_of_legal_moves(nets: dict[str, Path], name: str, net: str, options: str) -> None:
    game = games.make(name, 1)
    players = [agent(nets[net], options, seat) for seat in (0, 1)]
    state = rules.new(game)
    plies = 0
    while not game.over(state) and plies < 30:
        thought = players[int(game.player(state))].think(game, state)
        assert thought.action in rules.legal(game, state) and thought.action == thought.moves[0].action
        assert sorted(move.action for move in thought.moves) == sorted(rules.legal(game, state))
        game.play(state, thought.action)
        plies += 1
    assert plies >= 5


def test_a_thought_tells_priors_visits_and_values(nets: dict[str, Path]) -> None:
    from plyground.nets.evaluate import onnx_evaluator, softmax

    state = TICTACTOE.read("X../.O./... X")
    thought = agent(nets["tictactoe"], "sims=100, solve=False").think(TICTACTOE, state)
    said = onnx_evaluator(nets["tictactoe"])(seen(TICTACTOE, state)[None])[0]
    legal = rules.legal(TICTACTOE, state)
    wanted = dict(zip(legal, softmax(said[legal]).tolist(), strict=True))
    assert {move.action: move.prior for move in thought.moves} == pytest.approx(wanted, rel=1e-4)
    assert thought.simulations == 100 and sum(move.visits for move in thought.moves) == 99  # one judged the root
    visits = [move.visits for move in thought.moves]
    assert visits == sorted(visits, reverse=True) and all(-1 <= move.value <= 1 for move in thought.moves)
    mean = sum(move.visits * move.value for move in thought.moves) + float(said[-1])
    assert thought.value == pytest.approx(mean / 100, abs=1e-5)
    assert thought.line[0] == thought.action and len(thought.line) > 1
    assert sum(thought.policy.values()) == pytest.approx(1)


def test_one_simulation_plays_what_the_net_likes_best(nets: dict[str, Path]) -> None:
    thought = agent(nets["tictactoe"], "sims=1").think(TICTACTOE, START)
    assert thought.simulations == 1 and thought.moves[0].prior == max(move.prior or 0.0 for move in thought.moves)
    assert len({move.prior for move in thought.moves}) > 3


@pytest.mark.parametrize("options", ["leaves=1", "leaves=6", "root='gumbel'", "symmetry=True", "choose='value'"])
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5), ("X../OO./X.. X", 5)])
def test_wins_and_blocks_with_every_option(nets: dict[str, Path], options: str, diagram: str, best: int) -> None:
    thought = agent(nets["tictactoe"], f"sims=600, c=8, {options}").think(TICTACTOE, TICTACTOE.read(diagram))
    assert thought.action == best


def test_what_is_lost_is_defended_as_if_nothing_were_proven(nets: dict[str, Path]) -> None:
    state = TICTACTOE.read("X.X/.O./O.X O")  # two cells on which X wins
    proving = agent(nets["tictactoe"], "sims=100")
    thought = proving.think(TICTACTOE, state)
    rest = 1 + sum(move.visits for move in thought.moves)  # simulations that the proof has left
    other = agent(nets["tictactoe"], f"sims={rest}, solve=False").think(TICTACTOE, state)
    assert thought.value == -1 and all(move.proven and move.value == -1 for move in thought.moves)
    assert thought.action == other.action and not any(move.proven for move in other.moves)
    assert [move.visits for move in thought.moves] == [move.visits for move in other.moves]
    assert thought.simulations == 100 and 20 < rest < 100
    won = proving.think(TICTACTOE, TICTACTOE.read("X.X/.O./O.. X"))
    assert won.value == 1 and won.moves[0].proven  # proofs are back


def test_symmetry_thinks_the_same_of_mirror_images(nets: dict[str, Path]) -> None:
    found = []
    for moves, _ in TICTACTOE.symmetries():
        state = rules.after(TICTACTOE, rules.after(TICTACTOE, START, int(moves[1])), int(moves[3]))
        thought = agent(nets["tictactoe"], "sims=2, symmetry=True").think(TICTACTOE, state)
        priors = {move.action: move.prior or 0.0 for move in thought.moves}
        found.append([priors.get(int(moves[action]), 0.0) for action in range(9)])
    for priors in found[1:]:
        assert priors == pytest.approx(found[0], abs=1e-5)


def test_the_tree_is_kept_unless_told_otherwise(nets: dict[str, Path]) -> None:
    for options, keep in (("keep=True", True), ("keep=False", False), ("root='gumbel'", False)):
        made = agent(nets["tictactoe"], f"sims=400, solve=False, {options}")
        first = made.think(TICTACTOE, START)
        mine, reply = first.line[:2]
        known = {move.action: move.visits for move in made.children([mine])}[reply]
        state = rules.after(TICTACTOE, rules.after(TICTACTOE, START, mine), reply)
        second = made.think(TICTACTOE, state)
        assert second.simulations == 400 and known > 5
        assert sum(move.visits for move in second.moves) == (400 + known - 1 if keep else 399)


def test_the_same_seed_plays_the_same(nets: dict[str, Path]) -> None:
    one, same = (agent(nets["connect-four"], "sims=60, leaves=3", 7) for _ in range(2))
    game = games.make("connect-four")
    assert one.think(game, rules.new(game)).moves == same.think(game, rules.new(game)).moves


# --- limits -------------------------------------------------------------------------------------------


def test_seconds_end_the_search(nets: dict[str, Path]) -> None:
    game = games.make("connect-four")
    made = agent(nets["connect-four"], "seconds=0.2, leaves=4, solve=False")
    made.think(game, rules.new(game), Limit(simulations=2))  # compiles
    begun = time.perf_counter()
    thought = made.think(game, rules.new(game))
    assert 0.15 < thought.seconds <= time.perf_counter() - begun < 20
    assert thought.simulations > 5


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_limits_end_the_search(nets: dict[str, Path], root: str) -> None:
    made = agent(nets["tictactoe"], f"sims=2000000000, root={root!r}, keep=False, solve=False")
    assert made.think(TICTACTOE, START, Limit(simulations=7)).simulations == 7
    assert 0 < made.think(TICTACTOE, START, Limit(seconds=0.05)).simulations < 1_000_000
    asked: list[int] = []
    made.think(TICTACTOE, START, Limit(stop=lambda: len(asked) == 3 or bool(asked.append(0))))
    assert len(asked) == 3


def test_gumbel_serves_many_simulations(nets: dict[str, Path]) -> None:
    """More visits than 16 bits hold."""
    from plyground.search.mcts.batched import table

    made = table(2, 70_000)
    assert made[1, -1] == 69_999 and made[2, -1] == 34_999


def test_a_search_that_needs_no_net_any_more_can_be_stopped(nets: dict[str, Path]) -> None:
    state = TICTACTOE.read(".OX/XX./OXO O")  # a draw: nothing is proven, and every leaf is the end
    asked = iter(10 * [False])
    thought = agent(nets["tictactoe"], "sims=30_000_000").think(TICTACTOE, state, Limit(stop=lambda: next(asked, True)))
    assert 3 < thought.simulations < 100_000
    assert agent(nets["tictactoe"], "sims=54321").think(TICTACTOE, state).simulations == 54321


def test_a_watcher_is_told(nets: dict[str, Path]) -> None:
    told: list[Any] = []
    agent(nets["tictactoe"], "seconds=0.4, solve=False").think(TICTACTOE, START, Limit(watch=told.append))
    assert told and told[0].action in range(9) and told[0].simulations > 0


@pytest.mark.parametrize("options", ["sims=3000, memory=1, keep=True", "sims=3000, memory=1, keep=False"])
def test_trees_keep_to_the_memory(nets: dict[str, Path], options: str) -> None:
    made = agent(nets["tictactoe"], options)
    assert made.think(TICTACTOE, START).action in range(9)
    used = made._searches[0].nodes.nbytes * (2 if made.keep else 1)
    assert 0.99 * 2**20 < used <= 2**20 + 1024


# --- elsewhere ----------------------------------------------------------------------------------------


def test_a_move_needs_no_torch(nets: dict[str, Path]) -> None:
    spec = f"alphazero({str(nets['tictactoe'])!r}, sims=10)"
    code = "import sys\nfrom plyground import agents, games, rules\ngame = games.make('tictactoe')\n"
    code += f"agents.make({spec!r}).think(game, rules.new(game))\n"
    code += "print([name for name in ('torch', 'matplotlib', 'safetensors') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_think_shows_priors(nets: dict[str, Path]) -> None:
    told = answer("think", "tictactoe", f"alphazero({str(nets['tictactoe'])!r}, sims=50)")
    assert np.isclose(sum(move["prior"] for move in told["moves"]), 1)


def test_what_does_not_fit_is_refused_in_one_line(nets: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no net 'nowhere'"):
        agents.make("alphazero('nowhere')")
    with pytest.raises(InputError, match="does not hold a net"):
        agent(tmp_path)
    with pytest.raises(InputError, match="say how many"):
        agent(nets["tictactoe"], "seconds=1, root='gumbel'")
    four = games.make("connect-four")
    with pytest.raises(InputError, match="this game has 2 planes of 6 x 7 and 7 actions"):
        agent(nets["tictactoe"]).think(four, rules.new(four))
    told = json.loads((nets["tictactoe"] / "net.json").read_text())
    (tmp_path / "net.json").write_text(json.dumps(told))
    reseal(tmp_path)
    with pytest.raises(InputError, match="there is no"):
        agent(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"no net")
    reseal(tmp_path)
    with pytest.raises(InputError, match="is not the net"):
        agent(tmp_path)
    (tmp_path / "net.json").write_text(json.dumps(told | {"sizes": [9, 9], "kind": "mlp"} | {"input": "signed"}))
    reseal(tmp_path)
    with pytest.raises(InputError, match="output 'policy-value' is known"):
        agent(tmp_path)
    (tmp_path / "net.json").write_text(
        json.dumps(told | {"sizes": [9, 9], "kind": "mlp", "input": "signed", "output": "q"})
    )
    reseal(tmp_path)
    with pytest.raises(InputError, match="policy and value"):
        agent(tmp_path)


def test_the_command_line_refuses_too(nets: dict[str, Path]) -> None:
    spec = f"alphazero({str(nets['tictactoe'])!r}, sims=5)"
    assert "this game has" in refusal(run("think", "connect-four", spec))
    assert "there is no net" in refusal(run("match", "tictactoe", 'alphazero("nowhere")', "random"))
    assert "encodes" in refusal(run("think", f"{toys.__file__}:Nim", spec))


def test_a_net_on_a_gpu_is_the_same_net_and_where_there_is_none_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch runs it here on the CPU; a GPU rounds to half precision."""
    torch = pytest.importorskip("torch")
    folder = trained.find("gomoku-9")
    planes = (np.random.default_rng(1).random((4, 2, 9, 9)) < 0.2).astype(np.float32)
    ours = onnx_evaluator(folder)
    other = gpu_evaluator(folder, "cpu")
    np.testing.assert_allclose(other(planes), ours(planes), atol=0.05 if other.dtype == torch.bfloat16 else 1e-3)
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="device cuda: PyTorch finds no GPU here"):
            agents.make('alphazero("gomoku-9", device="cuda")')
    monkeypatch.setattr(evaluate, "read_card", lambda folder: replace(read_card(folder), kind="mlp"))
    with pytest.raises(InputError, match="device cuda: for nets with convolutions"):
        gpu_evaluator(folder, "cpu")


def test_on_a_gpu_many_games_are_searched_at_once_with_the_moves_of_one_after_another(
    nets: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch runs the net here on the CPU.  Some positions are lost, where a search goes on without proofs."""
    monkeypatch.setattr(alphazero, "gpu_evaluator", lambda folder: gpu_evaluator(folder, "cpu"))
    one, rng = agent(nets["tictactoe"], "sims=60, device='cuda', keep=False, memory=1"), np.random.default_rng(3)
    assert one.many and not agent(nets["tictactoe"], "sims=60, device='cuda'").many
    states = [TICTACTOE.read(diagram) for diagram in ("X.O/.../O.X", "XX./.O./..O", "O.O/XX./..X")]
    while len(states) < 20:
        state = rules.new(TICTACTOE)
        for _ in range(rng.integers(6)):
            if not TICTACTOE.over(state):
                TICTACTOE.play(state, rng.choice(rules.legal(TICTACTOE, state)))
        if not TICTACTOE.over(state):
            states.append(state)
    together = one.think_in_each(TICTACTOE, states, [np.random.default_rng(i) for i in range(len(states))])
    alone, values = [], set()
    for i, state in enumerate(states):
        one.rng = np.random.default_rng(i)
        thought = one.think(TICTACTOE, state)
        alone.append(thought.action)
        values.add(thought.value)
    assert together == alone and -1.0 in values
    one.rng, shared = np.random.default_rng(5), np.random.default_rng(5)  # without streams of the games, one for all
    one.think_in_each(TICTACTOE, states)
    shared.integers(2**62, size=len(states))
    assert one.rng.bit_generator.state == shared.bit_generator.state
