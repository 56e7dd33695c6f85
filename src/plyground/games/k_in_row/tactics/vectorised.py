"""Loops of `board` and `fours` by NumPy, for where the compiler is switched off: the same numbers, a tenth of the time.

Each is the twin of the function of its name; see `jit.interpreted`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .patterns import FOUR, FOURS, WINS

EMPTY = 0  # a cell, as `board` has it


@cache
def others(reach: int, stride: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells that see a cell: how far off they are, on which line, and where in their key its bits stand."""
    steps = np.array([1, stride, stride + 1, stride - 1])  # as in `board.new`
    away = np.array([i for i in range(-reach, reach + 1) if i])
    shifts = 2 * (reach - away - (away < 0))
    return np.outer(steps, away).ravel(), np.repeat(np.arange(4), away.size), np.tile(shifts, 4)


def change(board: Any, tables: Any, cell: int, stone: int) -> None:
    """See `board.change`: no cell sees another on two lines, so that all can be changed at once."""
    offsets, lines, shifts = others(int(board.reach), int(board.stride))
    at = cell + offsets
    free = np.flatnonzero(board.cells[at] == EMPTY)
    at, lines, shifts = at[free], lines[free], shifts[free]
    keys = board.keys[at, lines] + (int(stone) << shifts)
    board.keys[at, lines] = keys
    old, now = board.codes[:, at].astype(np.int64), tables.made[:, keys].astype(np.int64) << 4 * lines
    player, i = np.nonzero(now != old & 15 << 4 * lines)
    at, lines, old, now = at[i], lines[i], old[player, i], now[player, i]
    code = old & ~(15 << 4 * lines) | now
    board.codes[player, at] = code
    np.add.at(board.points, player, tables.points[code].astype(np.int64) - tables.points[old])
    before, after = board.rank[player, at], tables.rank[code]
    board.rank[player, at] = after
    np.subtract.at(board.count, (player, before), 1)
    np.add.at(board.count, (player, after), 1)
    np.add.at(board.hot, (player, tables.row[at]), (after >= FOURS) * 1 - (before >= FOURS))


def first_of(board: Any, start: int, found: Any) -> int:
    """The first empty cell of those from `start` on that were found; 0, a wall, if there is none."""
    found &= board.cells[start : start + found.size] == EMPTY
    at = int(found.argmax()) if found.size else 0
    return start + at if found.size and found[at] else 0


def next_hot(board: Any, player: int, cell: int) -> int:
    """See `board.next_hot`."""
    start = int(cell) + 1 if cell else int(board.first)
    return first_of(board, start, board.rank[player, start : board.end] >= FOURS)


def next_ranked(board: Any, player: int, rank: int, cell: int) -> int:
    """See `board.next_ranked`."""
    start = int(cell) + 1 if cell else int(board.first)
    return first_of(board, start, board.rank[player, start : board.end] == rank)


def answer(board: Any, player: int, cell: int, after: int) -> int:
    """See `fours.answer`."""
    offsets, lines, _ = others(int(board.reach), int(board.stride))
    at = cell + offsets[int(board.codes[player, cell]) >> 4 * lines & 15 >= FOUR]
    at = at[(board.rank[player, at] == WINS) & (board.cells[at] == EMPTY) & (at > after)]
    return int(at.min()) if at.size else 0
