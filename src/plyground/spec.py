"""The language of specs: `gomoku(15)`, `uct(sims=1000, rollout="win-block")`.

A spec reads like a call and is parsed as literals, never evaluated.  What a name accepts is written down
once, as the annotated parameters of a function or dataclass:

    sims: Annotated[int, About("simulations a move", low=1)] = 1000

From there the command line, its help and its error messages all take it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pickle import PicklingError
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

LONGEST_TEXT = 2000
EXAMPLES = {
    "agent": "like uct(sims=1000), or your own agent's file and class, like file.py:Agent",
    "scoring": "like auto, or your own scoring's file and class, like file.py:Scoring",
    "algorithm": "like dqn, or your own learner's file and class, like file.py:Learner",
    "game": "like gomoku(15), or your own game's file and class, like file.py:Game",
}
VALUES = r"\s*(\(.*\))?\s*"
REGISTERED = re.compile(r"\s*([A-Za-z0-9][\w-]*)" + VALUES, re.DOTALL)
IN_FILE = re.compile(r"\s*(\S.*?\.py(?::\w+)?)" + VALUES, re.DOTALL)


class InputError(ValueError):
    """Something a person wrote makes no sense; the message is one line that says what to do."""


class Named(str):
    """The name of an object that stands for a spec: it goes wherever specs go, and brings the object along.

    It equals no plain text, and no name of another object.
    """

    object: Any

    def __new__(cls, name: str, what: Any) -> Named:
        made = super().__new__(cls, name)
        made.object = what
        return made

    def _key(self) -> tuple[Any, ...]:
        """Which object it is; games of the same class and parameters are the same."""
        what = self.object
        return str(self), *((type(what), what) if isinstance(what, tuple) else (id(what),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process goes only what the package itself defines: whatever a user has made stays here."""
        if not isinstance(self.object, tuple) or not type(self.object).__module__.startswith("plyground.games."):
            raise PicklingError(f"{self} plays in the process that it was made in")
        return Named, (str(self), self.object)


@dataclass(frozen=True)
class About:
    """What a parameter means, and which values it takes."""

    text: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # what people call the whole numbers from `low` to `high`
    # "run": the folder of a run, on the page one of its own; "net": or one that was shipped; "policy": the same of
    # nets that tell a policy alone; "scoring" and "agent": a spec of one; "opponents": of a learner, specs of agents
    # joined by +; "game": of a game that is made of it; "command": starts a program
    kind: str = ""


@dataclass(frozen=True)
class Parameter:
    name: str
    type: type  # object: any literal
    default: Any
    optional: bool  # may be None
    about: About

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    def checked(self, value: Any, of: str) -> Any:
        """The value, if the parameter takes it."""
        if value is None and self.optional:
            return None
        if self.type is float and type(value) is int:
            value = float(value)
        if type(value) is not self.type and self.type is not object:
            wants = {int: "a whole number", float: "a number", bool: "True or False", str: "a text in quotes"}
            raise InputError(f"{of}: {self.name} is {wants.get(self.type, self.type.__name__)}, not {value!r}")
        about = self.about
        if about.choices and value not in about.choices:
            raise InputError(
                f"{of}: {self.name} is one of {', '.join(about.choices)}{nearest(str(value), about.choices)}"
            )
        if isinstance(value, int | float):
            low = -float("inf") if about.low is None else about.low
            high = float("inf") if about.high is None else about.high
            if not low <= value <= high:
                bounds = f"at least {low:,}" if high == float("inf") else f"{low:,} to {high:,}"
                raise InputError(f"{of}: {self.name} is {bounds}, not {value}")
        return value

    def __str__(self) -> str:
        return self.name if self.required else f"{self.name}={self.default!r}"


def _hints(of: Any) -> dict[str, Any]:
    """The annotations of a function or class; none if they name what is not known here: the defaults tell the types."""
    try:
        return get_type_hints(of, include_extras=True)
    except NameError:
        return {}


@lru_cache(256)
def parameters(maker: Callable) -> list[Parameter]:
    """What a function, dataclass or game class takes.  The list is shared: change a copy."""
    hints = _hints(maker)
    if isinstance(maker, type) and inspect.isfunction(made_by := inspect.getattr_static(maker, "__init__")):
        hints = _hints(made_by) | hints
    found = []
    for name, parameter in inspect.signature(maker).parameters.items():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        untold = parameter.default is None or parameter.default is inspect.Parameter.empty
        hint = hints.get(name, object if untold else type(parameter.default))
        about = About("")
        if get_origin(hint) is Annotated:
            hint, about = get_args(hint)[:2]
        optional = get_origin(hint) in (Union, UnionType)
        if optional:
            hint = next(t for t in get_args(hint) if t is not NoneType)
        found.append(Parameter(name, hint, parameter.default, optional, about))
    return found


def described(makers: dict[str, Callable]) -> list[dict[str, Any]]:
    """What can be made, with every parameter's default and meaning."""
    return [
        {
            "name": name,
            "about": (maker.__doc__ or "").split("\n")[0],
            "parameters": [
                {
                    "name": p.name,
                    "type": "any" if p.type is object else p.type.__name__,
                    "required": p.required,
                    "default": None if p.required else p.default,
                    "about": p.about.text,
                    "choices": list(p.about.choices),
                    "names": list(p.about.names),
                    "low": p.about.low,
                    "high": p.about.high,
                    "kind": p.about.kind,
                }
                for p in parameters(maker)
            ],
        }
        for name, maker in makers.items()
    ]


