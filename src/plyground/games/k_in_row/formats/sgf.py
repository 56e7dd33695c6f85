"""SGF, format 4, game 4 (Gomoku): https://www.red-bean.com/sgf/.

Of variations the main line is read, of several games the first, unless they are `split`.  Notes on moves are written as
comments (C), marks (DO doubtful, BM bad), and variations that hold the better moves; they are not read.
"""

from __future__ import annotations

import re

from ....game_files import OtherGame, Saved
from ....spec import InputError
from ...sgf import LETTERS, first, main_line, moves_of, result_of, size_of, split, written
from .played import checked, rule_name, spec_of, stones_in_a_row

__all__ = ["parse", "split", "text"]


def text(saved: Saved) -> str:
    """The file of a game."""
    saved = checked(saved)
    game = stones_in_a_row(saved)
    size = f"{game.m}" if game.m == game.n else f"{game.m}:{game.n}"
    about = f"GM[4]SZ[{size}]RU[{rule_name(game)}]"
    return written(about, saved, lambda action: f"{LETTERS[action % game.m]}{LETTERS[action // game.m]}")


def parse(text: str) -> Saved:
    """The game of a file."""
    nodes = main_line(text)
    root = nodes[0]
    if (kind := first(root, "GM")) not in ("", "4") or (not kind and "KM" in root):  # komi is for Go alone
        raise OtherGame(f"GM[{kind[:10]}] is another game: five in a row is GM[4]")
    cols, rows = size_of(first(root, "SZ"))
    spec = spec_of(cols, rows, first(root, "RU"))
    begins, points, seconds = moves_of(nodes)
    actions = [_cell(where, number, cols, rows) for number, where in enumerate(points, 1)]
    score, reason = result_of(root)
    players = first(root, "PB"), first(root, "PW")
    if begins == "W":
        players, score = players[::-1], None if score is None else -score
    return checked(Saved(spec, actions, players, score, seconds, reason))


def _cell(where: str, number: int, cols: int, rows: int) -> int:
    """The cell of `hh`, column and row from the top left, or of `h8`, with the row from below."""
    where = where.strip()
    col, row = -1, -1
    if re.fullmatch(r"[A-Za-z]{2}", where):
        col, row = LETTERS.index(where[0]), LETTERS.index(where[1])
    elif re.fullmatch(r"[A-Za-z]\d{1,2}", where):
        col, row = LETTERS.index(where[0].lower()), rows - int(where[1:])
    if not (0 <= col < cols and 0 <= row < rows):
        raise InputError(f"move {number}, {where[:10]!r}, is no cell of a board of {cols} x {rows}")
    return row * cols + col
