"""What a page has to know to play Tetris by keys: the rules' own figures, so that no page writes them down again."""

from __future__ import annotations

from typing import Any

from ...spec import InputError
from ...web.view import Shown
from .rules import DROP_POINTS, LINE_POINTS, LINES_A_LEVEL, Tetris, interval
from .tetrominoes import BOXES, LETTERS, cells
from .well import HIDDEN, KICKS, spawn

LEVELS = 60  # whose fall is told; from there on a row takes less than half of a frame


def figures(shown: Shown) -> dict[str, Any]:
    """The figures of a well.

    In the simplified game a piece appears above the well, such that it can turn and move there as it likes.
    """
    game = shown.game
    if not isinstance(game, Tetris):
        raise InputError(f"{shown.spec}: only tetris is played by keys")
    return {
        "game": shown.spec,
        "cols": game.cols,
        "rows": game.rows,
        "hidden": HIDDEN,
        "reference": game.reference,
        "bag": game.seven,
        "letters": LETTERS,
        "cells": [[cells(piece, turn) for turn in range(4)] for piece in range(len(LETTERS))],
        "spawn": [(0 if game.reference else HIDDEN - len(box), spawn(game, piece)) for piece, box in enumerate(BOXES)],
        "kicks": KICKS,
        "line_points": LINE_POINTS,
        "drop_points": DROP_POINTS,
        "lines_a_level": LINES_A_LEVEL,
        "intervals": [interval(level * LINES_A_LEVEL) for level in range(LEVELS)],
    }
