"""A toy that nets can see: who moves at each ply stands in its parameters, so players may move twice, or nature."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

CHANCE = -1
SCORES = (1.0, -1.0, 0.0, 0.5, -1.0, 1.0, -0.5)


class Turns(NamedTuple):
    """Two or three actions a ply; the actions that were played decide when it ends, and its score."""

    players: tuple = (0, 0, 1, 1, 0, 1, 1, 0)  # who moves at each ply, -1 for nature; games of one length share kernels
    shortest: int = 4

    def fields(game):
        return [("path", np.int8, (len(game.players),)), ("plies", np.int8)]

    def actions(game):
        return 3

    def player(game, state):
        return game.players[min(state.plies, len(game.players) - 1)]

    def legal(game, state, out):
        count = 2 + (state.plies + state.path[0]) % 2
        for i in range(count):
            out[i] = (i + state.plies) % 3
        return count

    def chance(game, state, out, weights):
        count = 2 + state.plies % 2
        for i in range(count):
            out[i] = 2 - i
            weights[i] = 0.25 * (1 + (count == 2 and i == 1) * 2 + (count == 3 and i == 2))
        return count

    def play(game, state, action):
        state.path[state.plies] = action
        state.plies += 1

    def over(game, state):
        return state.plies == len(game.players) or (state.plies >= game.shortest and state.path[2] == state.path[3])

    def score(game, state):
        number = 0
        for i in range(state.plies):
            number = (number * 3 + state.path[i]) % 7
        return SCORES[number]

    def planes(game):
        return (2, 1, len(game.players))

    def encode(game, state, planes):
        for i in range(state.plies):
            planes[0, 0, i] = state.path[i] + 1
            planes[1, 0, i] = game.players[i] == game.player(state)


class Alone(Turns):
    """The same for one player, whose points may be any number."""

    def alone(game):
        return True

    def score(game, state):
        points = 0.0
        for i in range(state.plies):
            points += (3 * i - 5) * state.path[i] + 0.25 * (state.path[i] == 1)
        return points


class Circle(NamedTuple):
    """A token goes round six cells, either way; who brings it to the last one has won.  Positions come again."""

    def fields(game):
        return [("at", np.int8), ("mover", np.int8)]

    def actions(game):
        return 2

    def player(game, state):
        return state.mover

    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(game, state, action):
        state.at = (state.at + (1 if action == 1 else 5)) % 6
        state.mover = 1 - state.mover

    def over(game, state):
        return state.at == 3

    def score(game, state):
        return 0.0 if state.at != 3 else 1.0 if state.mover == 1 else -1.0

    def planes(game):
        return (1, 1, 6)

    def encode(game, state, planes):
        planes[0, 0, state.at] = 1


class Steps(NamedTuple):
    """One action everywhere, but every second ply is a throw of a coin that changes nothing; the last one wins."""

    length: int = 5

    def fields(game):
        return [("plies", np.int32)]

    def actions(game):
        return 2

    def player(game, state):
        return CHANCE if state.plies & 1 else (state.plies >> 1) & 1

    def legal(game, state, out):
        out[0] = 0
        return 1

    def chance(game, state, out, weights):
        for i in range(2):
            out[i] = i
            weights[i] = 1.0 * (i == 0)  # the coin shows heads for certain
        return 2

    def play(game, state, action):
        state.plies += 1

    def over(game, state):
        return state.plies == game.length

    def score(game, state):
        return 1.0

    def planes(game):
        return (1, 1, 1)

    def encode(game, state, planes):
        planes[0, 0, 0] = state.plies & 1


@cache
def load(name: str) -> Any:
    """A class of this file, ready for use."""
    from plyground import games

    return games.maker(f"{__file__}:{name}")


def make(name: str) -> Any:
    """A game: "twice", "chance", "alone", or whatever the registry has."""
    from plyground import games

    if name == "twice":
        return load("Turns")()
    if name == "chance":
        return load("Turns")((0, -1, 1, 1, -1, 0, -1, 1))
    if name == "alone":
        load("Turns")  # whose rules it has: so both have the same kernels in every process
        return load("Alone")((0, -1, 0, 0, -1, 0, -1, 0))
    return games.make(name)
