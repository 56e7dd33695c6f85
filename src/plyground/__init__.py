"""Plyground: a game-AI laboratory.  Write a game once, in plain Python; get every player at machine-code speed.

    import plyground as pg

    pg.match("tictactoe", "uct(sims=1000)", "win-block", games=200)

Every function does what the command of its name does; `docs/python.md` shows them.  They are loaded when they are first
asked for: importing the package takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .agents.base import Agent, Forfeit, Limit, Move, Thought
    from .api.arena import match, score, tournament
    from .api.environments import aec_env, env, openspiel, random_games, vector_env
    from .api.functions import agent, make, odds, review, solve, state, steps, think, train
    from .api.given import Game, State
    from .api.learning import strength, sweep
    from .api.page import serve
    from .api.position import Position
    from .api.widget import play
    from .rules import after, legal
    from .spec import InputError

_HOMES = {
    "agents.base": ("Agent", "Forfeit", "Limit", "Move", "Thought"),
    "api.environments": ("aec_env", "env", "openspiel", "random_games", "vector_env"),
    "api.arena": ("match", "score", "tournament"),
    "api.functions": ("agent", "make", "odds", "review", "solve", "state", "steps", "think", "train"),
    "api.given": ("Game", "State"),
    "api.learning": ("strength", "sweep"),
    "api.page": ("serve",),
    "api.position": ("Position",),
    "api.widget": ("play",),
    "rules": ("after", "legal"),
    "spec": ("InputError",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Agent",
    "Forfeit",
    "Game",
    "InputError",
    "Limit",
    "Move",
    "Position",
    "State",
    "Thought",
    "aec_env",
    "after",
    "agent",
    "env",
    "legal",
    "make",
    "match",
    "odds",
    "openspiel",
    "play",
    "random_games",
    "review",
    "score",
    "serve",
    "solve",
    "state",
    "steps",
    "strength",
    "sweep",
    "think",
    "tournament",
    "train",
    "vector_env",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
