"""The opening books of five in a row: positions of a few stones that a long search by the net calls balanced.

A line of a book is the moves to a position, and what a search found it worth to whoever moves: `h8 c3 l12 # +0.013`.
A position and its images, turned or mirrored, are one.  Matches with balanced
openings and the engine's swap2 take theirs from the book of their board.  `book_making` makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # an engine answers before these are imported
    import numpy as np

    from .rules import MNK

FOLDER = Path(__file__).with_name("books")
FIRST = ord("a")


class Opening(NamedTuple):
    """A position, and its value for whoever is to move."""

    moves: tuple[int, ...]  # cells, row by row from the top left
    value: float


def file_of(cols: int, rows: int, k: int, exact: bool) -> Path:
    """Where the book of this board is, or would be."""
    return FOLDER / f"{cols}x{rows}x{k}{'-exactly' if exact else ''}.txt"


@cache
def book(cols: int, rows: int, k: int, exact: bool) -> tuple[Opening, ...]:
    """The book of this board; nothing if it has none."""
    file = file_of(cols, rows, k, exact)
    lines = file.read_text().splitlines() if file.exists() else []
    return tuple(_read(cols, rows, line) for line in lines)


def _read(cols: int, rows: int, line: str) -> Opening:
    names, _, value = line.partition("#")
    cells = ((rows - int(name[1:])) * cols + ord(name[0]) - FIRST for name in names.split())
    return Opening(tuple(cells), float(value))


def images(game: MNK, moves: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The same moves on every image of the board."""
    return (tuple(int(to[move]) for move in moves) for to, _ in game.symmetries())


def openings(game: MNK, stones: int, bound: float, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """The openings of the book with so many stones and a value nearer to 0, in random order, each an image of it."""
    known = [one for one in book(game.m, game.n, game.k, game.exact) if len(one.moves) == stones]
    balanced = [list(images(game, one.moves)) for one in known if abs(one.value) < bound]
    return [balanced[i][int(rng.integers(len(balanced[i])))] for i in rng.permutation(len(balanced))]
