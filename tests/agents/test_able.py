"""Which agents play a game: what a list says is what the agents say when they are asked to think."""

from __future__ import annotations

from pathlib import Path

import pytest

import toys
from plyground import agents, games, position, rules
from plyground.spec import InputError, parameters

DICE = f"{Path(toys.__file__)}:Dice"
GAMES = ["tictactoe", "connect-four", "gomoku(9)", "mnk(6,6,4)", "line-taking", "tetris", DICE]
MASTERS = {"threats", "gomoku-classic", "gomoku-master"}
TETRIS = {"dellacherie", "bcts", "linear-tetris"}
ONE_PLAYER = {"afterstate-net", "mcts-actor-critic", "linear"}


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: Path(spec).name)
def test_an_agent_that_is_not_listed_refuses_the_game(spec: str) -> None:
    game = games.make(spec)
    state = position.new(game)
    while game.player(state) == rules.CHANCE:
        game.play(state, rules.outcomes(game, state)[0][0])
    refusing = [name for name in agents.registry() if name not in agents.able(game)]
    for name in refusing:
        with pytest.raises(InputError):
            agents.maker(name).must_play(game)
        if any(option.about.kind in ("run", "command") for option in parameters(agents.maker(name))):
            continue  # there is none to give it
        with pytest.raises(InputError):
            agents.make(name).think(game, state)


def test_masters_of_one_game_are_listed_for_it_alone() -> None:
    listed = {spec: set(agents.able(games.make(spec))) for spec in GAMES}
    assert {spec for spec in GAMES if MASTERS & listed[spec]} == {"gomoku(9)", "mnk(6,6,4)"}
    assert all(listed[spec] >= MASTERS for spec in ("gomoku(9)", "mnk(6,6,4)"))
    assert {spec for spec in GAMES if TETRIS & listed[spec]} == {"tetris"} and listed["tetris"] >= TETRIS
    assert {spec for spec in GAMES if ONE_PLAYER & listed[spec]} == {"tetris"} and listed["tetris"] >= ONE_PLAYER
    assert {spec for spec in GAMES if "line-taking-master" in listed[spec]} == {"line-taking"}
    assert {spec for spec in GAMES if "connect-four-master" in listed[spec]} == {"connect-four"}
    assert {spec for spec in GAMES if "external" not in listed[spec]} == {"tetris", DICE}
    assert {spec for spec in GAMES if "alphabeta" not in listed[spec]} == {"tetris"}
    assert not listed[DICE] & {"alphazero", "guided", "net", "faulty-uct", "win-block-middle"}
    assert all({"random", "win-block", "uct", "rave", "hybrid"} <= names for names in listed.values())
    assert all(agents.usual(games.make(spec)) in listed[spec] for spec in GAMES)
