"""Minimax: the value of a position when both sides play their best, from the whole tree below it.

A chance event is worth the mean of its outcomes.  Nothing is left out and nothing is remembered; see
`alphabeta` for a search that gives the same values sooner.  It stands alone so that there is a search without any
window to compare that one with.
"""

from __future__ import annotations

import numpy as np

from ...rules import CHANCE, kernel, recursive
from .stack import DEEPEST, advance, averaged, ended, enter


@recursive
def minimax(context, workspace, ply, depth):
    """The value for player 0 of the state in stack[ply], looking at most `depth` plies ahead."""
    game, frame = context.game, workspace.stack[ply]
    state = frame.position.state
    enter(workspace, frame)
    if game.over(state):
        return ended(game, state, ply)
    if ply >= DEEPEST:  # there is no frame to go on
        frame.open = True
        return 0.0
    player = game.player(state)
    nature, sign = player == CHANCE, 1 - 2 * player
    if workspace.stop or (depth == 0 and not nature):
        frame.open = True
        return sign * context.scoring.judge(game, state)
    count = game.chance(state, frame.moves, frame.points) if nature else game.legal(state, frame.moves)
    best, mean, low, high = -np.inf, 0.0, np.inf, -np.inf
    for i in range(count):
        action = np.int64(frame.moves[i])
        advance(game, workspace.stack, ply, action)
        value = minimax(context, workspace, ply + 1, depth - (not nature))
        frame.open |= workspace.stack[ply + 1].open
        if nature:
            mean += frame.points[i] * value
            low, high = min(low, value), max(high, value)
        elif sign * value > best:
            best = sign * value
            frame.best = action
        if workspace.stop:
            break
    return averaged(mean, low, high) if nature else sign * best


@kernel
def run(context, workspaces, action, depth):
    """The value of the state in stack[0], or of one action there unless `action` is -1.

    context: a `Context`; workspaces workspace_type[1]; depth: plies.
    """
    ply = np.int64(0)
    if action >= 0:
        advance(context.game, workspaces[0].stack, ply, action)
        ply += 1
    return minimax(context, workspaces[0], ply, depth)
