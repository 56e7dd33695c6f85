"""Opponents of rising strength for a person, in any game of two players."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import spec
from . import maker, usual

SIMULATIONS = {"beginner": 8, "novice": 40, "casual": 200, "intermediate": 1_000, "strong": 5_000}  # of uct
FULL = "full strength"


class Level(NamedTuple):
    """An opponent."""

    name: str
    agent: str  # its spec


def levels(game: Any) -> list[Level]:
    """From the weakest to the agent that a person meets: those of its option `level`, if its values have names, else
    searches by more and more simulations.  A game of one player has none."""
    if game.alone():
        return []
    strongest = usual(game)
    name = spec.parse(strongest)[0]
    kind: Any = maker(name)
    own = next((option for option in spec.parameters(kind) if option.name == "level"), None)
    if own and own.about.names:
        first = int(own.about.low or 0)
        return [Level(called, f"{name}(level={first + at})") for at, called in enumerate(own.about.names)]
    weaker = [Level(called, f"uct(sims={simulations})") for called, simulations in SIMULATIONS.items()]
    return [*weaker, Level(FULL, strongest)]
