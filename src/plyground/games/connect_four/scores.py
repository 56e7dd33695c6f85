"""Exact scores of positions of Connect Four: from the book, where it has them, else by `negamax`."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...jit.first_use import compiling
from ...search.budget import ENDLESS
from ...spec import InputError
from . import negamax
from .book import Book, shipped
from .columns import column, whole, won
from .rules import ConnectFour

SMALLEST = 14  # bits of the number of entries of the smallest table


class Position(NamedTuple):
    """A position that is not over, as the search sees it: see `negamax`."""

    mine: int
    taken: int
    left: int

    @classmethod
    def of(cls, game: ConnectFour, state: Any) -> Position:
        taken = int(state.stones[0] | state.stones[1])
        return cls(int(state.stones[game.player(state)]), taken, game.cols * game.rows - int(state.moves))

    def after(self, game: ConnectFour, col: int) -> Position | int:
        """The position after a stone in this column; the score for who is to move there, if the game is over."""
        stone = self.taken + (1 << col * (game.rows + 1)) & int(column(game, col))
        if won(game, np.int64(self.mine | stone)):
            return -(self.left + 1 >> 1)
        return Position(self.taken ^ self.mine, self.taken | stone, self.left - 1) if self.left > 1 else 0

    @property
    def least(self) -> int:
        """No score of such a position is smaller."""
        return -(self.left // 2)

    @property
    def most(self) -> int:
        """No score of such a position is larger."""
        return self.left + 1 >> 1


def plies(score: int, left: int) -> int:
    """In how many plies the game ends, by the score of a position that is won or lost."""
    return 2 * ((left + 1 >> 1) - score) + 1 if score > 0 else 2 * (left // 2 + score) + 2


class Scores:
    """Finds scores on one board; what the table holds of one position serves the next."""

    def __init__(self, game: ConnectFour, table: np.ndarray, book: Book | None = None) -> None:
        """`table`: as `new_table` makes it; others may use it at the same time."""
        self.game, self.table, self.book = game, table, book
        self.work = workspace(game)
        self.work.tag = negamax.tag_bits(int(self.work.width), table.size)
        self.begin()

    @property
    def nodes(self) -> int:
        """So far, in all searches."""
        return int(self.work.nodes)

    def begin(self, nodes: int = ENDLESS) -> None:
        """Let searches run again, at most for so many nodes from now on."""
        self.work.stop, self.work.limit = False, min(self.nodes + nodes, ENDLESS)

    def halt(self) -> None:
        """End the search that another thread runs, soon."""
        self.work.stop = True

    def within(self, position: Position, low: int, high: int) -> int | None:
        """The score, or the nearer of these two bounds if it lies beyond; None if the search was stopped."""
        least, most = self.known(position)
        low, high = min(max(low, least), high), max(min(high, most), low)
        self.work.low, self.work.top = low, high
        negamax.solve(self.work, self.table, np.int64(position.mine), np.int64(position.taken), np.int64(position.left))
        return int(self.work.low) if self.work.low == self.work.top else None

    def score(self, position: Position) -> int | None:
        """The score; None if the search was stopped."""
        return self.within(position, position.least, position.most)

    def known(self, position: Position) -> tuple[int, int]:
        """Bounds of the score without a search: it is in the book, or one of the positions before it is.

        A player who could have come here has at least as good a score there.
        """
        least, stones = position.least, position.taken.bit_count()
        if self.book is not None and stones <= self.book.stones + 1:
            score = self.book.score(position.mine, position.taken)
            if score is not None:
                return score, score
            for before in predecessors(self.game, position):
                score = self.book.score(before.mine, before.taken)
                if score is not None:
                    least = max(least, -score)
        return least, position.most


def predecessors(game: ConnectFour, position: Position) -> list[Position]:
    """The positions from which one move leads here."""
    theirs, found = position.taken ^ position.mine, []
    for col in range(game.cols):
        stones = position.taken & int(column(game, col))
        top = 1 << stones.bit_length() - 1 if stones else 0
        if top & theirs:
            found.append(Position(theirs ^ top, position.taken ^ top, position.left + 1))
    return found


def workspace(game: ConnectFour) -> Any:
    """A record for the kernel."""
    work: Any = np.zeros(1, negamax.WORKSPACE)[0]
    work.cols, work.high, work.width = game.cols, game.rows + 1, game.cols * (game.rows + 1)
    work.cells = whole(game)
    work.floor = sum(1 << col * (game.rows + 1) for col in range(game.cols))
    work.answered = sum(int(work.floor) << row for row in range(game.rows % 2, game.rows, 2))
    middle_first = sorted(range(game.cols), key=lambda col: abs(2 * col - game.cols + 1))
    work.order[: game.cols] = [column(game, col) for col in middle_first]
    return work


def new_table(game: ConnectFour, memory: float) -> np.ndarray:
    """An empty table of at most so many megabytes, if it can be as small as that."""
    least = max(SMALLEST, game.cols * (game.rows + 1) - negamax.MOST_TAG + 1)
    bits = max(least, math.floor(math.log2(memory * 2**17)))
    try:
        return np.zeros(1 << bits, np.int64)
    except MemoryError:
        raise InputError(f"{memory:g} megabytes for the table cannot be had here; give less memory") from None


def book_for(game: ConnectFour) -> Book | None:
    """The book that came with the program, if it is for this board."""
    return shipped() if game == ConnectFour() else None


def solvable(game: Any) -> bool:
    """Is it four in a row that are wanted?"""
    return isinstance(game, ConnectFour) and game.k == 4


@cache
def prepare() -> None:
    """Compile the kernel."""
    game = ConnectFour(4, 4, 4)
    with compiling(3):
        Scores(game, new_table(game, 0.125)).score(Position(0, 0, 1))
