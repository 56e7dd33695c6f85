"""Methods of games in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from plyground.rules import kernel


class Bare(NamedTuple):
    """A game without parameters."""

    def actions(game):
        return 3

    def over(game, state):
        return state > game.actions()


class Sized(NamedTuple):
    size: int = 3

    def actions(game):
        return game.size

    def over(game, state):
        return state > game.actions()


@kernel
def asked(game, state):
    return 10 * game.actions() + game.over(state)


@pytest.mark.parametrize("game", [Bare(), Sized()])
def test_a_game_may_have_no_parameters(game: NamedTuple) -> None:
    assert [asked(game, state) for state in (3, 4)] == [30, 31]
