"""The reference game of Tetris as keys play it: a falling piece, one key or tick at a time.

It is what people play, and what a page has to do move by move.  Left, right, rotate and hard drop before the first
tick bring a piece just where the rules of `tetris` let it be placed; after a tick it can also be pushed under an
overhang, which those do not know.

A key that would move the piece into a cell or a wall does nothing.  A piece that cannot fall any more locks with the
next tick or soft drop, or at once with a hard drop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...rules import blank
from .rules import DROP_POINTS, LINE_POINTS, Tetris, interval, level
from .tetrominoes import cells
from .well import HIDDEN, KICKS, spawn

KEYS = ("left", "right", "rotate", "soft", "hard", "tick")


class Keys:
    """A game in play.  `matrix` holds rows from the top, the hidden ones first: 0 empty, else the colour of a piece."""

    def __init__(self, game: Tetris, pieces: Iterator[int]) -> None:
        """The pieces, 0 to 6, are taken one by one: at first two, then one for every piece that locks."""
        self.game, self.pieces = game, pieces
        self.matrix = [[0] * game.cols for _ in range(game.rows + HIDDEN)]
        self.score = self.lines = self.combo = 0
        self.over = False
        self.piece, self.next = next(pieces), next(pieces)
        self._appear()

    def _appear(self) -> None:
        self.turn, self.row, self.col = 0, 0, spawn(self.game, self.piece)  # of the box

    @property
    def level(self) -> int:
        return level(self.lines)

    @property
    def interval(self) -> float:
        """Seconds between two ticks."""
        return interval(self.lines)

    def cells(self, turn: int, row: int, col: int) -> list[tuple[int, int]]:
        """The cells that the piece takes there."""
        return [(row + r, col + c) for r, c in cells(self.piece, turn % 4)]

    def inside(self, turn: int, row: int, col: int) -> bool:
        """Does the piece keep within the walls and above the floor?"""
        return all(r < len(self.matrix) and 0 <= c < self.game.cols for r, c in self.cells(turn, row, col))

    def free(self, turn: int, row: int, col: int) -> bool:
        """May the piece be there?"""
        taken = self.cells(turn, row, col)
        return self.inside(turn, row, col) and not any(self.matrix[r][c] for r, c in taken)

    def press(self, key: str) -> bool:
        """Press a key, or let a tick pass; did anything change?"""
        if self.over:
            return False
        if key == "rotate":
            return self._turn()
        if key == "hard":
            while self._move(1, 0):
                self.score += DROP_POINTS
            self._lock()
            return True
        if key in ("soft", "tick"):
            if not self._move(1, 0):
                self._lock()
            return True
        return self._move(0, {"left": -1, "right": 1}[key])

    def _move(self, down: int, right: int) -> bool:
        if not self.free(self.turn, self.row + down, self.col + right):
            return False
        self.row, self.col = self.row + down, self.col + right
        return True

    def _turn(self) -> bool:
        """Turn right, moved by the first kick that keeps the piece inside; it turns only if it is free there."""
        turn = self.turn + 1
        for kick in KICKS:
            if self.inside(turn, self.row, self.col + kick):
                if self.free(turn, self.row, self.col + kick):
                    self.turn, self.col = turn % 4, self.col + kick
                    return True
                return False
        return False

    def _lock(self) -> None:
        for row, col in self.cells(self.turn, self.row, self.col):
            self.matrix[row][col] = self.piece + 1
        kept = [row for row in self.matrix if not all(row)]
        lines = len(self.matrix) - len(kept)
        self.matrix = [[0] * self.game.cols for _ in range(lines)] + kept
        self.lines += lines
        self.score += LINE_POINTS * lines**2 * (self.combo + 1)
        self.combo = self.combo + 1 if lines else 0
        self.piece = self.next
        self._appear()
        self.over = not self.free(self.turn, self.row, self.col)
        self.next = -1 if self.over else next(self.pieces)

    def state(self) -> Any:
        """The same position as `tetris` has it before the piece moves; what is left of the bag is not known."""
        state = blank(self.game)
        for col in range(self.game.cols):
            state.columns[col] = sum((row[col] > 0) << number for number, row in enumerate(reversed(self.matrix)))
        state.score, state.lines, state.combo, state.lost = self.score, self.lines, self.combo, self.over
        state.piece, state.next = self.piece + 1, self.next + 1
        return state
