"""The scorings there are, by name, and the choice of one for a game.

A new scoring is one class with `judge` and `promise` (see `search/scoring.py`) and one line in its family's manifest;
`path/to/file.py:Name` takes one from a user's own file.  A scoring may be given values, like `file.py:Name(weight=2)`.
"""

from __future__ import annotations

from typing import Any

from . import manifest, spec, user_files
from .jit import user_classes
from .manifest import families, family_of, load, registered
from .search.scoring import METHODS, Nothing, adopt

NONE, AUTO = "none", "auto"


def looks_like_one(cls: type) -> bool:
    """Is this class meant for a scoring, even if its method is misspelt?"""
    own = user_classes.methods(cls)
    return issubclass(cls, tuple) and any(name in METHODS or spec.meant(name, METHODS) for name in own)


KIND = user_files.Kind("scoring", looks_like_one, adopt)


def make(name: str, game: Any, **values: Any) -> Any:
    """The scoring of this name; `auto` takes the first one that the game's family brings along."""
    name, args, named = spec.parse(name, "scoring")
    if user_files.is_file(name):
        return _made(user_files.load(name, KIND), name, args, named, values)
    family = family_of(game)
    if name == AUTO:
        name = next(iter(family.scorings), NONE)
    if spec.look_up("scoring", name, [AUTO, NONE, *registered("scorings")]) == NONE:
        return Nothing()
    single = {point.name: point.value for point in manifest.announced("scorings")}
    if name in single and name not in family.scorings:
        return _made(load("scoring", name, single[name]), name, args, named, values)
    if name not in family.scorings:
        other = next(other for other in families() if name in other.scorings)
        theirs = ", ".join(other.games) or f"games of {other.package}"
        raise spec.InputError(f"the scoring {name} is for {theirs}, not for this game; take auto or none")
    return _made(family.load(family.scorings[name]), name, args, named, values)


def _made(build: Any, name: str, args: list[Any], named: dict[str, Any], values: dict[str, Any]) -> Any:
    """A scoring with its values; one from outside the package is made ready for kernels."""
    scoring = build(**spec.bind(build, name, args, named) | values)
    try:
        if not type(scoring).__module__.startswith("plyground."):
            adopt(type(scoring))
    except TypeError as error:
        raise spec.InputError(f"the scoring {name}: {error}") from None
    return scoring


def for_order(game: Any) -> Any:
    """A scoring that orders moves as `auto` does but guesses no values: what a solver needs."""
    scoring = make("auto", game)
    return scoring._replace(guess=0.0) if "guess" in scoring._fields else scoring
