"""The scorings there are, by name, and the choice of one for a game.

A new scoring is one class with `judge` and `promise` (see `search/scoring.py`) and one line in its family's manifest;
`path/to/file.py:Name` takes one from a user's own file.
"""

from __future__ import annotations

import re
from typing import Any

from . import spec
from .manifest import families, family_of, registered
from .search.scoring import Nothing, adopt

NONE, AUTO = "none", "auto"


def make(name: str, game: Any, **values: Any) -> Any:
    """The scoring of this name; `auto` takes the first one that the game's family brings along."""
    own = re.fullmatch(r"(.+\.py):(\w+)", name.strip())
    if own:
        from .games import user

        return user.load(own[1], own[2], adopt)()
    family = family_of(game)
    if name == AUTO:
        name = next(iter(family.scorings), NONE)
    if spec.look_up("scoring", name, [AUTO, NONE, *registered("scorings")]) == NONE:
        return Nothing()
    if name not in family.scorings:
        theirs = next(other.games for other in families() if name in other.scorings)
        raise spec.InputError(f"the scoring {name} is for {', '.join(theirs)}, not for this game; take auto or none")
    return family.load(family.scorings[name])(**values)


def for_order(game: Any) -> Any:
    """A scoring that orders moves as `auto` does but guesses no values: what a solver needs."""
    scoring = make("auto", game)
    return scoring._replace(guess=0.0) if "guess" in scoring._fields else scoring
