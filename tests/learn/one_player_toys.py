"""Toys for one player whose best score is known, as a user's own file: chance scores and ends, or there is none."""

from typing import NamedTuple

import numpy as np

CHANCE = -1


class Pig(NamedTuple):
    """Throw a die as often as you like and add up its pips, but a one takes all of them and ends the game; or stop."""

    target: int = 40  # points that end the game, too

    def fields(game):
        return [("points", np.int16), ("falling", np.int8), ("ended", np.int8)]

    def alone(game):
        return True

    def actions(game):
        return 6

    def player(game, state):
        return CHANCE if state.falling else 0

    def legal(game, state, out):
        out[0] = 0  # throw
        out[1] = 1  # stop
        return 2

    def chance(game, state, out, weights):
        for i in range(6):
            out[i] = i
            weights[i] = 1 / 6
        return 6

    def play(game, state, action):
        if state.falling:
            state.falling = 0
            state.points = state.points + action + 1 if action > 0 else 0
            state.ended = action == 0 or state.points >= game.target
        elif action == 0:
            state.falling = 1
        else:
            state.ended = 1

    def over(game, state):
        return state.ended != 0

    def score(game, state):
        return float(state.points)

    def planes(game):
        return (2, 1, 2)

    def encode(game, state, planes):
        planes[state.falling, 0, 0] = 1
        planes[state.falling, 0, 1] = state.points / 20


class Descent(NamedTuple):
    """Go down a triangle of numbers, left or right in every row, and collect them.  Nothing is left to chance."""

    rows: int = 5

    def fields(game):
        return [("row", np.int16), ("col", np.int16), ("points", np.int16)]

    def alone(game):
        return True

    def actions(game):
        return 2

    def player(game, state):
        return 0

    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(game, state, action):
        state.row += 1
        state.col += action
        state.points += (7 * state.row + 5 * state.col * state.col + 3) % 10

    def over(game, state):
        return state.row == game.rows

    def score(game, state):
        return float(state.points)

    def planes(game):
        return (1, game.rows + 1, game.rows + 1)

    def encode(game, state, planes):
        planes[0, state.row, state.col] = 1
