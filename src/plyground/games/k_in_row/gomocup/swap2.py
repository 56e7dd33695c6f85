"""The opening swap2: one side puts three stones; the other takes a colour, or puts two more and lets the first choose.

Black moves first, so that after three stones and after five white is to move.  Whoever chooses takes white and
answers with a move, or answers SWAP and has black.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from ..book import book
from .brain import Choice
from .instant import OTHER, OWN, Board, Cell, outlook

EVEN = 0.04  # a value so near to nought that we would rather let the other side choose
FIFTHS = 5  # places that are tried for a fifth stone
OPENINGS = (  # three stones each, as steps from the middle of a board that has no book
    ((-4, -5), (4, 5), (5, -4)),
    ((-5, 1), (-5, -1), (4, 5)),
    ((0, -5), (2, -5), (-4, 4)),
    ((-3, -4), (-4, -3), (4, 1)),
    ((1, 4), (-2, 5), (-5, -2)),
)

Judge = Callable[[Board, float], Choice]  # what whoever is to move thinks, found in this share of our time


def placed(board: Board, cells: list[Cell]) -> Board:
    """The board with these stones, black first; the side to move is called ours."""
    mover = len(cells) % 2
    stones = {cell: OWN if number % 2 == mover else OTHER for number, cell in enumerate(cells)}
    return Board(board.cols, board.rows, board.exact, stones)


def answered(board: Board, cells: list[Cell], judge: Judge) -> str:
    """What to answer to these stones: three stones, SWAP, a move, or two stones more."""
    if not cells:
        known = from_book(board)
        return written(random.choice(known) if known else most_even(board, openings(board), judge, 1.0))
    choice = judge(placed(board, cells), 0.5 if len(cells) == 3 else 1.0)
    value = choice.value or 0.0
    if len(cells) == 3 and choice.value is not None and abs(value) <= EVEN:
        return written(most_even(board, fifths(board, [*cells, choice.cell]), judge, 0.5)[3:])
    return "SWAP" if value < 0 else written([choice.cell])


def fifths(board: Board, cells: list[Cell]) -> list[list[Cell]]:
    """Positions with one black stone more, from where it does much to where it does little."""
    worth = outlook(placed(board, cells), OWN).worth
    ranked = sorted(worth, key=lambda cell: (-worth[cell], cell))
    return [[*cells, cell] for cell in ranked[:: max(1, len(ranked) // FIFTHS)]]


def from_book(board: Board) -> list[list[Cell]]:
    """The openings of three stones of the board's book in which neither side is better off."""
    known = book(board.cols, board.rows, 5, board.exact)
    even = [one for one in known if len(one.moves) == 3 and abs(one.value) <= EVEN]
    return [[(move % board.cols, move // board.cols) for move in one.moves] for one in even]


def openings(board: Board) -> list[list[Cell]]:
    """The openings that fit the board; on a small one, three stones near its middle."""
    x, y = board.middle()
    found = [[(x + dx, y + dy) for dx, dy in opening] for opening in OPENINGS]
    return [cells for cells in found if all(map(board.on, cells))] or [[(x, y), (x - 1, y - 1), (x + 1, y - 2)]]


def most_even(board: Board, positions: list[list[Cell]], judge: Judge, share: float) -> list[Cell]:
    """The position of these in which neither side seems to be better off."""
    share /= len(positions)
    return min(positions, key=lambda cells: abs(judge(placed(board, cells), share).value or 0.0))


def written(cells: list[Cell]) -> str:
    return " ".join(f"{x},{y}" for x, y in cells)
