"""The scorings there are, by name, and the choice of one for a game.

A new scoring is one class with `judge` and `promise` (see `search/scoring.py`) and one line in REGISTRY;
`path/to/file.py:Name` takes one from a user's own file.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from .. import spec
from ..search.scoring import Nothing, adopt

# name: the class of games it is for, module and class, values of its fields
REGISTRY: dict[str, tuple[str, str, dict[str, Any]]] = {
    "none": ("", "", {}),
    "patterns": ("MNK", "patterns:Patterns", {}),
    "columns": ("ConnectFour", "columns:Columns", {}),
    "line-taking": ("LineTaking", "line_taking:LineTakingScores", {}),
    "line-taking-terminal": ("LineTaking", "line_taking:LineTakingScores", {"complete": False}),
}


def make(name: str, game: Any, **values: Any) -> Any:
    """The scoring of this name; `auto` takes the first one that is for the game."""
    own = re.fullmatch(r"(.+\.py):(\w+)", name.strip())
    if own:
        from ..games import user

        return user.load(own[1], own[2], adopt)()
    kind = type(game).__name__
    if name == "auto":
        name = next((known for known, (games, _, _) in REGISTRY.items() if games == kind), "none")
    games, where, fixed = REGISTRY[spec.look_up("scoring", name, ["auto", *REGISTRY])]
    if not where:
        return Nothing()
    if games != kind:
        raise spec.InputError(f"the scoring {name} is for {games} games, not for {kind}; take auto or none")
    module, _, what = where.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), what)(**fixed | values)


def for_order(game: Any) -> Any:
    """A scoring that orders moves as `auto` does but guesses no values: what a solver needs."""
    scoring = make("auto", game)
    return scoring._replace(guess=0.0) if "guess" in scoring._fields else scoring
