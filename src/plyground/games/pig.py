"""Pig: roll a die as often as you like and add up the pips, or hold and keep them; a 1 loses what the turn has brought.

Neller and Presser, "Optimal Play of the Dice Game Pig" (2004): who begins wins 53.06 % at 100 points.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..spec import About

ROLL, HOLD, FACES = 0, 1, 2  # outcomes of the die are 2 to 7, apart from the actions


class Pig(NamedTuple):
    """Roll and add up, or hold and keep it; a 1 loses what the turn has brought.  Who keeps enough first wins."""

    target: Annotated[int, About("points to win", low=2, high=1000)] = 100

    def fields(game):
        return [("kept", np.int16, (2,)), ("rolled", np.int16), ("turn", np.int8), ("falling", np.bool_)]

    def actions(game):
        return FACES + 6

    def player(game, state):
        return -1 if state.falling else state.turn

    def legal(game, state, out):
        """To roll, and once that was done, to hold."""
        out[0], out[1] = ROLL, HOLD
        return 2 if state.rolled > 0 else 1

    def chance(game, state, out, weights):
        for face in range(6):
            out[face] = FACES + face
            weights[face] = 1 / 6
        return 6

    def play(game, state, action):
        if action == ROLL:
            state.falling = True
            return
        state.falling = False
        if action > FACES:
            missing = game.target - state.kept[state.turn]  # what is more than that does not count
            state.rolled = min(state.rolled + action - FACES + 1, missing)
            return
        if action == HOLD:
            state.kept[state.turn] += state.rolled
        state.rolled = 0
        state.turn = 1 - state.turn

    def over(game, state):
        return state.kept[0] >= game.target or state.kept[1] >= game.target

    def score(game, state):
        return 1.0 if state.kept[0] >= game.target else -1.0 if state.kept[1] >= game.target else 0.0

    def decisive(game):
        return True

    def planes(game):
        return (3, 1, 1)  # what who moves has kept, what the other has, what the turn has brought

    def encode(game, state, planes):
        planes[0, 0, 0] = state.kept[state.turn] / game.target
        planes[1, 0, 0] = state.kept[1 - state.turn] / game.target
        planes[2, 0, 0] = state.rolled / game.target

    def name(game, action):
        return ("roll", "hold", "d1", "d2", "d3", "d4", "d5", "d6")[action]

    def text(game, state):
        marks = [" *" if not game.over(state) and state.turn == player else "" for player in range(2)]
        names = ("first ", "second")
        kept = [f"{name} {kept}{mark}" for name, kept, mark in zip(names, state.kept.tolist(), marks, strict=True)]
        return "\n".join([*kept, f"{state.rolled} in this turn, {game.target} wins"])
