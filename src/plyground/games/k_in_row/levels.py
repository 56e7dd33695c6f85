"""Levels of `gomoku-master`: how far each looks, and what it overlooks.

People overlook long sequences of threats first, then a three, and hardly ever a four.  Their other moves are not bad at
random: they look good at first sight.  So a weak level draws from what the net would play, by a temperature, and at
times does not see the cells that matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...agents.base import Move
from .tactics.patterns import FOURS, WINS, WON


class Level(NamedTuple):
    """How well somebody plays."""

    name: str
    simulations: int  # of the net's search; 0: its first sight alone
    choices: int  # moves that look best, between which it draws
    temperature: float  # of the draw: at 1 by their shares, near 0 the best one
    stones: int  # put in mind to find a win by threats
    threes: int  # that such a win may begin with; 0: fours alone
    three: float  # chance to overlook an open three, its own or the other's
    four: float  # chance to overlook a four


LEVELS = (
    Level("beginner", 0, 20, 2.6, 0, 0, 0.66, 0.06),
    Level("novice", 0, 14, 2.2, 0, 0, 0.5, 0.03),
    Level("casual", 0, 10, 1.6, 0, 0, 0.33, 0.01),
    Level("intermediate", 0, 8, 1.2, 0, 0, 0.2, 0.0),
    Level("advanced", 12, 6, 0.7, 30, 0, 0.08, 0.0),
    Level("strong", 32, 4, 0.4, 1_000, 2, 0.02, 0.0),
    Level("expert", 120, 3, 0.15, 10_000, 4, 0.0, 0.0),
)
NAMES = (*(level.name for level in LEVELS), "full strength")
FULL = len(NAMES)


def noticed(level: Level, mine: np.ndarray, theirs: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """The moves that come to mind, bool[action], and whether something was overlooked.

    `mine` and `theirs`, int8[action], are what a stone of either player would make.  What is seen has to be played:
    five, what stops five, an open four, what stops one.  What is overlooked is not played even by chance.
    """
    free = mine >= 0
    kept = free.copy()
    for there, then, chance in (
        (mine == WINS, mine == WINS, level.four),
        (theirs == WINS, theirs == WINS, level.four),
        (mine == WON, mine == WON, level.three),
        (theirs == WON, (theirs >= FOURS) | (mine >= FOURS), level.three),
    ):
        if there.any():
            if rng.random() >= chance:
                return then, False
            kept &= ~then
    return (kept if kept.any() else free), bool((kept != free).any())


def share(move: Move) -> float:
    """What a search says for a move: everything for one that surely wins, nothing for one that surely loses."""
    return max(0.0, move.value) * 1e9 if move.proven else move.visits + (move.prior or 0.0)


def drawn(level: Level, shares: np.ndarray, allowed: np.ndarray, rng: np.random.Generator) -> int:
    """One of the allowed moves, by their shares and the level's temperature."""
    best = [action for action in np.argsort(-shares, kind="stable") if allowed[action]][: level.choices]
    weights = np.log(np.maximum(shares[best], 1e-12)) / level.temperature
    weights = np.exp(weights - weights.max())
    return int(rng.choice(best, p=weights / weights.sum()))