OTHERS_SAY = {  # what elsewhere is the name of an option, and the names that options here may have for it
    "batch_size": ("batch",),
    "buffer": ("memory", "window"),
    "buffer_size": ("memory", "window"),
    "c_puct": ("c",),
    "cpuct": ("c",),
    "cuda": ("device",),
    "discount": ("gamma",),
    "epochs": ("replay_ratio", "updates", "games"),
    "episodes": ("games", "positions", "moves"),
    "filters": ("channels",),
    "folder": ("out",),
    "gamma": ("discount",),
    "gpu": ("device",),
    "iterations": ("sims", "rounds", "games", "generations", "updates"),
    "layers": ("hidden", "blocks"),
    "learning_rate": ("lr",),
    "output": ("out",),
    "playouts": ("sims",),
    "processes": ("jobs", "actors", "threads"),
    "rollouts": ("sims",),
    "rounds": ("games",),
    "simulations": ("sims",),
    "steps": ("positions", "moves", "games"),
    "time": ("seconds",),
    "timeout": ("seconds", "move_seconds"),
    "timesteps": ("moves", "positions", "games"),
    "weight_decay": ("decay",),
    "workers": ("jobs", "actors", "threads"),
}


def nearest(word: str, words: Iterable[str]) -> str:
    """`; did you mean ...?` if one of the words is near, or means the same elsewhere."""

    def plain(name: str) -> str:
        return name.strip("-").lower().replace("-", "_")

    known = {plain(name): name for name in words}
    same = [name for name in OTHERS_SAY.get(plain(str(word)), ()) if name in known]
    near = same or get_close_matches(plain(str(word)), list(known), 1, 0.6)
    return f"; did you mean {known[near[0]]}?" if near else ""


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that somebody has misspelt who writes this one; "" if it is known itself, or like none of them."""
    words = list(known)
    near = [] if name in words or name.startswith("_") else get_close_matches(name, words, 1, 0.8)
    return near[0] if near else ""


def parse(text: str, kind: str = "agent") -> tuple[str, list[Any], dict[str, Any]]:
    """Name, positional and named values of a spec; the name may be `path/to/file.py:Name`, or without `:Name`."""
    if isinstance(text, Named):
        return text, [], {}
    if len(text) > LONGEST_TEXT:
        raise InputError(f"a spec has at most {LONGEST_TEXT} characters, not {len(text)}")
    found = REGISTERED.fullmatch(text) or IN_FILE.fullmatch(text)
    if not found:
        raise InputError(
            f"cannot read {text[:60]!r}: write a name, or a name with values in brackets, {EXAMPLES[kind]}"
        )
    name, values = found.groups()
    try:
        call = _syntax(f"f{values or '()'}")
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        args = [ast.literal_eval(value) for value in call.args]
        pairs = [(k.arg, ast.literal_eval(k.value)) for k in call.keywords]
        if any(word is None for word, _ in pairs):  # two stars
            raise ValueError
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise InputError(
            f"cannot read the values in {text[:60]!r}: write numbers, True, False or quoted texts"
        ) from None
    named: dict[str, Any] = {}
    for word, value in pairs:
        if word in named:
            raise InputError(f"{name}: {word} is given twice")
        named[str(word)] = value
    return name, args, named


def _syntax(text: str) -> ast.expr:
    """The syntax of an expression.  Python 3.11 and 3.12 count how deep it is for all threads together, and may find it
    wrong while another thread parses (cpython#106905): it is read again then."""
    for _ in range(10):
        with suppress(SystemError):
            return ast.parse(text, mode="eval").body
    return ast.parse(text, mode="eval").body


def bind(maker: Callable, name: str, args: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """The values by their names, each checked."""
    name = re.split(r"[/\\]", name)[-1]
    takes = {p.name: p for p in parameters(maker)}
    if len(args) > len(takes):
        raise InputError(f"{name} takes at most {len(takes)} value{'s' * (len(takes) != 1)}, not {len(args)}")
    for word in named:
        if word not in takes:
            has = f"it has {', '.join(takes)}" if takes else "it has none"
            raise InputError(f"{name} has no option {word}{nearest(word, takes) or f'; {has}'}")
    values = dict(zip(takes, args, strict=False))
    for word, value in named.items():
        if word in values:
            raise InputError(f"{name}: {word} is given twice")
        values[word] = value
    for word, parameter in takes.items():
        if word not in values and parameter.required:
            meaning = f": {parameter.about.text}" if parameter.about.text else f", as in {name}({word}=...)"
            raise InputError(f"{name} needs {word}{meaning}")
    return {word: takes[word].checked(value, name) for word, value in values.items()}


def look_up(kind: str, name: str, known: Iterable[str]) -> str:
    """The name, if it is known."""
    known = list(known)
    listed = f"; there are {', '.join(known)}"
    if name not in known:
        raise InputError(f"there is no {kind} {name!r}{nearest(name, known) or listed}")
    return name
