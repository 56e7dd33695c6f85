"""The scorings there are, by name, and the choice of one for a game.

A new scoring is one class with `judge` and `promise` (see `search/scoring.py`) and one line in its family's manifest;
`path/to/file.py:Name` takes one from a user's own file.  A scoring may be given values, like `file.py:Name(weight=2)`.
"""

from __future__ import annotations

from typing import Any

from . import spec, user_files
from .manifest import families, family_of, registered
from .search.scoring import METHODS, Nothing, adopt

NONE, AUTO = "none", "auto"
KIND = user_files.Kind("scoring", lambda cls: issubclass(cls, tuple) and any(hasattr(cls, m) for m in METHODS), adopt)


def make(name: str, game: Any, **values: Any) -> Any:
    """The scoring of this name; `auto` takes the first one that the game's family brings along."""
    name, args, named = spec.parse(name, "scoring")
    if user_files.is_file(name):
        build = user_files.load(name, KIND)
        return build(**spec.bind(build, name, args, named) | values)
    family = family_of(game)
    if name == AUTO:
        name = next(iter(family.scorings), NONE)
    if spec.look_up("scoring", name, [AUTO, NONE, *registered("scorings")]) == NONE:
        return Nothing()
    if name not in family.scorings:
        theirs = next(other.games for other in families() if name in other.scorings)
        raise spec.InputError(f"the scoring {name} is for {', '.join(theirs)}, not for this game; take auto or none")
    build = family.load(family.scorings[name])
    return build(**spec.bind(build, name, args, named) | values)


def for_order(game: Any) -> Any:
    """A scoring that orders moves as `auto` does but guesses no values: what a solver needs."""
    scoring = make("auto", game)
    return scoring._replace(guess=0.0) if "guess" in scoring._fields else scoring
