"""What a caller may give: a game or a position by its spec or as an object; and what becomes of it."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

import numpy as np

from .. import games, rules
from ..agents.base import Agent
from ..check import must_hold
from ..jit import user_classes
from ..jit.progress import say_when_compiling
from ..spec import InputError, Named

OPTIONS = (("--resume", "resume=True"), ("--out", "out"), ("--seeds", "seeds"))  # of commands, as arguments

State: TypeAlias = Any  # a NumPy record, whose fields the game names


class Game(Protocol):
    """The rules with their parameters.  A class of one's own is a NamedTuple with the rules as its methods."""

    def actions(self) -> int:
        """How many distinct actions there are."""

    def player(self, state: State) -> int:
        """Who moves: 0, 1, or -1 where nature does."""

    def over(self, state: State) -> bool:
        """Has the game ended?"""

    def score(self, state: State) -> float:
        """The result of an ended game for player 0; in a game of one player, its points."""

    def play(self, state: State, action: int) -> None:
        """Change a state by one action."""

    def name(self, action: int) -> str:
        """What people call an action."""

    def text(self, state: State) -> str:
        """A position for people, on several lines."""


class Thinks(Protocol):
    """An object that can be an agent."""

    def think(self, game: Any, state: Any, limit: Any) -> Any:
        """An action, or a Thought."""


GameLike: TypeAlias = str | Game | tuple[Any, ...] | type[Any]
AgentLike: TypeAlias = str | Agent | Thinks | Callable[[Any, Any], Any] | type[Any]

_specs: dict[Any, str] = {}  # what games were first made from, by class and parameters
_checked: set[Any] = set()  # games of users that were tried out


def game_of(game: Any, seed: int | None = None) -> Any:
    """The game of a spec, of an instance, or of a class whose parameters all have defaults, ready for use.

    A user's own is tried out, interpreted, before anything is compiled.
    """
    say_when_compiling()
    seed = None if seed is None else whole("seed", seed)
    made = games.make(game, seed) if isinstance(game, str) else _adopted(game)
    key = type(made), made
    if isinstance(game, str) and not isinstance(game, Named) and not games.is_drawn(game):
        _specs.setdefault(key, game)
    if type(made).__module__ == user_classes.__name__ and key not in _checked:
        must_hold(made, game if isinstance(game, str) else name_of(made))
        _checked.add(key)
    return made


def _adopted(game: Any) -> Any:
    """An instance as a game."""
    cls = game if isinstance(game, type) else type(game)
    if not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        raise InputError(f"{game!r:.60} is no game: give a spec, or an instance of a NamedTuple with the rules")
    _refused(user_classes.name_of(cls), rules.adopt, cls)
    made = _refused(f"give an instance of {user_classes.name_of(cls)}", cls) if isinstance(game, type) else game
    _refused(name_of(made), made.limits)
    _refused(name_of(made), rules.must_have_fields, made)
    return made


def _refused(what: str, call: Callable[..., Any], *values: Any) -> Any:
    """What a call gives; an InputError that begins with these words if it is refused."""
    try:
        return call(*values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}") from None


def name_of(game: Any) -> str:
    """What people call a game: the spec that it was made from, else its class with its parameters."""
    known = _specs.get((type(game), game))
    return known or f"{user_classes.name_of(type(game))}({', '.join(map(repr, game))})"


def spec_of(game: Any, seed: int | None = None) -> str:
    """The spec of a game; of an object that none makes, its name with the object."""
    made = game_of(game, seed)
    if isinstance(game, str):
        return game
    return _specs.get((type(made), made)) or Named(name_of(made), made)


def whole(name: str, value: Any) -> int:
    """A whole number, NumPy's too, as one of Python's."""
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{name} is a whole number, not {value!r:.60}") from None


def number(name: str, value: Any) -> float:
    """A finite number, NumPy's too, as one of Python's."""
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise InputError(f"{name} is a number, not {value!r:.60}")
    return float(value)


def seconds_of(name: str, value: Any) -> float | None:
    """A time; None where there is no limit."""
    if value is not None and number(name, value) < 0:
        raise InputError(f"{name} are 0 or more, not {value!r:.60}")
    return None if value is None else float(value)


def state_of(game: Any, position: Any) -> Any:
    """The state of a position: moves, a diagram, a file of a game, a state, or a Position.  It is nobody else's."""
    from .. import game_files
    from .. import position as positions

    if isinstance(position, str):
        if game_files.names_file(position):
            state = rules.new(game)
            for action in game_files.actions_to(game, position):
                game.play(state, action)
            return state
        return positions.read(game, position)
    state = getattr(position, "state", position)
    if not isinstance(state, np.void) or state.dtype != rules.dtype(game):
        raise InputError(
            f"{position!r:.60} is no position of this game: write moves, a diagram or a file, or give a state"
        )
    return state.copy()


@contextmanager
def as_arguments() -> Iterator[None]:
    """What a refusal says of options of the command is said of arguments."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for option, argument in OPTIONS:
            text = text.replace(option, argument)
        raise InputError(text) from None
