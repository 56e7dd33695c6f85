"""The agent `one-ply`: the Gomoku program that the study gomoku-tetris measures itself against, written anew.

It looks at every window of k cells in a line and plays the free cell whose windows say most for it, whatever the reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from ...agents.base import Seed
from ...agents.simple import Drawing
from ...rules import legal
from ...spec import About, InputError
from .rules import MNK

EMPTY = 24  # points of a window without stones
OWN, OWN_STONE = 16, 10  # of one with own stones alone, and for each of them
OTHERS, OTHERS_STONE = 7, 10  # of one with the opponent's alone


@lru_cache(16)
def windows(cols: int, rows: int, k: int) -> np.ndarray:
    """int[n, k]: the cells of every line of k on a board."""
    found = []
    for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for row in range(rows):
            for col in range(cols):
                if 0 <= col + (k - 1) * right < cols and row + (k - 1) * down < rows:
                    found.append([(row + i * down) * cols + col + i * right for i in range(k)])
    return np.array(found).reshape(-1, k)


@dataclass
class OnePly(Drawing):
    """Completes a row, else blocks one, else extends, else blocks an extension, else counts open lines."""

    ties: Annotated[
        str, About("moves that are alike: the first of them, or any by the seed", choices=("first", "random"))
    ] = "first"
    seed: Seed = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, MNK):
            raise InputError("one-ply plays games of k in a row, such as gomoku(9) and mnk(6,6,4)")

    def choices(self, game: Any, state: Any) -> list[int]:
        self.must_play(game)
        best = np.array(legal(game, state))
        for points in worth(game, state):
            best = best[points[best] == points[best].max()]
        return best.tolist() if self.ties == "random" else [int(best[0])]


def worth(game: MNK, state: Any) -> Iterator[np.ndarray]:
    """The points [cells] of each cell, what matters most first; later ones decide between cells that are alike so far.

    Windows with k - 1 own stones alone, k - 1 of the opponent's, k - 2 own, k - 2 of the opponent's; at last a sum over
    the other windows in which one side can still win: for empty ones their points, for own ones their points times the
    square of their number, for the opponent's alike.
    """
    lines = windows(game.m, game.n, game.k)
    me = int(game.player(state))
    stones = state.cells[lines]
    own, others = (stones == me + 1).sum(axis=1), (stones == 2 - me).sum(axis=1)

    def through(which: np.ndarray, points: Any = 1) -> np.ndarray:
        """Points of the windows of this kind that each cell lies in."""
        return np.bincount(lines[which].ravel(), np.repeat((points * which)[which], game.k), game.m * game.n)

    left = np.ones(len(lines), np.bool_)
    mine, theirs = others == 0, own == 0
    kinds = [mine & (own == game.k - 1), mine & (own == game.k - 2)]
    kinds += [theirs & (others == game.k - 1), theirs & (others == game.k - 2)]
    kinds += [mine & theirs, mine, theirs]
    for i, kind in enumerate(kinds):  # a window is of the first kind that fits
        kinds[i] = kind & left
        left &= ~kind
    complete, extend, block, hinder, empty, own_lines, other_lines = kinds
    for kind in (complete, block, extend, hinder):
        yield through(kind)
    attack = through(own_lines, OWN + OWN_STONE * own) * through(own_lines) ** 2
    defend = through(other_lines, OTHERS + OTHERS_STONE * others) * through(other_lines) ** 2
    yield through(empty, EMPTY) + attack + defend
