"""Scorings: what a position looks worth where a search looks no further.

A *scoring* is an instance of a ``NamedTuple`` class, like a game: its fields are its weights, its methods
are plain Python that kernels compile.  Points are for the player to move and stay below MOST, so
that no guess reaches a proven result.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from ..jit import user_classes
from ..rules import let_kernels_call
from ..spec import meant

MOST = 500_000.0  # points of a guess


class Scoring:
    """What kernels ask of a scoring."""

    def judge(scoring, game, state):
        """Points for the player to move in a state that is not over."""

    def promise(scoring, game, state, action):
        """What an action promises: those that promise most are looked at first."""


METHODS: dict[str, Any] = {"judge": Scoring.judge, "promise": Scoring.promise}
for _name, _method in METHODS.items():
    let_kernels_call(_name, _method, "scoring")


def adopt(cls: Any) -> Any:
    """Make a class from outside the package ready for use as a scoring; TypeError if it cannot be one."""
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"{getattr(cls, '__name__', cls)} is not a scoring: write `class Name(NamedTuple):`")
    for name in user_classes.methods(cls):
        if near := meant(name, METHODS):
            raise TypeError(f"{cls.__name__}.{name} is not a method of scorings; did you mean {near}?")
    made: Any = cls
    if "promise" not in vars(cls):
        made.promise = Nothing.promise
    for name, method in METHODS.items():
        has = list(inspect.signature(getattr(cls, name)).parameters) if name in vars(cls) else []
        if len(has) != len(inspect.signature(method).parameters):
            raise TypeError(f"{cls.__name__} needs the method {name}{inspect.signature(method)}")
    if not cls.__module__.startswith("plyground."):
        user_classes.settle(cls)
    return cls


class Nothing(NamedTuple):
    """Every open position is worth nothing."""

    points: float = 0.0

    def judge(scoring: Any, game: Any, state: Any) -> Any:
        return scoring.points

    def promise(scoring: Any, game: Any, state: Any, action: Any) -> Any:
        return 0.0
