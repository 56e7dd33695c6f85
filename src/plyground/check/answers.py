"""What rules answer: a breach, in one line, where it has the wrong type or shape."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..rules import CHANCE, LONGEST_GLYPH, SHAPES
from .breach import Breach

BOARD = '{"shape": "cells", "rows": 3, "cols": 3}'


def whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def wrong(rule: str, wanted: str, value: Any, where: str = "") -> Breach:
    return Breach(rule, f"{rule} returns {wanted}, not {' '.join(reprlib.repr(value).split())} {where}".rstrip())


def must_be_nothing(rule: str, value: Any, where: str) -> None:
    """Rules that change what they are given return nothing; a number does no harm."""
    if not (value is None or isinstance(value, (int, float, np.number, np.bool_))):
        raise wrong(rule, "nothing: it changes the state that it is given", value, where)


def counted(game: Any, rule: str, count: Any, where: str) -> int:
    if not whole(count) or not 0 <= count <= game.actions():
        wanted = f"how many actions it wrote into `out`, 0 to {game.actions()}"
        raise wrong(rule, wanted, count, where)
    return int(count)


def listed(game: Any, state: Any, rule: str, where: str, *more: Any) -> list[int]:
    """The actions that `legal` or `wins` writes."""
    out = np.zeros(game.actions(), np.int32)
    return out[: counted(game, rule, getattr(game, rule)(state, *more, out), where)].tolist()


def outcomes(game: Any, state: Any, where: str) -> list[tuple[int, float]]:
    """The outcomes of a chance event with their probabilities."""
    out, weights = np.zeros(game.actions(), np.int32), np.zeros(game.actions())
    count = counted(game, "chance", game.chance(state, out, weights), where)
    return list(zip(out[:count].tolist(), weights[:count].tolist(), strict=True))


def truth(rule: str, value: Any, where: str) -> bool:
    if not isinstance(value, (bool, int, np.bool_, np.integer)):
        raise Breach(rule, f"{rule} is True or False, not {value!r} {where}")
    return bool(value)


def mover(game: Any, state: Any, where: str) -> int:
    """Who moves."""
    found, seats = game.player(state), (0,) if game.alone() else (0, 1)
    if found not in (*seats, CHANCE):
        raise Breach("player", f"player is {', '.join(map(str, seats))} or {CHANCE}, not {found!r} {where}")
    return int(found)


def board(game: Any) -> tuple[str, int]:
    """The shape of the board, and how many cells it has."""
    found = game.board()
    if not isinstance(found, dict) or not {"shape", "rows", "cols"} <= found.keys():
        raise wrong("board", f"a dict like {BOARD}", found)
    if found["shape"] not in SHAPES:
        raise Breach("board", f"the shape of a board is one of {', '.join(SHAPES)}, not {found['shape']!r}")
    for side in ("rows", "cols"):
        if not whole(found[side]) or found[side] < 1:
            raise Breach("board", f"the {side} of a board are a whole number from 1 on, not {found[side]!r}")
    return found["shape"], int(found["rows"] * found["cols"])


def numbers(rule: str, value: Any, what: str, where: str) -> list[int]:
    """A flat list of whole numbers."""
    wanted = f"a list of {what}"
    if isinstance(value, (str, dict)) or not isinstance(value, Iterable):
        raise wrong(rule, wanted, value, where)
    found = list(value)
    if not all(map(whole, found)):
        raise wrong(rule, f"{wanted}, which are whole numbers", value, where)
    return [int(one) for one in found]


def glyphs(value: Any, size: int, where: str) -> None:
    """A short text for each cell."""
    found = list(value) if isinstance(value, Iterable) and not isinstance(value, (str, dict)) else []
    if len(found) != size or not all(isinstance(one, str) for one in found):
        raise wrong("glyphs", f'a list of {size} texts, one for each cell, "" for none', value, where)
    for one in found:
        if len(one) > LONGEST_GLYPH or (one != " " and one.strip() != one) or not one.isprintable():
            raise Breach("glyphs", f"a text on a cell has at most {LONGEST_GLYPH} characters, not so {one!r} {where}")


def planes(game: Any) -> tuple[int, int, int]:
    found = game.planes()
    if not isinstance(found, tuple | list) or len(found) != 3 or not all(whole(one) and one > 0 for one in found):
        raise wrong("planes", "three whole numbers from 1 on, (planes, height, width)", found)
    return found[0], found[1], found[2]


def symmetries(game: Any, cells: int | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """The permutations of actions and cells; how many cells there are is known of a game with planes."""
    found = game.symmetries()
    if not isinstance(found, list | tuple) or not all(isinstance(one, list | tuple) and len(one) == 2 for one in found):
        raise wrong("symmetries", "a list of pairs (actions, cells) of index arrays", found)
    for number, pair in enumerate(found):
        for part, size, what in zip(pair, (game.actions(), cells), ("actions", "cells"), strict=True):
            kept = np.asarray(part)
            size = kept.size if size is None else size
            if kept.dtype.kind not in "iu" or kept.shape != (size,) or (np.sort(kept) != np.arange(size)).any():
                raise Breach("symmetries", f"symmetry {number} is no permutation of the {what} 0 to {size - 1}")
    return [(np.asarray(actions), np.asarray(cells)) for actions, cells in found]
