"""The nets that came with the program: they are found, they fit, they say how they were made, and they are strong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import answer, interpreted, refusal, run
from plyground import agents, games, rules
from plyground.learn import measure, strength
from plyground.nets import trained
from plyground.nets.card import must_fit
from plyground.nets.evaluate import onnx_evaluator
from plyground.nets.files import load, read_card
from plyground.search.mcts.batched import BatchedPUCT
from plyground.search.mcts.settings import Settings
from plyground.spec import InputError

NAMES = [
    "2048",
    "backgammon",
    "breakthrough-6",
    "connect-four",
    "go-9",
    "gomoku-15",
    "gomoku-15-patterns",
    "gomoku-9",
    "hex-11",
    "hex-7",
    "kalah",
    "line-taking",
    "mnk-4-4-4",
    "mnk-6-6-4",
    "othello",
    "tictactoe",
    "tictactoe-policy",
]
IN_KERNELS = ["gomoku-15-patterns"]  # beside the nets of the same boards
POLICIES = ["tictactoe-policy"]  # that guide UCT
DISTILLED = {"gomoku-15-patterns"}
OTHERS = [name for name in NAMES if name not in IN_KERNELS + POLICIES]


def test_the_nets_that_there_are() -> None:
    assert trained.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_net_fits_its_game_and_says_how_it_was_made(name: str) -> None:
    folder = trained.find(name)
    card = read_card(folder)
    game = games.make(card.game)
    must_fit(card, game)
    assert trained.made_for(game, card.output) == name.removesuffix("-patterns")
    learner = "reinforce" if name in POLICIES else "distil" if name in DISTILLED else "alphazero"
    assert card.command.startswith(f"plyground train {learner} ") and card.strength
    assert load(folder).sizes == card.sizes
    assert not strength.read(folder).stale  # which may be empty for a net that is new
    assert sum(path.stat().st_size for path in folder.iterdir()) < 10e6
    kinds = {"resnet": {"net.onnx", "norm.safetensors"}, "mlp": {"net.onnx", "net.safetensors"}}
    weights = kinds.get(card.kind, {"net.safetensors"})
    assert {path.name for path in folder.iterdir()} - {"quick.onnx", strength.STRENGTH} == {"net.json", *weights}


def first_decision(game: Any) -> Any:
    """The start, after whatever chance brings first."""
    state = rules.new(game)
    while game.player(state) == rules.CHANCE:
        state = rules.after(game, state, rules.outcomes(game, state)[0][0])
    return state


def thought() -> dict[str, list[int]]:
    """The visits of the first move, on the board of every net but those for kernels, which would take long."""
    found = {}
    for name in OTHERS:
        game = games.make(read_card(trained.find(name)).game)
        state = first_decision(game)
        said = agents.make(f'alphazero("{name}", sims=8)').think(game, state)
        assert said.action in rules.legal(game, state)
        found[name] = [move.visits for move in said.moves]
    large = games.make("gomoku(15)")
    said = agents.make('alphazero("gomoku-9", sims=8)').think(large, rules.new(large))
    assert said.action in rules.legal(large, rules.new(large))
    return found | {"gomoku-9 on a larger board": [move.visits for move in said.moves]}


def test_every_net_searches_on_its_board() -> None:
    """Without the compiler: each has a kernel of its own."""
    boards = [*OTHERS, "gomoku-9 on a larger board"]
    assert {name: sum(visits) for name, visits in interpreted(__file__).items()} == dict.fromkeys(boards, 7)


def test_the_policy_of_tic_tac_toe_guides_a_search_that_makes_hardly_a_mistake() -> None:
    game = games.make("tictactoe")
    known = measure.positions(game)
    assert known is not None
    agent, every = agents.make("guided(sims=300)"), slice(None, None, 60)
    chosen = [agent.think(game, state).action for state in known.states[every]]
    assert sum(best[action] for best, action in zip(known.best[every], chosen, strict=True)) >= 0.97 * len(chosen)


def test_the_net_of_tic_tac_toe_makes_no_mistake_with_50_simulations() -> None:
    game = games.make("tictactoe")
    batched = BatchedPUCT(game, onnx_evaluator(trained.find("tictactoe")), Settings(), 256, 50)
    known = measure.positions(game)
    assert known is not None and known.mistakes(batched) == 0


def test_auto_takes_the_net_of_the_game_and_refuses_others() -> None:
    agent = agents.make("alphazero(sims=4)")
    for name in ("tictactoe", "connect-four"):
        agent.think(games.make(name), rules.new(games.make(name)))
    four = games.make("connect-four")
    with pytest.raises(InputError, match="no net came with the program for this game, only tictactoe-policy;"):
        agents.make("guided(sims=4)").think(four, rules.new(four))
    with pytest.raises(InputError, match="no net came with the program for this game"):
        agent.think(games.make("mnk(5,4,3)"), rules.new(games.make("mnk(5,4,3)")))


@pytest.mark.parametrize(
    ("game", "net"), [("gomoku(19)", "gomoku-15"), ("gomoku(20)", "gomoku-15"), ("gomoku(11)", "gomoku-9")]
)
def test_auto_takes_the_net_of_the_board_most_alike(game: str, net: str) -> None:
    assert trained.made_for(games.make(game)) == net
    assert trained.made_for(games.make(f"{game[:-1]}, 'exactly-five')")) == net


def test_a_net_of_cells_plays_on_other_boards() -> None:
    game = games.make("mnk(6,6,4)")
    agent = agents.make('alphazero("gomoku-9", sims=4)')
    assert agent.think(game, rules.new(game)).action in rules.legal(game, rules.new(game))


def test_a_net_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no net 'gomoku-10'"):
        agents.make('alphazero("gomoku-10")')


def test_the_command_tells_of_nets_and_seals_others_only(tmp_path: Path) -> None:
    told = {one["net"]: one for one in answer("nets")["nets"]}
    assert told.keys() == set(trained.names())
    for name, one in told.items():
        assert one["digest"] == read_card(trained.find(name)).digest and one["command"] and one["game"] and one["files"]
    text = run("nets").stdout
    assert all(one["digest"][:12] in text and one["strength"] in text for one in told.values())
    assert "a net of yours" in refusal(run("nets", "--seal", "tictactoe"))
    assert "a net of yours" in refusal(run("nets", "--seal"))
    assert "stays as it is" in refusal(run("quicken", "gomoku-9"))
    for path in trained.find("tictactoe").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "net.onnx").write_bytes(b"another")
    assert "damaged" in refusal(run("nets", str(tmp_path)))
    assert "not a file of ONNX" in refusal(run("nets", "--seal", str(tmp_path)))
    assert "damaged" in refusal(run("nets", str(tmp_path)))
    (tmp_path / "net.onnx").unlink()
    assert "there is no" in refusal(run("nets", "--seal", str(tmp_path)))
    other = (trained.find("mnk-4-4-4") / "net.onnx").read_bytes()
    (tmp_path / "net.onnx").write_bytes(other)
    found = answer("nets", "--seal", str(tmp_path))
    assert found["digest"] != told["tictactoe"]["digest"] and not found["strength"]
    assert run("nets", str(tmp_path)).returncode == 0


if __name__ == "__main__":
    print(json.dumps(thought()))
