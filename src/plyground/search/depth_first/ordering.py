"""The order in which alpha-beta looks at moves: the better the first, the more is cut off.

The best move of the transposition table first, then by what the scoring says that a move promises, then killers
(moves that refuted a sibling), then history (moves that refuted anything, the more the deeper).  Where patterns
promise something they go first: with killers before them, the proof that 5,5,4 is no win took 28 million nodes, not
0.7.
"""

from __future__ import annotations

import numpy as np

from ...rules import inner

FROM_TABLE, KILLER, PROMISE = 1e18, 1e9, 1e10  # points of a move; history stays below


@inner
def rate(order, context, workspace, frame, player, count):
    """Write the points of a position's moves beside them."""
    if order is not None:
        for i in range(count):
            action = np.int64(frame.moves[i])
            promise = context.scoring.promise(context.game, frame.position.state, action)
            points = workspace.history[player, action] + PROMISE * promise
            if action == frame.best:
                points = FROM_TABLE
            elif action == frame.killers[0] or action == frame.killers[1]:
                points += KILLER
            frame.points[i] = points


@inner
def pick(order, moves, points, i, count):
    """The move number i; if moves are ordered, the one of most points among moves[i:count], which is brought there."""
    if order is not None:
        top = i
        for j in range(i + 1, count):
            if points[j] > points[top]:
                top = j
        moves[i], moves[top] = moves[top], moves[i]
        points[i], points[top] = points[top], points[i]
    return np.int64(moves[i])


@inner
def credit(order, workspace, frame, player, action, depth):
    """A move has refuted what came before it: it is tried early from now on."""
    if order is not None:
        if frame.killers[0] != action:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = action
        workspace.history[player, action] += depth * depth
