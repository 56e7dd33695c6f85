"""What the games on a rectangular board share: names of cells, drawings, diagrams, symmetries.

Cells are numbered row by row from the top left.  People write the column as a letter and the row as a
number counted from below: cell 0 of a 3x3 board is a3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

STONES = ".XO"  # an empty cell, player 0, player 1


def letters(col: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    return (chr(96 + col // 26) if col >= 26 else "") + chr(97 + col % 26)


def cell_name(rows: int, cols: int, cell: int) -> str:
    return f"{letters(cell % cols)}{rows - cell // cols}"


def text(cells: np.ndarray) -> str:
    """The board with its coordinates, cells[row, col] being 0, 1 or 2."""
    rows, cols = cells.shape
    wide = len(letters(cols - 1))
    lines = [f"{rows - r:>2} " + " ".join(f"{STONES[c]:>{wide}}" for c in row) for r, row in enumerate(cells)]
    return "\n".join([*lines, "   " + " ".join(f"{letters(c):>{wide}}" for c in range(cols))])


def diagram(cells: np.ndarray, player: int) -> str:
    """`X.O/.X./O.. X`: the rows from the top, then who moves."""
    return "/".join("".join(STONES[c] for c in row) for row in cells) + " " + STONES[1 + player]


def parse(diagram: str, rows: int, cols: int) -> np.ndarray:
    """The cells of a diagram whose stones fit the player to move (who may be left out)."""
    board, _, mover = diagram.strip().upper().partition(" ")
    lines = board.split("/")
    if len(lines) != rows or any(len(line) != cols for line in lines):
        raise ValueError(f"a diagram of this board has {rows} rows of {cols} cells, with / between the rows")
    strange = sorted(set(board) - set("./XO"))
    if strange:
        raise ValueError(f"a diagram is written with '.', 'X' and 'O', not {strange[0]!r}")
    cells = np.array([[STONES.index(c) for c in line] for line in lines], np.int8)
    x, o = (cells == 1).sum(), (cells == 2).sum()
    if not 0 <= x - o <= 1:
        raise ValueError(f"{x} X and {o} O: X moves first, so there are as many X as O or one more")
    if mover.strip() not in ("", STONES[1 + x - o]):
        raise ValueError(f"with {x} X and {o} O it is {STONES[1 + x - o]}'s turn, not {mover.strip()!r}")
    return cells


def result(board: np.ndarray, won: Callable[[np.ndarray, int], bool], earlier: Iterable[np.ndarray]) -> int:
    """Who has won on a board: 0 nobody yet, 1 or 2, 3 a draw; ValueError if no game leads there.

    `won(board, stone)` says who has a row, `earlier` gives the boards before the last move.
    """
    last = 2 - int(np.count_nonzero(board)) % 2
    if won(board, 3 - last):
        raise ValueError("the game was over before the last move")
    if not won(board, last):
        return 0 if (board == 0).any() else 3
    if all(won(before, last) for before in earlier):
        raise ValueError("no single last move can have made all these rows")
    return last


def without(board: np.ndarray, cells: Iterable[tuple[int, int]]) -> Iterable[np.ndarray]:
    """The boards that lack the stone of one of these cells."""
    for cell in cells:
        fewer = board.copy()
        fewer[cell] = 0
        yield fewer


def rows_of(board: np.ndarray, k: int) -> list[int]:
    """The cells that stand in a row of at least k equal stones."""
    rows, cols = board.shape
    found = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r, c in zip(*np.nonzero(board), strict=True):
            line = [(r + i * down, c + i * right) for i in range(k)]
            if all(0 <= y < rows and 0 <= x < cols and board[y, x] == board[r, c] for y, x in line):
                found |= {int(y * cols + x) for y, x in line}
    return sorted(found)


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
