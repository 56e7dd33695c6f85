"""What goes over the pipe between Plyground and an agent in a process of its own: JSON, and nothing that is executed.

Whatever comes from the agent is checked as a stranger's word: ValueError if it is not what it should be.
"""

from __future__ import annotations

import base64
import math
from importlib import import_module
from typing import Any

import numpy as np

from .. import games, rules, user_files
from ..spec import InputError
from .base import Move, Thought

LONGEST_NOTE = 300  # characters


def written_game(game: Any) -> Any:
    """A game, or a parameter of one: where its class is found, and its parameters in turn."""
    if isinstance(game, np.generic):
        game = game.item()
    if game is None or isinstance(game, bool | int | float | str):
        return game
    if not isinstance(game, tuple):
        raise InputError(f"an agent from a file cannot be told a game with the parameter {game!r:.60}")
    values = [written_game(value) for value in game]
    if not hasattr(game, "_fields"):
        return {"values": values}
    cls = type(game)
    where = user_files.origin(cls) or _place(cls)
    if where is None:
        raise InputError("an agent from a file plays games of files and packages: save the game in a file of its own")
    return {"class": where, "name": cls.__name__, "values": values}


def read_game(told: Any) -> Any:
    """The game of what `written_game` wrote."""
    if not isinstance(told, dict):
        return told
    values = tuple(read_game(value) for value in told["values"])
    if "class" not in told:
        return values
    where = told["class"]
    cls = games.maker(where) if user_files.is_file(where) else rules.adopt(_imported(where))
    if cls.__name__ != told["name"]:
        raise InputError(f"{where} has changed meanwhile")
    return cls(*values)


def _place(cls: type) -> str | None:
    """`module:Name` of a class that can be imported; one from outside the package has another name there."""
    module = getattr(cls, "_home", cls.__module__)
    try:
        known = vars(import_module(module))
    except ImportError:
        return None
    return next((f"{module}:{name}" for name, found in known.items() if found is cls), None)


def _imported(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def written_state(state: Any) -> str:
    """The bytes of a state, as text."""
    return base64.b64encode(state.tobytes()).decode()


def read_state(game: Any, text: str) -> Any:
    """The state of what `written_state` wrote: a copy of the reader's own."""
    return np.frombuffer(bytearray(base64.b64decode(text)), rules.dtype(game))[0]


def written_thought(said: Thought) -> dict[str, Any]:
    """A thought in numbers, lists and None."""
    return {
        "action": int(said.action),
        "value": None if said.value is None else float(said.value),
        "simulations": int(said.simulations),
        "seconds": float(said.seconds),
        "moves": written_moves(said.moves),
        "line": [int(action) for action in said.line],
        "note": str(said.note)[:LONGEST_NOTE],
    }


def read_thought(told: Any, actions: int) -> Thought:
    """The thought that was told, in a game of so many actions.  Whether its action is legal is not known yet."""
    if not isinstance(told, dict):
        raise ValueError
    value = told["value"]
    return Thought(
        _whole(told["action"]),
        None if value is None else _number(value),
        max(0, _whole(told["simulations"])),
        max(0.0, _number(told["seconds"])),
        read_moves(told["moves"], actions),
        read_actions(told["line"], actions),
        _text(told["note"])[:LONGEST_NOTE],
    )


def written_moves(moves: list[Move]) -> list[list[Any]]:
    """Moves as lists of their fields."""
    found = []
    for move in moves:
        prior = None if move.prior is None else float(move.prior)
        found.append([int(move.action), int(move.visits), float(move.value), bool(move.proven), prior])
    return found


def read_moves(told: Any, actions: int) -> list[Move]:
    """The moves that were told."""
    found = []
    for action, visits, value, proven, prior in _list(told):
        known = None if prior is None else _number(prior)
        found.append(Move(_action(action, actions), max(0, _whole(visits)), _number(value), proven is True, known))
    return found


def read_actions(told: Any, actions: int) -> list[int]:
    """The actions that were told, legal or not."""
    return [_action(action, actions) for action in _list(told)]


def _list(told: Any) -> list[Any]:
    if not isinstance(told, list):
        raise ValueError
    return told


def _text(told: Any) -> str:
    if not isinstance(told, str):
        raise ValueError
    return told


def _whole(told: Any) -> int:
    if type(told) is not int or abs(told) >= 2**63:
        raise ValueError
    return told


def _action(told: Any, actions: int) -> int:
    if not 0 <= _whole(told) < actions:
        raise ValueError
    return told


def _number(told: Any) -> float:
    if type(told) not in (int, float) or not math.isfinite(told):
        raise ValueError
    return float(told)
