"""A game of one player: the other seat of any game is taken by nature, which plays at random.

What UCT, expectimax and learners find here is the best response to a random opponent.
"""

from typing import Annotated, Any, NamedTuple

from ..rules import CHANCE, gives
from ..spec import About


class AgainstRandom(NamedTuple):
    base: Any  # the game
    seat: int = 1  # who plays at random

    def compiles(game):
        return game.base.compiles()

    def fields(game):
        return game.base.fields()

    def actions(game):
        return game.base.actions()

    def start(game, state):
        game.base.start(state)

    def player(game, state):
        player = game.base.player(state)
        return CHANCE if player == game.seat else player

    def chance(game, state, out, weights):
        count = game.base.legal(state, out)
        for i in range(count):
            weights[i] = 1 / count
        return count

    def legal(game, state, out):
        return game.base.legal(state, out)

    def play(game, state, action):
        game.base.play(state, action)

    def over(game, state):
        return game.base.over(state)

    def score(game, state):
        return game.base.score(state)

    def board(game):
        return game.base.board()

    def cells(game, state):
        return game.base.cells(state)

    def where(game, state, action):
        return game.base.where(state, action)

    def name(game, action):
        return game.base.name(action)

    def text(game, state):
        return game.base.text(state)

    def diagram(game, state):
        return game.base.diagram(state)

    def read(game, diagram):
        return game.base.read(diagram)


class Encoded(AgainstRandom):
    """One that nets learn: they see what they would in the base."""

    def planes(game):
        return game.base.planes()

    def encode(game, state, planes):
        game.base.encode(state, planes)


def against_random(
    game: Annotated[str, About("the game, one of two players without chance", kind="game")] = "tictactoe",
    seat: Annotated[int, About("who plays at random: 0 moves first, 1 second", low=0, high=1)] = 1,
) -> AgainstRandom:
    """Any game against a random opponent, who counts as nature."""
    from . import make

    base = make(game)
    if gives(base, "chance") or not gives(base, "board", "cells", "where", "diagram", "read"):
        raise ValueError(f"{game} is not a game of two players without chance that can be drawn and written down")
    return (Encoded if gives(base, "planes", "encode") else AgainstRandom)(base, seat)
