"""What a stone on an empty cell makes of one line through it: nothing, a two, a three, a four, five.

The names are those of Gomoku, where k is 5.  A line is seen `reach` cells far on both sides: as far as a row of k goes
that this stone is part of (one more where longer rows do not win).  What a line is follows from the rules alone: a
*five* wins, a *four* needs one more stone and an *open four* can get it on two cells, an *open three* can become an
open four, and so on down.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

NOTHING, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(9)
BEFORE = {OPEN_FOUR: OPEN_THREE, FOUR: THREE, OPEN_THREE: OPEN_TWO, THREE: TWO, OPEN_TWO: ONE, TWO: ONE, ONE: ONE}
EMPTY, MINE, SHUT = range(3)  # a cell of a line, for one player: SHUT is the other's stone or beyond the edge

# what a stone makes of its four lines together
QUIET, SOME, THREES, TWO_THREES, FOURS, FOUR_THREE, WON, WINS = range(8)
"""A two at most; a closed three or an open two; an open three; two of them; a four; a four and an open three; an open
four or two fours, which win unless the other wins at once; five."""

WEIGHTS = (0, 1, 2, 8, 9, 40, 45, 200, 400)  # of what a stone would make, in the value of a position and of a move


def reach(k: int, exact: bool) -> int:
    """How many cells of a line matter on either side of a stone."""
    return k - 1 + exact


@cache
def by_key(k: int, exact: bool) -> np.ndarray:
    """int8[player, key]: what a stone of the player makes of a line.

    A key has two bits for each of the `2 * reach` other cells, the first cell of the line lowest: 0 empty, 1 and 2 the
    players' stones, 3 beyond the edge.
    """
    cells = 2 * reach(k, exact)
    keys = np.arange(4**cells)
    made = of_lines(k, exact)
    tables = []
    for player in range(2):
        seen = np.array([EMPTY, SHUT, SHUT, SHUT])
        seen[1 + player] = MINE
        number = sum(seen[keys >> 2 * i & 3] * 3**i for i in range(cells))
        tables.append(made[number])
    return np.array(tables, np.int8)


@cache
def of_lines(k: int, exact: bool) -> np.ndarray:
    """int8[3 ** (2 * reach)]: what a stone makes of every line, as a number with a digit for each other cell."""
    side = reach(k, exact)
    cells = 2 * side
    powers = 3 ** np.arange(cells)
    numbers = np.arange(3**cells)
    digits = numbers[:, None] // powers % 3
    lines = np.insert(digits, side, MINE, axis=1)  # with the stone itself
    made = np.where(_five(lines, k, exact), FIVE, NOTHING)
    more = [np.where(digits[:, i] == EMPTY, numbers + MINE * powers[i], -1) for i in range(cells)]

    def ways(what: int) -> np.ndarray:
        """How many next stones in this line make it so."""
        return sum((next_one >= 0) & (made[next_one] == what) for next_one in more)  # type: ignore[return-value]

    fives = ways(FIVE)
    made = np.where(made == FIVE, FIVE, np.where(fives >= 2, OPEN_FOUR, np.where(fives == 1, FOUR, NOTHING)))
    for what, before in BEFORE.items():  # the best first
        made = np.where((made == NOTHING) & (ways(what) > 0), before, made)
    return made.astype(np.int8)


def _five(lines: np.ndarray, k: int, exact: bool) -> np.ndarray:
    """Does a row of k (of exactly k) run through the middle?"""
    mine = lines == MINE
    middle, found = lines.shape[1] // 2, np.zeros(len(lines), bool)
    for start in range(middle - k + 1, middle + 1):
        row = mine[:, start : start + k].all(axis=1)
        if exact:
            row &= ~mine[:, start - 1] & ~mine[:, start + k]
        found |= row
    return found


@cache
def by_lines() -> tuple[np.ndarray, np.ndarray]:
    """Rank int8[code] and points int16[code] of a stone; a code is what it makes of four lines, four bits each."""
    codes = np.arange(2**16)
    lines = np.array([codes >> 4 * i & 15 for i in range(4)])
    fours, threes = (lines == FOUR).sum(axis=0), (lines == OPEN_THREE).sum(axis=0)
    some = np.isin(lines, (OPEN_TWO, THREE)).any(axis=0)
    cases: list[tuple[Any, int]] = [
        ((lines == FIVE).any(axis=0), WINS),
        ((lines == OPEN_FOUR).any(axis=0) | (fours >= 2), WON),
        ((fours == 1) & (threes >= 1), FOUR_THREE),
        (fours == 1, FOURS),
        (threes >= 2, TWO_THREES),
        (threes == 1, THREES),
        (some, SOME),
    ]
    rank = np.select([case for case, _ in cases], [name for _, name in cases], QUIET).astype(np.int8)
    points = np.array([*WEIGHTS, *[0] * 7])[lines].sum(axis=0).astype(np.int16)
    return rank, points
