"""Line patterns: the stones within `reach` cells of a cell along one line, as numbers.

Each cell has four lines through it, and on each of them a pattern: the cell itself and those up to `reach` before and
after it, as far as the board goes.  A cell is EMPTY, MINE or THEIRS, a digit of base three, the first cell of the
pattern lowest; patterns with `before` cells on one side and `after` on the other begin at `starts[before, after]`.  So
a pattern knows how near the edges are, and a stone that is put or taken changes the numbers of those that see it by
a digit times a power of three.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

EMPTY, MINE, THEIRS, WALL = range(4)  # WALL: beyond the edge, in `all_patterns` alone
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns from a cell to the next: row, column, both diagonals
LARGEST_REACH = 5  # 397,488 patterns


def reach_of(k: int) -> int:
    """How far patterns see on either side where k in a row win: one cell further than such a row goes."""
    return min(k, LARGEST_REACH)


@cache
def starts(reach: int) -> tuple[np.ndarray, int]:
    """int32[before, after]: the first number of the patterns with so many cells on either side; how many there are."""
    sides = range(reach + 1)
    sizes = np.array([[3 ** (before + 1 + after) for after in sides] for before in sides])
    ends = sizes.cumsum().reshape(sizes.shape)
    return (ends - sizes).astype(np.int32), int(sizes.sum())


@cache
def all_patterns(reach: int) -> tuple[np.ndarray, np.ndarray]:
    """uint8[patterns, 2 * reach + 1], the cells of every pattern; int32[patterns], the number of its mirror image."""
    first, number = starts(reach)
    cells = np.full((number, 2 * reach + 1), WALL, np.uint8)
    mirrored = np.zeros(number, np.int32)
    for before in range(reach + 1):
        for after in range(reach + 1):
            size = before + 1 + after
            numbers = np.arange(3**size, dtype=np.int32)
            here = slice(first[before, after], first[before, after] + 3**size)
            mirrored[here] = first[after, before]
            for place in range(size):
                digit = numbers // 3**place % 3
                cells[here, reach - before + place] = digit
                mirrored[here] += digit * 3 ** (size - 1 - place)
    return cells, mirrored


class Lines(NamedTuple):
    """The lines of a board of so many rows and columns; cells are counted row by row."""

    steps: np.ndarray  # int32[4]: from a cell to the next one of a line
    before: np.ndarray  # int8[cells, 4]: how many cells of a pattern there are on either side
    after: np.ndarray
    empty: np.ndarray  # int32[cells, 4]: the numbers of the patterns of an empty board


@cache
def lines_of(rows: int, columns: int, reach: int) -> Lines:
    y, x = np.divmod(np.arange(rows * columns), columns)

    def room(down: int, right: int) -> np.ndarray:
        """How far it is to the edge, at most `reach`."""
        vertical = {-1: y, 0: y * 0 + reach, 1: rows - 1 - y}[down]
        horizontal = {-1: x, 0: x * 0 + reach, 1: columns - 1 - x}[right]
        return np.minimum(reach, np.minimum(vertical, horizontal))

    steps = np.array([down * columns + right for down, right in DIRECTIONS], np.int32)
    before = np.stack([room(-down, -right) for down, right in DIRECTIONS], 1).astype(np.int8)
    after = np.stack([room(down, right) for down, right in DIRECTIONS], 1).astype(np.int8)
    return Lines(steps, before, after, np.ascontiguousarray(starts(reach)[0][before, after]))


def framed(rows: int, columns: int, span: int) -> tuple[np.ndarray, int, int]:
    """A board in a frame of `span` cells: where each of its cells is, from one row to the next, and cells in all."""
    y, x = np.divmod(np.arange(rows * columns), columns)
    row = columns + span  # what is right of a row is also left of the next one
    return ((y + span) * row + span + x).astype(np.int32), row, (rows + 2 * span) * row + 2 * span


@cache
def stars(rows: int, columns: int, span: int) -> tuple[np.ndarray, np.ndarray]:
    """int16[cells, 8 * span + 1], the cells on the lines through a cell, at most `span` away, -1 after the last.

    int8 beside them, which weight each has: 0 the cell itself, 2 d - 1 and 2 d those d away straight and diagonally.
    """
    found = np.full((rows * columns, 8 * span + 1), -1, np.int16)
    weights = np.zeros(found.shape, np.int8)
    for cell in range(rows * columns):
        y, x = divmod(cell, columns)
        reached = [(cell, 0)]
        for down, right in DIRECTIONS:
            for away in (*range(-span, 0), *range(1, span + 1)):
                row, column = y + away * down, x + away * right
                if 0 <= row < rows and 0 <= column < columns:
                    reached.append((row * columns + column, 2 * abs(away) - (not (down and right))))
        for place, (other, weight) in enumerate(reached):
            found[cell, place], weights[cell, place] = other, weight
    return found, weights


@cache
def thirds(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """int8[cells]: which of the nine parts of the board a cell is in; float32[9]: one by the number of its cells."""
    y, x = np.divmod(np.arange(rows * columns), columns)

    def third(at: np.ndarray, number: int) -> np.ndarray:
        """0, 1 or 2; both ends are of one size, so that mirror images have the same parts."""
        end = (number + 1) // 3
        return 1 - (at < end) + (at >= number - end)

    part = (3 * third(y, rows) + third(x, columns)).astype(np.int8)
    sizes = np.bincount(part, minlength=9)
    return part, np.where(sizes > 0, 1 / np.maximum(sizes, 1), 0).astype(np.float32)
