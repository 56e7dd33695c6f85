"""What the games of stones on a rectangular board share: reading diagrams, rows of stones, symmetries.

Cells are numbered row by row from the top left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..rules import legal, new

STONES = ".XO"  # an empty cell, player 0, player 1
NOBODY, DRAW = 0, 3  # who has won: 1 is player 0, 2 is player 1
WAYS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # to the neighbours: down, right


def rim(board: Any, side: int, sign: int) -> None:
    """Put a sign all around a square board, which is kept as one row of cells."""
    for i in range(side):
        board[i] = board[side * (side - 1) + i] = board[side * i] = board[side * i + side - 1] = sign


def group(board: Any, side: int, cell: int) -> int:
    """How many equal stones hang together with this one, straight or askew; a square board kept as one row of cells."""
    count, found = 1, 1
    seen, waiting = np.zeros(side * side, np.int8), np.empty(side * side, np.int16)
    seen[cell], waiting[0] = 1, cell
    while count > 0:
        count -= 1
        row, col = waiting[count] // side, waiting[count] % side
        for r in range(max(0, row - 1), min(side, row + 2)):
            for c in range(max(0, col - 1), min(side, col + 2)):
                near = r * side + c
                if board[near] == board[cell] and seen[near] == 0:
                    seen[near], waiting[count] = 1, near
                    count += 1
                    found += 1
    return found


def was_there(past, first, last, key):
    """Is a key among those of the past, from the first of these numbers up to the last?"""
    for i in range(first, last):
        if past[i] == key:
            return True
    return False


def check_row(k: int, cols: int, rows: int) -> None:
    """ValueError unless k in a row fit the board."""
    if not 1 <= k <= max(cols, rows):
        raise ValueError(f"k is 1 to {max(cols, rows)} on a board of {cols} x {rows}, not {k}")


def drawn(diagram: str, rows: int, cols: int) -> tuple[np.ndarray, str]:
    """The cells of a diagram, and the sign of the player to move, "" if it is left out."""
    return lettered(diagram.upper(), rows, cols, STONES)


def lettered(diagram: str, rows: int, cols: int, letters: Sequence[str], between: str = "") -> tuple[np.ndarray, str]:
    """The cells of a diagram, each by the place of its letter among these, and what is told after them.

    Instead of letters there may be words, with a sign between those of a row.
    """
    board, _, rest = diagram.strip().partition(" ")
    lines = [line.split(between) if between else list(line) for line in board.split("/")]
    if len(lines) != rows or any(len(line) != cols for line in lines):
        told = f"{rows} rows of {cols} cells{f' with {between} between them' if between else ''}"
        raise ValueError(f"a diagram of this board has {told}, with / between the rows")
    strange = sorted({word for line in lines for word in line} - set(letters))
    if strange:
        known = ", ".join(map(repr, letters[:-1]))
        raise ValueError(f"a diagram is written with {known} and {letters[-1]!r}, not {strange[0]!r}")
    return np.array([[letters.index(word) for word in line] for line in lines], np.int8), rest.strip()


def beyond(game: Any, cell: int, down: int, right: int) -> int:
    """The cell so many rows below another, and so many columns to the right; -1 if that is off the board."""
    board = game.board()
    row, col = cell // board["cols"] + down, cell % board["cols"] + right
    return row * board["cols"] + col if 0 <= row < board["rows"] and 0 <= col < board["cols"] else -1


def in_rows(cells: Sequence[str], cols: int, between: str = "") -> str:
    """Texts of cells as a diagram: a / between the rows."""
    return "/".join(between.join(cells[at : at + cols]) for at in range(0, len(cells), cols))


def turn(mover: str) -> int:
    """Who moves, by the sign in a diagram: the first player if it is left out."""
    if mover not in ("", "X", "O"):
        raise ValueError(f"X or O moves, not {mover!r}")
    return int(mover == "O")


def parse(diagram: str, rows: int, cols: int) -> np.ndarray:
    """The cells of a diagram whose stones fit the player to move (who may be left out)."""
    cells, mover = drawn(diagram, rows, cols)
    x, o = (cells == 1).sum(), (cells == 2).sum()
    if not 0 <= x - o <= 1:
        raise ValueError(f"{x} X and {o} O: X moves first, so there are as many X as O or one more")
    if mover not in ("", STONES[1 + x - o]):
        raise ValueError(f"with {x} X and {o} O it is {STONES[1 + x - o]}'s turn, not {mover!r}")
    return cells


def bits(cells: np.ndarray, stone: int) -> list[int]:
    """The stones of a player: the bits of a number for each row, column by column."""
    return [sum(1 << col for col in np.flatnonzero(row == stone).tolist()) for row in cells]


def cells_of(bits: np.ndarray, cols: int) -> list[int]:
    """What lies on each cell, by the rows of both players as bits: (2, rows)."""
    both = zip(*bits.tolist(), strict=True)
    return [(mine >> col & 1) + 2 * (other >> col & 1) for mine, other in both for col in range(cols)]


def runs(board: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    """Every longest run of equal stones along a row, column or diagonal: the stone, and the cells of the run."""
    rows, cols = board.shape

    def stone(row: int, col: int) -> int:
        return int(board[row, col]) if 0 <= row < rows and 0 <= col < cols else NOBODY

    for row, col in zip(*(axis.tolist() for axis in np.nonzero(board)), strict=True):
        own = stone(row, col)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if stone(row - down, col - right) != own:
                length = 1
                while stone(row + length * down, col + length * right) == own:
                    length += 1
                yield own, [(row + i * down) * cols + col + i * right for i in range(length)]


def row(game: Any, state: Any) -> list[int]:
    """The cells that stand in a row of at least k equal stones."""
    board = np.reshape(game.cells(state), (game.board()["rows"], game.board()["cols"]))
    return sorted({cell for _, cells in runs(board) if len(cells) >= game.k for cell in cells})


def winner(board: np.ndarray, loose: Iterable[tuple[int, ...]], k: int, exact: bool = False) -> int:
    """Who has won on a board: NOBODY yet, 1 or 2, or DRAW; ValueError if no game leads there.

    k in a row win, or exactly k; `loose` gives the cells on which the last stone may lie.
    """

    def won(board: np.ndarray, stone: int) -> bool:
        lengths = [len(cells) for own, cells in runs(board) if own == stone]
        return k in lengths if exact else max(lengths, default=0) >= k

    last = 2 - int(np.count_nonzero(board)) % 2
    if won(board, 3 - last):
        raise ValueError("the game was over before the last move")
    if not won(board, last):
        return NOBODY if (board == NOBODY).any() else DRAW
    for cell in loose:
        earlier = board.copy()
        earlier[cell] = NOBODY
        if board[cell] == last and not won(earlier, last):
            return last
    raise ValueError("no single last move can have made all these rows")


def symmetries(rows: int, cols: int, turns: bool = True) -> list[np.ndarray]:
    """The symmetries of the board, each as the array of where every cell goes; identity first.

    Eight for a square, four for an oblong; `turns=False` leaves only the reflection left to right.
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    boards = [cells, cells[:, ::-1]]
    if turns:
        boards += [cells[::-1], cells[::-1, ::-1]]
        if rows == cols:
            boards += [board.T for board in boards]
    unlike = {tuple(board.ravel().tolist()): None for board in boards}  # on a thin board some are the same
    return [np.array(board) for board in unlike]


