"""SGF, format 4, of Go (game 1) and Hex (game 11)."""

from __future__ import annotations

import re
from typing import Any

from ... import games
from ...game_files import OtherGame, Saved, checked
from ...spec import InputError
from ..go import Go
from ..hex import Hex
from ..sgf import LETTERS, first, main_line, moves_of, result_of, size_of, split, written

__all__ = ["holds", "parse", "split", "text"]

KINDS = {"1": "go", "11": "hex"}


def holds(game: Any) -> bool:
    """Can a file keep this game?"""
    return isinstance(game, (Go, Hex))


def text(saved: Saved) -> str:
    """The file of a game."""
    game = games.make(saved.game)
    if not holds(game):
        raise InputError(f"{saved.game} cannot be kept in an SGF file: go and hex can")
    about = f"GM[1]SZ[{game.size}]KM[{game.komi:g}]" if isinstance(game, Go) else f"GM[11]SZ[{game.size}]"
    return written(about, checked(saved), lambda action: point(game, action))


def point(game: Any, action: int) -> str:
    """Two letters at Go, column and row from the top left, and nothing for a pass; the cell's name at Hex."""
    if isinstance(game, Hex):
        return str(game.name(action))
    row, col = divmod(action, game.size)
    return "" if row == game.size else LETTERS[col] + LETTERS[row]


def parse(text: str) -> Saved:
    """The game of a file."""
    nodes = main_line(text)
    root = nodes[0]
    kind = first(root, "GM") or "1"
    if kind not in KINDS:
        raise OtherGame(f"GM[{kind[:10]}] is another game: Go is GM[1], Hex GM[11], five in a row GM[4]")
    cols, rows = size_of(first(root, "SZ") or "19")
    if cols != rows:
        raise InputError(f"{KINDS[kind]} is played on a square board, not on {cols} x {rows}")
    spec = f"{KINDS[kind]}({cols})" if kind == "11" else f"go({cols}, komi={komi(first(root, 'KM')):g})"
    game = games.make(spec)
    begins, points, seconds = moves_of(nodes)
    if begins == "W":
        raise InputError("white moves first, which is not read")
    by_point = {point(game, action): action for action in range(game.actions())}
    if isinstance(game, Go) and game.size <= 19:
        by_point["tt"] = by_point[""]  # as older files write a pass
    actions = []
    for number, where in enumerate(points, 1):
        word = where.strip() if isinstance(game, Go) else where.strip().lower()
        if word not in by_point:
            raise InputError(f"move {number}, {where[:10]!r}, is no point of this board")
        actions.append(by_point[word])
    score, reason = result_of(root)
    return checked(Saved(spec, actions, (first(root, "PB"), first(root, "PW")), score, seconds, reason))


def komi(text: str) -> float:
    """Of a file that tells none it is 0."""
    if text and not re.fullmatch(r"[+-]?\d{1,9}(\.\d{0,9})?", text):
        raise InputError(f"komi, KM[{text[:10]}], is no number")
    return float(text or 0)
