"""Perft: how many lines of so many moves there are, the number by which programs compare their rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit.first_use import first_use
from ..rules import CHANCE, dtype, kernel

SOME = 1_000_000  # moves between two chances to interrupt


@kernel
def count_lines(game, states, actions, weights, counts, nexts, level, most):
    """Go on for so many moves at most; return where that leads, -1 for the end, and how many lines were found.

    states (depth,), from the first one down to here; actions int32[depth, actions], what may be played there, outcomes
    of chance as well as moves: `counts` int64[depth] of them, -1 where that is not known yet, of which `nexts`
    int64[depth] were played.  weights float64[actions].

    level: of the position to go on with, counted from 0; most: moves.
    """
    last, found = states.size - 1, 0
    while level >= 0 and most > 0:
        state = states[level]
        if counts[level] < 0:
            nexts[level] = counts[level] = 0
            if not game.over(state):
                if game.player(state) == CHANCE:
                    counts[level] = game.chance(state, actions[level], weights)
                else:
                    counts[level] = game.legal(state, actions[level])
        if level == last:  # each of them ends a line
            found += counts[level]
            level -= 1
        elif nexts[level] < counts[level]:
            states[level + 1] = states[level]
            game.play(states[level + 1], actions[level, nexts[level]])
            nexts[level] += 1
            level += 1
            counts[level] = -1
            most -= 1
        else:
            level -= 1
    return level, found


def perft(game: Any, state: Any, depth: int) -> int:
    """How many lines of so many moves begin in a state; a game that is over before is none of them."""
    if depth == 0:
        return 1
    states, (counts, nexts) = np.zeros(depth, dtype(game)), np.zeros((2, depth), np.int64)
    states[0], counts[0] = state, -1
    actions, weights = np.zeros((depth, game.actions()), np.int32), np.zeros(game.actions())
    with first_use(level=3):  # no move
        count_lines(game, states, actions, weights, counts, nexts, 0, 0)
    level = total = 0
    while level >= 0:
        level, found = count_lines(game, states, actions, weights, counts, nexts, level, SOME)
        total += int(found)
    return total
