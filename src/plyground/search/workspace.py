"""The workspace: a record of everything a search keeps but its tree.

The kernel gets it as one record, since compiled code passes a record as one pointer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import LONGEST, dtype, record

DEEPEST = 1024  # nodes on a path: the tree grows no deeper
SMALL = 1024  # visits for which the logarithm stands in a table


def position_type(game: Any, heavy: bool = True) -> np.dtype:
    """A state on the way, with what heavy roll-outs and threats need; other roll-outs do without its `wins`."""
    return record(
        [
            ("state", dtype(game)),
            ("plies", np.int64),  # actions since the root
            ("win_count", np.int64, (2,)),
            ("wins", np.int16, (2, game.actions() if heavy else 1)),  # winning actions of either player
        ]
    )


def workspace_type(game: Any, options: list) -> np.dtype:
    """The record that a search works in: everything but the tree."""
    actions = game.actions()
    position = position_type(game)
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
            ("played", np.int64),  # actions played in all simulations
            ("lowest", np.float64),  # results seen since the search began at this root, in a game of one player
            ("highest", np.float64),
            ("logs", np.float64, (SMALL,)),  # sqrt(ln n)
        ]
    )


def near_type(game: Any, options: list, heavy: bool, chance: bool) -> np.dtype:
    """The fields of a workspace that UCT meets with every move, and no more, for a memory that is fast and small."""
    actions = game.actions()
    return record(
        [
            ("now", position_type(game, heavy)),
            ("options", record(options)),
            ("rng", np.uint64),
            ("moves", listed_type(actions), (actions,)),
            ("weights", np.float64, (actions if chance else 1,)),
            ("played", np.int64),
        ]
    )


def trail_type(game: Any, heavy: bool) -> np.dtype:
    """The fields of a workspace that UCT meets a few times in a simulation."""
    position = position_type(game, heavy)
    path = [("path", np.int32, (DEEPEST,)), ("players", np.int8, (DEEPEST,))]
    return record([("root", position), ("leaf", position), *path, ("marks", np.int8, (game.actions(),))])


def listed_type(actions: int) -> Any:
    """The smallest numbers that name so many actions."""
    return next(kind for kind in (np.uint8, np.int16, np.int32) if actions - 1 <= np.iinfo(kind).max)
