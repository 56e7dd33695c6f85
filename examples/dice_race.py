"""A race with one die, a game of two players and of chance: step or sprint, and be the first at the goal."""

from typing import NamedTuple

import numpy as np

STEP, SPRINT, FACES = 0, 1, 2  # outcomes of the die are 2 to 7, apart from the actions


class DiceRace(NamedTuple):
    """Step: as far as the die says.  Sprint: 8 on a 4, 5 or 6, else 1."""

    goal: int = 20

    def fields(game):
        return [("at", np.int16, (2,)), ("turn", np.int8), ("sprints", np.bool_), ("falling", np.bool_)]

    def actions(game):
        return FACES + 6

    def player(game, state):
        return -1 if state.falling else state.turn

    def legal(game, state, out):
        out[0], out[1] = STEP, SPRINT
        return 2

    def chance(game, state, out, weights):
        for face in range(6):
            out[face] = FACES + face
            weights[face] = 1 / 6
        return 6

    def play(game, state, action):
        if action < FACES:
            state.falling, state.sprints = True, action == SPRINT
            return
        pips = action - FACES + 1
        if not state.sprints:
            state.at[state.turn] += pips
        else:
            state.at[state.turn] += 8 if pips > 3 else 1
        state.falling = state.sprints = False
        state.turn = 1 - state.turn

    def over(game, state):
        return state.at[0] >= game.goal or state.at[1] >= game.goal

    def score(game, state):
        return 1.0 if state.at[0] >= game.goal else -1.0

    def name(game, action):
        return ("step", "sprint", "d1", "d2", "d3", "d4", "d5", "d6")[action]

    def text(game, state):
        return f"{state.at[0]} and {state.at[1]} of {game.goal}"
