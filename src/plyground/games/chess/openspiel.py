"""Our numbers of OpenSpiel's actions at chess."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..openspiel_numbers import Actions, numbered
from .moves import PROMOTIONS
from .rules import Chess
from .squares import KNIGHT, QUEEN, ROOK


def actions(game: Chess) -> Callable[[Chess, Any], Actions]:
    """What tells them: at a state of theirs our legal actions, and theirs."""
    return legal_actions


def legal_actions(game: Chess, theirs: Any) -> Actions:
    """Our legal actions, and theirs; a pawn that becomes a queen moves there as any piece does, and where it may become
    a queen, it may become a knight."""
    numbers, queens = numbers_by(theirs.current_player() == 0)
    found = numbered(numbers, theirs)
    if max(found, default=0) >= PROMOTIONS:
        for knight in queens.keys() & found.keys():
            moved, queen = queens[knight]
            found[queen] = found.pop(moved)
    return found


@lru_cache(None)
def numbers_by(black: bool) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """Our numbers of all their actions, by whom they are; of pawns that become knights the numbers of a piece that
    moves there, and of a pawn that becomes a queen there."""
    numbers, queens = [], {}
    for action in range(64 * 73 + 2):
        start, to, promoted = ends_of(action, black)
        number = 64 * start + to
        if promoted:
            first = PROMOTIONS + 4 * (22 * black + 3 * (start % 8) + to % 8 - start % 8)
            if promoted == KNIGHT and (start // 8, to // 8) == ((6, 7) if black else (1, 0)):
                queens[first] = number, first + QUEEN - KNIGHT
            number = first + promoted - KNIGHT
        numbers.append(number)
    return numbers, queens


def ends_of(action: int, black: bool) -> tuple[int, int, int]:
    """From where and to where an action goes, and what it says that a pawn becomes: 73 kinds of moves from each square,
    file by file, as whoever moves sees the board; two more castle."""
    if action >= 64 * 73:
        king = 4 if black else 60
        return king, king + (2 if action > 64 * 73 else -2), 0
    square, kind = divmod(action, 73)
    col, rank = divmod(square, 8)
    right, up, promoted = 0, 1, 0
    if kind < 9:
        promoted, right = ROOK - kind // 3, (0, 1, -1)[kind % 3]
    elif kind < 65:
        line, far = divmod(kind - 9, 14)
        far = far - 7 if far < 7 else far - 6
        right, up = ((0, far), (far, 0), (far, far), (far, -far))[line]
    else:
        right, up = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2))[kind - 65]
    rows = (rank, rank + up) if black else (7 - rank, 7 - rank - up)
    return 8 * rows[0] + col, 8 * rows[1] + col + right, promoted
