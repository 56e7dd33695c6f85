"""What the searches that go depth first work in: a stack of frames, and values with their distance.

Values are for player 0.  A game won after `ply` moves is worth CERTAIN - ply, a lost one the opposite, so that
a search wins fast and loses slowly.  Any other score s is worth s * CERTAIN, and a chance event the mean of its
outcomes; neither reaches PROVEN, and a guess stays far below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import inner, record
from ..workspace import position_type

CERTAIN = 1_000_000.0  # value of a win at once
DEEPEST = 1_000  # plies that a search looks ahead
PROVEN = CERTAIN - 2 * DEEPEST  # from here on a value is a proven win: CERTAIN less the plies to it


def frame_type(game: Any) -> np.dtype:
    """One ply of a search."""
    actions = game.actions()
    return record(
        [
            ("position", position_type(game)),  # the state stands first, and so at an address that 8 divides
            ("moves", np.int16, (actions,)),
            ("points", np.float64, (actions,)),  # a chance event's weights, or what move ordering expects of a move
            ("killers", np.int16, (2,)),  # moves that refuted a sibling of this position
            ("best", np.int16),  # what was found best here
            ("open", np.bool_),  # has a guess entered the value?
        ]
    )


@inner
def ended(game, state, ply):
    """The value of a state in which the game is over."""
    score = game.score(state)
    if abs(score) == 1:
        return score * (CERTAIN - ply)
    return unproven(score * CERTAIN)


@inner
def unproven(value):
    """A value that is not certain to be won or lost, kept apart from those that are."""
    return min(max(value, 1 - PROVEN), PROVEN - 1)


@inner
def averaged(mean, worst, best):
    """The value of a chance event: a mean is proven only if all outcomes are."""
    return mean if worst >= PROVEN or best <= -PROVEN else unproven(mean)


def distance(value: float) -> int | None:
    """Plies to the end, if the value is proven."""
    return round(CERTAIN - abs(value)) if PROVEN <= abs(value) <= CERTAIN else None
