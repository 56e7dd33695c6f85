"""The positions that games of training begin with: one, or many where a game has parts that are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import games
from ..manifest import family_of
from ..nets.evaluate import together
from ..rules import new

DRAWN = 2048  # positions, where they are drawn


def starts_of(name: str, game: Any, seed: int, number: int = DRAWN) -> np.ndarray:
    """The positions that games of a spec begin with: so many, if it is drawn and one net plays all that may be."""
    if not is_drawn_anew(name, game):
        return together([new(game)])
    return together([new(games.make(name, seed * DRAWN + i)) for i in range(number)])


def is_drawn_anew(name: str, game: Any) -> bool:
    """Does the spec leave open which game is drawn, and do such games differ in the positions that they begin with?

    What else they differ in, `variable` parameters of their family, has to make no difference once a game has begun.
    """
    variable = family_of(game).variable
    if not variable or not games.is_drawn(name):
        return False
    others = [games.make(name, seed) for seed in (1, 2)]  # the game may be one of them
    unlike = {one for other in others for one, value in game._asdict().items() if value != getattr(other, one)}
    shape = game.actions(), game.planes()
    return unlike <= variable and all((other.actions(), other.planes()) == shape for other in others)
