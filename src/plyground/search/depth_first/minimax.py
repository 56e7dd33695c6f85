"""Minimax: the value of a position when both sides play their best, from the whole tree below it.

A chance event is worth the mean of its outcomes.  Nothing is left out and nothing is remembered; see
`alphabeta` for a search that gives the same values sooner.
"""

from __future__ import annotations

import numpy as np

from ...rules import CHANCE, kernel, recursive
from .stack import DEEPEST, averaged, ended


@recursive
def minimax(game, scoring, work, frames, ply, depth):
    """The value for player 0 of the state in frames[ply], looking at most `depth` plies ahead."""
    frame = frames[ply]
    state = frame.position.state
    work.nodes += 1
    if work.nodes >= work.limit:
        work.stop = True
    frame.open = False
    if game.over(state):
        return ended(game, state, ply)
    if ply >= DEEPEST:  # there is no frame to go on
        frame.open = True
        return 0.0
    player = game.player(state)
    nature, sign = player == CHANCE, 1 - 2 * player
    if work.stop or (depth == 0 and not nature):
        frame.open = True
        return sign * scoring.judge(game, state)
    count = game.chance(state, frame.moves, frame.points) if nature else game.legal(state, frame.moves)
    best, mean, low, high = -np.inf, 0.0, np.inf, -np.inf
    for i in range(count):
        action = np.int64(frame.moves[i])
        frames["position"][ply + 1] = frames["position"][ply]
        game.play(frames[ply + 1].position.state, action)
        value = minimax(game, scoring, work, frames, ply + 1, depth - (not nature))
        frame.open |= frames[ply + 1].open
        if nature:
            mean += frame.points[i] * value
            low, high = min(low, value), max(high, value)
        elif sign * value > best:
            best = sign * value
            frame.best = action
        if work.stop:
            break
    return averaged(mean, low, high) if nature else sign * best


@kernel
def run(game, scoring, works, frames, action, depth):
    """The value of the state in frames[0], or of one action there unless `action` is -1."""
    ply = 0
    if action >= 0:
        ply = 1
        frames["position"][1] = frames["position"][0]
        game.play(frames[1].position.state, action)
    return minimax(game, scoring, works[0], frames, ply, depth)
