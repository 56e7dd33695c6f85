"""Moves after which a player could win at once in more than one way: what an open three threatens."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import patterns
from .patterns import WON

WALL = 3
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns from cell to cell of a line
LONGEST = 5  # rows for which all lines are written down in a moment


def double_threats(game: Any, state: Any, player: int) -> list[int]:
    """The free cells on which a stone of the player makes an open four or two fours, but no five; none of long rows."""
    if game.k > LONGEST:
        return []
    reach = patterns.reach(game.k, bool(game.exact))
    board = np.pad(np.reshape(state.cells, (game.n, game.m)), reach, constant_values=WALL).astype(np.int64)
    made, (rank, _) = patterns.by_key(game.k, bool(game.exact))[player], patterns.by_lines()
    rows, cols = np.nonzero(board == 0)
    codes = np.zeros(len(rows), np.int64)
    for line, (down, right) in enumerate(WAYS):
        keys = np.zeros(len(rows), np.int64)
        for place, step in enumerate(step for step in range(-reach, reach + 1) if step):
            keys |= board[rows + step * down, cols + step * right] << 2 * place
        codes |= made[keys].astype(np.int64) << 4 * line
    found = (rows - reach) * game.m + cols - reach
    return found[rank[codes] == WON].tolist()
