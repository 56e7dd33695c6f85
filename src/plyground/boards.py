"""What a board gives a game for nothing: a drawing for the terminal, a position on one line, the count of free cells.

A game that answers `board` and `cells` need not write these rules.  Cells are numbered row by row from the top
left.  People write the column as a letter and the row as a number counted from below: cell 0 of a 3x3 board is a3.

Of a game that answers neither, but in which an action is a cell of its encoded planes, those tell what lies on the
cells, and the names of the actions what people call them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .jit.records import record

SIGNS = ".XO#456789 "  # nothing, the stones of players 0 and 1, a cell that is used up, other pieces; last: no cell


def letters(col: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    return (chr(96 + col // 26) if col >= 26 else "") + chr(97 + col % 26)


def cell_name(rows: int, cols: int, cell: int) -> str:
    return f"{letters(cell % cols)}{rows - cell // cols}"


def by_cells(game: Any, action: int, between: str = "-") -> str:
    """What people call an action by the cells that it concerns, whatever the position: `c2`, `c2-d3`, or `pass` if it
    concerns none.  One that would leave the board is `x` and its number: its rule `where` has -1 there."""
    board, cells = game.board(), game.where(None, action)
    if -1 in cells:
        return f"x{action}"
    return between.join(cell_label(board, cell) for cell in cells) or "pass"


def cell_label(board: dict[str, Any], cell: int) -> str:
    """What people call a cell, by the labels that the board gives its columns and rows, if it does."""
    row, col = divmod(cell, board["cols"])
    column = board["columns"][col] if "columns" in board else letters(col)
    return column + (board["row_labels"][row] if "row_labels" in board else str(board["rows"] - row))


def in_planes(game: Any) -> bool:
    """Is an action of this game a cell of its encoded planes?"""
    if not type(game)._gives.issuperset(("planes", "encode")):
        return False
    planes, height, width = game.planes()
    return planes >= 2 and height * width == game.actions() and _puts_stones((type(game), game))


@lru_cache(64)
def _puts_stones(key: tuple[type, Any]) -> bool:
    """Does the first action of the game put a stone where its number says, into a plane of stones?

    The first plane is to have those of the player to move, the second those of the other.
    """
    _, game = key  # games of different classes can be equal
    state = np.zeros(1, record(game.fields()))[0]
    game.start(state)
    out, weights = np.zeros(game.actions(), np.int32), np.zeros(game.actions())
    while not game.over(state) and game.player(state) < 0:
        game.chance(state, out, weights)
        game.play(state, int(out[0]))
    if game.over(state):
        return False
    game.legal(state, out)
    action, mover, before = int(out[0]), game.player(state), np.zeros(game.planes(), np.float32)
    game.encode(state, before)
    game.play(state, action)
    after = np.zeros(game.planes(), np.float32)
    game.encode(state, after)
    mine = 0 if game.player(state) == mover else 1
    return not before[:2].reshape(2, -1)[:, action].any() and bool(after[mine].reshape(-1)[action])


def board_of_planes(game: Any) -> dict[str, Any]:
    _, height, width = game.planes()
    return {"shape": "cells", "rows": height, "cols": width}


def cells_of_planes(game: Any, state: Any) -> list[int]:
    """What lies on each cell: the first plane has the stones of the player to move, the second those of the other."""
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    mine, other = (1, 2) if game.player(state) != 1 else (2, 1)
    return np.where(planes[0] != 0, mine, np.where(planes[1] != 0, other, 0)).ravel().tolist()


def cells_of_glyphs(game: Any, state: Any) -> list[int]:
    """What lies on each cell, by the texts there: players' stones begin with their sign, and " " is no cell."""
    known = {"": 0, SIGNS[1]: 1, SIGNS[2]: 2, " ": -1}
    return [known.get(text[:1], 3) for text in game.glyphs(state)]


@lru_cache(64)
def _labels_of(key: tuple[type, Any]) -> tuple[list[str], list[str]]:
    """Labels of columns and rows, by the names of the actions of a game; none where they tell nothing."""
    _, game = key
    board, start = game.board(), np.zeros(1, record(game.fields()))[0]
    game.start(start)
    names = [str(game.name(action)) for action in range(game.actions())]
    columns, row_labels = labels(names, board["rows"], board["cols"], lambda action: game.where(start, action))
    return columns if any(columns) else [], row_labels if any(row_labels) else []


