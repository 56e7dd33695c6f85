"""Roll-outs: play a position to its end by a simple policy, at random or "win-block".

Win-block wins at once if it can, else blocks a win of the opponent, else plays at random.  The winning
actions of both players are lists that follow every move (`wins_after`); the board is never searched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import CHANCE, LONGEST, dtype, inner, record
from .rng import below

DEEPEST = 1024  # nodes on a path: the tree grows no deeper
SMALL = 1024  # visits for which the logarithm stands in a table


def work_type(game: Any, options: list) -> np.dtype:
    """The record that a search works in: everything but the tree."""
    actions = game.actions()
    position = record(
        [
            ("state", dtype(game)),
            ("plies", np.int64),  # actions since the root
            ("win_count", np.int64, (2,)),
            ("wins", np.int16, (2, actions)),  # winning actions of either player, for heavy roll-outs
        ]
    )
    return record(
        [
            ("now", position),
            ("root", position),
            ("leaf", position),
            ("options", record(options)),
            ("rng", np.uint64),
            ("moves", np.int16, (actions,)),
            ("weights", np.float64, (actions,)),
            ("marks", np.int8, (actions,)),
            ("path", np.int32, (DEEPEST,)),  # nodes from the root
            ("players", np.int8, (DEEPEST,)),  # who moves at each of them
            ("record", np.int16, (LONGEST, 2)),  # player and action of every ply since the root
            ("seen", np.int32, (2, actions)),  # the last simulation in which a player played an action
            ("stamp", np.int32),  # the number of this simulation
            ("logs", np.float64, (SMALL,)),  # sqrt(ln n)
        ]
    )


@inner
def play(game, work, action, heavy, trace):
    """Play one action in the present position."""
    now = work.now
    if trace is not None:
        work.record[now.plies, 0] = game.player(now.state)
        work.record[now.plies, 1] = action
    now.plies += 1
    game.play(now.state, action)
    if heavy is not None:
        for player in range(2):
            count = game.wins_after(now.state, action, player, now.wins[player], now.win_count[player])
            now.win_count[player] = count


@inner
def drawn(game, work):
    """The outcome of a chance event, drawn by its probability."""
    count = game.chance(work.now.state, work.moves, work.weights)
    x = below(work, 2**31) / 2**31
    for i in range(count - 1):
        x -= work.weights[i]
        if x < 0:
            return np.int64(work.moves[i])
    return np.int64(work.moves[count - 1])


@inner
def rollout(game, work, chance, shrinks, heavy, trace):
    """Play the present position to its end; the score for player 0.

    A game that does not end within LONGEST plies counts as drawn.
    """
    now = work.now
    count = 0  # candidates in work.moves; 0 when they have to be listed
    while not game.over(now.state):
        if now.plies == LONGEST:
            return 0.0
        action, i = -1, -1
        if chance is not None:
            if game.player(now.state) == CHANCE:
                action = drawn(game, work)
                count = 0
        if heavy is not None:
            if action < 0:  # win at once, or take a win from the opponent
                owner = game.player(now.state)
                if now.win_count[owner] == 0:
                    owner = 1 - owner
                if now.win_count[owner] > 0:
                    action = np.int64(now.wins[owner, below(work, now.win_count[owner])])
        if action < 0:
            if count == 0:
                count = game.legal(now.state, work.moves)
                if count == 0:
                    return 0.0
            i = below(work, count)
            action = np.int64(work.moves[i])
        if shrinks is not None:  # draw from the list until an action is still legal, and drop the others
            if i < 0 or game.still(now.state, action):
                play(game, work, action, heavy, trace)
            if i >= 0 and not game.still(now.state, action):
                count -= 1
                work.moves[i] = work.moves[count]
        else:
            play(game, work, action, heavy, trace)
            count = 0
    return game.score(now.state)
