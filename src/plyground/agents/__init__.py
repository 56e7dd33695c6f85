"""The agents there are, by name, and the making of an agent from a spec."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Any

from .. import spec, user_files
from ..manifest import ask, load, must_be_there, registered, renamed, warn
from .base import Agent, adopt

REGISTRY = {  # those that play many games; families of games bring their own
    "random": "simple:Random",
    "win-block": "simple:WinBlock",
    "win-block-middle": "simple:WinBlockMiddle",
    "uct": "tree_search:UCT",
    "rave": "tree_search:RAVE",
    "guided": "guided:Guided",
    "alphazero": "alphazero:AlphaZero",
    "alphago": "alphago:AlphaGo",
    "minimax": "depth_first:Minimax",
    "alphabeta": "depth_first:AlphaBeta",
    "hybrid": "depth_first:Hybrid",
    "best-response": "best_response:BestResponse",
    "net": "net:Net",
    "afterstate-net": "afterstate_net:AfterstateNet",
    "mcts-actor-critic": "mcts_actor_critic:MCTSActorCritic",
    "linear": "linear:Linear",
    "human": "human:Human",
}
_adopted = lru_cache(None)(adopt)
USUAL = "uct"  # whom a person meets in a game whose family names nobody


def registry() -> dict[str, str]:
    """All agents by name: `package.module:Class`."""
    return registered("agents", {name: f"{__name__}.{where}" for name, where in REGISTRY.items()})


def maker(name: str) -> type[Agent]:
    """The class of the agents of this name, with its options annotated."""
    name = renamed(name)
    must_be_there("agents", name)
    where = registry()[spec.look_up("agent", name, registry())]
    found = load("agent", name, where)
    try:
        return found if where.startswith("plyground.") else _adopted(found)
    except TypeError as error:
        raise spec.InputError(f"{where}: {error}") from None


def able(game: Any) -> list[str]:
    """The agents that play this game.  Nothing is compiled; a net that an agent is given may still not fit."""
    found = []
    for name in registry():
        with suppress(spec.InputError):
            if plays(maker(name), game):
                found.append(name)
    return found


def plays(agent: type[Agent], game: Any) -> bool:
    """Does this kind of agent play this game?  One from outside that fails to answer is named, and does not."""
    try:
        agent.must_play(game)
    except spec.InputError:
        return False
    except Exception as error:
        if agent.__module__.startswith("plyground."):
            raise
        who = user_files.origin(agent) or f"{agent.__module__}:{agent.__name__}"
        warn(f"{who}: must_play raised {type(error).__name__}: {error}")
        return False
    return True


def usual(game: Any) -> str:
    """The agent that a person meets in this game unless another is chosen."""
    return ask(game, "opponent") or USUAL


def make(text: str, seed: int = 0, move_seconds: float | None = None) -> Agent:
    """The agent of a spec like `uct(sims=1000)` or `path/to/file.py:Agent(3)`, ready for a game.

    One from a file thinks in a process of its own, and forfeits when a move takes longer than `move_seconds`.
    """
    name, args, named = spec.parse(text)
    if isinstance(text, spec.Named):
        agent: Agent = text.object
    elif user_files.is_file(name):
        from .user_agent import MOVE_SECONDS, UserAgent

        agent = UserAgent(text, MOVE_SECONDS if move_seconds is None else move_seconds)
    else:
        build = maker(name)
        agent = build(**spec.bind(build, name, args, named))
    agent.begin(seed)
    return agent