def labels(names: list[str], rows: int, cols: int, where: Callable[[int], list[int]]) -> tuple[list[str], list[str]]:
    """Labels of columns and rows, from names such as b3 or b of actions that concern one cell; where there are none,
    from names such as b3l or b3-c4 of those that begin at one."""
    columns, row_labels = [""] * cols, [""] * rows
    alone, beginning = [], []  # column and row of a cell, and what they are called
    for action, name in enumerate(names if rows * cols else []):
        parts = re.match(r"([a-z]+)(\d*)", name)
        if not parts:
            continue
        try:
            cell, *more = where(action)
        except Exception:  # not legal here, and so not asked in the sense of the rule
            continue
        if cell not in range(rows * cols):  # not legal, or an outcome of chance
            continue
        if not more and parts[0] == name:
            alone.append((cell % cols, cell // cols, parts[1], parts[2]))
        elif more and parts[2] and parts[0] != name:
            beginning.append((cell % cols, cell // cols, parts[1], parts[2]))
    for col, row, column, row_label in alone or (beginning if _agree(beginning) else []):
        columns[col], row_labels[row] = column, row_label
    return columns, row_labels


def _agree(called: list[tuple[int, int, str, str]]) -> bool:
    """Has every column one name, and another than the others, and every row?"""
    pairs = {(col, column) for col, _, column, _ in called}, {(row, label) for _, row, _, label in called}
    return all(len({at for at, _ in those}) == len({name for _, name in those}) == len(those) for those in pairs)


def numbers(names: list[str], cells: int, cols: int) -> list[str]:
    """Labels of rows where people call the cells 0, 1, 2, ...: the number of the first cell of each; else none."""
    return names[::cols] if names == [str(cell) for cell in range(cells)] else []


def signs(cells: list[int], cols: int) -> list[str]:
    """The rows of the board from the top, a sign for each cell."""
    return ["".join(SIGNS[cell] for cell in cells[at : at + cols]) for at in range(0, len(cells), cols)]


def text(game: Any, state: Any) -> str:
    """The board with its coordinates, and the points of a game for one; without a board the fields of the state."""
    glyphs: list[str] = []
    if type(game)._gives.issuperset(("board", "cells")):
        board, cells = game.board(), game.cells(state)
        glyphs = list(game.glyphs(state)) if "glyphs" in type(game)._gives else []
        columns, row_labels = _labels_of((type(game), game)) if "where" in type(game)._gives else ([], [])
        columns = board.get("columns") or columns or [letters(col) for col in range(board["cols"])]
        row_labels = board.get("row_labels") or row_labels or [str(board["rows"] - row) for row in range(board["rows"])]
        if "name" not in type(game)._gives and len(cells) == game.actions():  # people call its cells 0, 1, 2, ...
            columns, row_labels = [""] * board["cols"], [str(at) for at in range(0, len(cells), board["cols"])]
    elif in_planes(game):
        board, cells = board_of_planes(game), cells_of_planes(game, state)
        names = [str(game.name(action)) for action in range(game.actions())]
        columns, row_labels = labels(names, board["rows"], board["cols"], lambda action: [action])
        if not any(columns):  # then the name of its first cell stands before a row
            row_labels = names[:: board["cols"]]
    else:
        return "\n".join(f"{name} = {state[name]}" for name in state.dtype.names if name[0] != "_")
    drawn = [
        glyph or sign for glyph, sign in zip(glyphs or [""] * len(cells), map(SIGNS.__getitem__, cells), strict=True)
    ]
    wide, margin = max(1, *map(len, columns), *map(len, drawn)), max(2, *map(len, row_labels))
    rows = [drawn[at : at + board["cols"]] for at in range(0, len(drawn), board["cols"])]
    lines = [
        f"{label:>{margin}} " + " " * (board["shape"] == "hexagons" and r % 2) + " ".join(f"{s:>{wide}}" for s in row)
        for r, (label, row) in enumerate(zip(row_labels, rows, strict=True))
    ]
    below = " " * (margin + 1) + " ".join(f"{label:>{wide}}" for label in columns)
    caption = game.caption(state) if "caption" in type(game)._gives else ""
    points = f"{game.score(state):.12g} points" if game.alone() else ""
    return "\n".join([*lines, *filter(None, [below if any(columns) else "", caption, points])])


def diagram(game: Any, state: Any) -> str:
    """`X.O/.X./O.. X`: the rows from the top, then who moves."""
    return "/".join(signs(game.cells(state), game.board()["cols"])) + " " + SIGNS[1 + game.player(state)]


def left(game: Any, state: Any) -> int:
    """The cells on which nothing lies."""
    return list(game.cells(state)).count(0)