def hexagon_symmetries(side: int) -> list[np.ndarray]:
    """Six turns and their mirror images of a board that is a hexagon with so many cells on a side, as `symmetries`.

    Its cells are those of a square, row by row, whose row and column differ by less than that; the others stay.
    """
    wide, half = 2 * side - 1, side - 1
    found = []
    for mirrored in (False, True):
        for turns in range(6):
            to = np.arange(wide * wide)
            for row, col in np.ndindex(wide, wide):
                if abs(row - col) <= half:
                    a, b = (row - half, col - half) if mirrored else (col - half, row - half)
                    for _ in range(turns):
                        a, b = a - b, a
                    to[row * wide + col] = (b + half) * wide + a + half
            found.append(to)
    return found


def symmetries_of(
    game: Any, images: Iterable[np.ndarray] = (), ordered: bool = True
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The rule `symmetries` of a game whose actions are known by the cells that they concern.

    Of the turns and mirror images of its board, or of these `images`, those that leave the first position as it is, and
    what is legal there.  The planes have a place for each cell of the board.  Unless `ordered`, actions are the same
    whose cells are told in another order.
    """
    board, start, planes = game.board(), new(game), np.zeros(game.planes(), np.float32)
    game.encode(start, planes)
    seen, first = planes.reshape(len(planes), -1), set(legal(game, start))
    number: dict[tuple[int, ...], int] = {}  # of an action, by its cells
    for action in range(game.actions()):
        cells = game.where(start, action)
        if all(0 <= cell < seen.shape[1] for cell in cells):  # else it is never legal
            number.setdefault(tuple(cells if ordered else sorted(cells)), action)
    found = []
    for image in images or symmetries(board["rows"], board["cols"]):
        to, actions = image.ravel(), np.arange(game.actions())
        if (seen[:, to] != seen).any():
            continue
        for cells, action in number.items():
            there = to[np.array(cells, int)].tolist()
            actions[action] = number.get(tuple(there if ordered else sorted(there)), action)
        if first == set(actions[list(first)].tolist()):
            found.append((actions, to))
    return found
