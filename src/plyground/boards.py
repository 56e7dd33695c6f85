"""What a board gives a game for nothing: a drawing for the terminal, a position on one line, the count of free cells.

A game that answers `board` and `cells` need not write these rules.  Cells are numbered row by row from the top
left.  People write the column as a letter and the row as a number counted from below: cell 0 of a 3x3 board is a3.
"""

from __future__ import annotations

from typing import Any

SIGNS = ".XO#456789 "  # nothing, the stones of players 0 and 1, a cell that is used up, other pieces; last: no cell


def letters(col: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    return (chr(96 + col // 26) if col >= 26 else "") + chr(97 + col % 26)


def cell_name(rows: int, cols: int, cell: int) -> str:
    return f"{letters(cell % cols)}{rows - cell // cols}"


def signs(game: Any, state: Any) -> list[str]:
    """The rows of the board from the top, a sign for each cell."""
    cols, cells = game.board()["cols"], game.cells(state)
    return ["".join(SIGNS[cell] for cell in cells[at : at + cols]) for at in range(0, len(cells), cols)]


def text(game: Any, state: Any) -> str:
    """The board with its coordinates."""
    rows, cols, hexagons = game.board()["rows"], game.board()["cols"], game.board()["shape"] == "hexagons"
    wide = len(letters(cols - 1))
    lines = [
        f"{rows - r:>2} " + " " * (hexagons and r % 2) + " ".join(f"{sign:>{wide}}" for sign in row)
        for r, row in enumerate(signs(game, state))
    ]
    return "\n".join([*lines, "   " + " ".join(f"{letters(c):>{wide}}" for c in range(cols))])


def diagram(game: Any, state: Any) -> str:
    """`X.O/.X./O.. X`: the rows from the top, then who moves."""
    return "/".join(signs(game, state)) + " " + SIGNS[1 + game.player(state)]


def left(game: Any, state: Any) -> int:
    """The cells on which nothing lies."""
    return list(game.cells(state)).count(0)
