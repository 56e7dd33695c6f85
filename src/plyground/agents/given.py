"""Agents that are given as objects, not as specs: functions, and instances of a user's own class, in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from itertools import chain, count
from typing import Any

from ..rules import legal
from ..spec import InputError, Named, bind, parse
from . import registry
from .base import REQUIRED, Agent, Forfeit, Limit, Thought, adopt, as_thought
from .user_agent import MOVE_SECONDS, UserAgent


class Function(Agent):
    """A function of the game and a state that returns an action, or a Thought."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def ready(self, game: Any) -> None:
        """Nothing is to be compiled."""

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        return checked(self.function(game, state.copy()), game, state)


def checked(said: Any, game: Any, state: Any) -> Thought:
    """What an agent of a user's own has said; Forfeit if its action is not legal."""
    try:
        thought = as_thought(said)
    except TypeError as error:
        raise InputError(str(error)) from None
    if thought.action not in legal(game, state):
        raise Forfeit(f"it played {thought.action}, which is not a legal action here")
    return thought


def given(agent: Any) -> Agent:
    """An object as an agent: an agent as it is; a function; an instance, or a class, with a method `think`."""
    if isinstance(agent, Agent) and type(agent).__module__.startswith("plyground."):
        return agent
    if isinstance(agent, type):
        try:
            agent = agent()
        except TypeError as error:
            raise InputError(f"{agent.__name__} is a class: give an instance of it ({error})") from None
    if all(hasattr(agent, name) for name in REQUIRED):
        return _twin(agent)
    if callable(agent):
        return Function(agent)
    if type(agent).__module__ == "builtins":
        raise InputError(f"{agent!r:.60} is no agent: give a spec like uct(sims=1000), a function or an agent")
    return _twin(agent)  # says what it lacks


def _twin(agent: Any) -> Agent:
    """An agent that has the attributes of an object and all methods of agents, those of the object's class first."""
    try:
        adopted = adopt(type(agent))
    except TypeError as error:
        raise InputError(str(error)) from None

    class Given(adopted):  # type: ignore[misc, valid-type]
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            return checked(super().think(game, state.copy(), limit), game, state)

    if not hasattr(agent, "__dict__"):
        raise InputError(f"{type(agent).__name__} has __slots__: an agent's attributes are free")
    made: Agent = object.__new__(Given)
    made.__dict__ = agent.__dict__
    return made


def spec_of(agent: Agent) -> str | None:
    """The spec of an agent as it is now; None if none makes another like it."""
    if isinstance(agent, UserAgent):
        return agent.text if agent.move_seconds == MOVE_SECONDS else None
    cls = type(agent)
    known = {where: name for name, where in registry().items()}
    name = known.get(f"{cls.__module__}:{cls.__qualname__}")
    if name is None or not is_dataclass(agent):
        return None
    values = {field.name: (getattr(agent, field.name), field.default) for field in fields(agent) if field.init}
    told = ", ".join(f"{word}={value!r}" for word, (value, default) in values.items() if value != default)
    text = f"{name}({told})" if told else name
    try:
        bind(cls, name, *parse(text)[1:])
    except InputError:
        return None  # a value that no spec can write
    return text


def name_of(agent: Any) -> str:
    """What people call an object that is an agent."""
    name = getattr(agent, "__name__", type(agent).__name__)
    return "lambda" if name == "<lambda>" else str(name)


def as_spec(agent: Any) -> str:
    """The spec of an agent, or its name with the agent."""
    if isinstance(agent, str):
        return agent
    made = given(agent)
    return spec_of(made) or Named(name_of(agent), made)


def as_specs(*agents: Any) -> tuple[str, ...]:
    """The same of several; different objects of the same name, or of the name of a spec, are numbered."""
    specs = [as_spec(agent) for agent in agents]
    owners: dict[str, Any] = {spec: None for spec in specs if not isinstance(spec, Named)}  # by their names
    found: list[str] = []
    for agent, spec in zip(agents, specs, strict=True):
        if isinstance(spec, Named):
            names = chain([str(spec)], (f"{spec} ({number})" for number in count(2)))
            spec = Named(next(name for name in names if owners.setdefault(name, agent) is agent), spec.object)
        found.append(spec)
    return tuple(found)
