"""Slow, obvious twins of the threat searches: lines as strings, windows counted one by one, nothing kept up to date."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from plyground import rules
from plyground.games.k_in_row.tactics.patterns import (
    FIVE,
    FOUR,
    NOTHING,
    ONE,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    THREE,
    TWO,
)

Cells = frozenset[int]
LINES = (0, 1), (1, 0), (1, 1), (1, -1)  # rows down, columns to the right
LESS = {  # what a line is that one more stone can make this
    OPEN_FOUR: OPEN_THREE,
    FOUR: THREE,
    OPEN_THREE: OPEN_TWO,
    THREE: TWO,
    OPEN_TWO: ONE,
    TWO: ONE,
    ONE: ONE,
    NOTHING: NOTHING,
}


@cache
def made(line: str, at: int, k: int, exact: bool) -> int:
    """What the stone `x` at this place makes of a line of `.`, `x` and anything else, which is in its way."""
    if wins(line, at, k, exact):
        return FIVE
    near = [i for i in range(max(at - k + 1, 0), min(at + k, len(line))) if line[i] == "."]
    more = [line[:i] + "x" + line[i + 1 :] for i in near]
    fives = sum(wins(other, at, k, exact) for other in more)
    if fives:
        return OPEN_FOUR if fives > 1 else FOUR
    return max((LESS[made(other, at, k, exact)] for other in more), default=NOTHING)


def wins(line: str, at: int, k: int, exact: bool) -> bool:
    """Does the stone at this place stand in a row of k?"""
    length = len(line[:at]) - len(line[:at].rstrip("x")) + len(line[at:]) - len(line[at:].lstrip("x"))
    return length == k if exact else length >= k


def random_position(game: Any, rng: np.random.Generator, stones: int, close: float = 0.7) -> Any:
    """A position with so many stones in which nobody has won, though some might have; own stones often lie close."""
    state = rules.new(game)
    while state.stones < stones:
        free, me = rules.legal(game, state), int(game.player(state))
        own = np.argwhere(state.cells.reshape(game.n, game.m) == me + 1)
        near = [a for a in free if (abs(own - divmod(a, game.m)).max(axis=1) == 1).any()]
        later = rules.after(game, state, int(rng.choice(near if near and rng.random() < close else free)))
        if not game.over(later):
            state = later
        elif rng.random() < 0.1:
            state = rules.new(game)
    return state


def sides(state: Any, player: int) -> tuple[Cells, Cells]:
    """The stones of a player, and those of the other."""
    own, foe = (frozenset(np.flatnonzero(state.cells == 1 + who).tolist()) for who in (player, 1 - player))
    return own, foe


class Naive:
    """A board of m columns and n rows, k in a row win (exactly k, if exact); a cell is its action."""

    def __init__(self, m: int, n: int, k: int, exact: bool = False) -> None:
        self.m, self.n, self.k, self.exact = m, n, k, exact
        self.windows = list(self._windows())

    def _windows(self) -> Iterator[tuple[Cells, Cells]]:
        """All k cells in a row, with those next to their ends."""
        for (row, col), (down, right) in product(product(range(self.n), range(self.m)), LINES):
            places = [(row + i * down, col + i * right) for i in range(-1, self.k + 1)]
            inside = [self.m * r + c if 0 <= r < self.n and 0 <= c < self.m else -1 for r, c in places]
            if -1 not in inside[1:-1]:
                yield frozenset(inside[1:-1]), frozenset({inside[0], inside[-1]} - {-1})

    def line(self, own: Cells, foe: Cells, cell: int, step: tuple[int, int]) -> tuple[str, int]:
        """The whole line through a cell with a stone of one's own on it, and the place of that stone."""
        row, col = divmod(cell, self.m)
        back = 0
        while row >= step[0] * (back + 1) and 0 <= col - step[1] * (back + 1) < self.m:
            back += 1
        row, col, found = row - back * step[0], col - back * step[1], ""
        while row < self.n and 0 <= col < self.m:
            at = row * self.m + col
            found += "x" if at in own or at == cell else "o" if at in foe else "."
            row, col = row + step[0], col + step[1]
        return found, back

    def made(self, own: Cells, foe: Cells, cell: int) -> list[int]:
        """What a stone makes of its four lines."""
        return [made(*self.line(own, foe, cell, step), self.k, self.exact) for step in LINES]

    def missing(self, own: Cells, foe: Cells, stones: int) -> list[Cells]:
        """What is missing of every row that this many more stones complete."""
        return [
            cells - own
            for cells, ends in self.windows
            if len(cells - own) == stones and not cells & foe and not (self.exact and ends & own)
        ]

    def winning(self, own: Cells, foe: Cells) -> Cells:
        """The cells on which a stone makes k in a row."""
        return frozenset().union(*self.missing(own, foe, 1))

    def fours(self, own: Cells, foe: Cells, seen: dict[tuple[Cells, Cells], bool] | None = None) -> bool:
        """Does who is to move win by continuous fours?"""
        seen = {} if seen is None else seen
        if (own, foe) not in seen:
            seen[own, foe] = self._fours(own, foe, seen)
        return seen[own, foe]

    def _fours(self, own: Cells, foe: Cells, seen: dict[tuple[Cells, Cells], bool]) -> bool:
        if self.winning(own, foe):
            return True
        must = self.winning(foe, own)
        for cell in frozenset().union(*self.missing(own, foe, 2)):
            if must and must != {cell}:
                continue
            now = own | {cell}
            threats = self.winning(now, foe)
            if len(threats) > 1 or (len(threats) == 1 and self.fours(now, foe | threats, seen)):
                return True
        return False
