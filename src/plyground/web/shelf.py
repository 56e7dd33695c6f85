"""What the page may ask for: registered games, those given to `serve`, and agents that read no file but a run's.

An external program is started only if its command was given to `serve`; the page knows it by a name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from inspect import cleandoc
from typing import Any, NamedTuple

from .. import agents, games, spec
from ..nets import trained
from ..spec import InputError
from .runs import Runs
from .view import Shown

MOST = {"memory": 512, "threads": 16, "grace": 60, "limit": 10**7}  # megabytes, threads, seconds of grace, stones
BUDGETS = ("sims", "seconds", "depth")  # options that bound a search
NESTED = ("before", "then")  # options that name another agent
DEEPEST = 3  # agents in agents


class Checked(NamedTuple):
    """An agent's spec that may be used."""

    text: str
    bounded: bool  # does it bound its search itself?


class Shelf:
    """The games and agents of a server."""

    def __init__(self, given: list[str], runs: Runs, programs: dict[str, str] | None = None) -> None:
        self.runs = runs
        self.programs = programs or {}  # commands by their names
        self.given = {text.strip(): Shown(games.make(text), text.strip()) for text in given}
        self.classes: dict[str, Any] = {name_in_file(text): type(shown.game) for text, shown in self.given.items()}
        self._made = lru_cache(64)(self._make)

    def described(self) -> list[dict[str, Any]]:
        """The games that were given, with the parameters of their classes."""
        found = spec.described(self.classes)
        for one in found:
            about = " ".join(cleandoc(self.classes[one["name"]].__doc__ or "").split("\n\n")[0].split())
            one["about"] = "" if re.fullmatch(r"\w+\([\w, ]*\)", about) else about  # what Python writes itself
        by_name = {one["name"]: one for one in found}
        return [{"spec": text, **by_name[name_in_file(text)]} for text in self.given]

    def game(self, text: str) -> Shown:
        """The game of a spec.  One from a file is there only if it was given to `serve`, with these parameters or
        others; the file is not read again."""
        text = text.strip()
        return self.given[text] if text in self.given else self._made(text)

    def _make(self, text: str) -> Shown:
        if ".py" not in text:
            return Shown(games.make(text), text)
        cls = self.classes.get(name_in_file(text))
        if cls is None:
            raise InputError("a game from a file has to be named when the page is started: plyground serve FILE:GAME")
        name, args, named = spec.parse(text[text.rindex(".py:") + 4 :])
        try:
            game = cls(**spec.bind(cls, name, args, named))
            game.limits()
        except (ValueError, TypeError) as error:
            raise InputError(f"{text}: {error}") from None
        return Shown(game, text)

    def drawn(self, text: str, seed: int) -> Shown:
        """The game of a spec, drawn by this seed if it has random parts and its spec does not fix them."""
        if text.strip() in self.given or ".py" in text:
            return self.game(text)
        name, args, named = spec.parse(text)
        maker = games.maker(name)
        values = spec.bind(maker, name, args, named)
        if "seed" in values or all(p.name != "seed" for p in spec.parameters(maker)):
            return self.game(text)
        return self.game(written(name, values | {"seed": seed}))

    def agent(self, text: str, depth: int = 0) -> Checked:
        """An agent's spec, after a look at all its options: no files but those of runs, nobody at the terminal,
        bounded memory."""
        name, args, named = spec.parse(text)
        if name == "human":
            raise InputError("a human plays by the board, not as an agent")
        if depth == DEEPEST:
            raise InputError(f"agents stand in agents at most {DEEPEST} deep")
        maker: Any = agents.maker(name)
        values = spec.bind(maker, name, args, named)
        options = spec.parameters(maker)
        budgets = [values.get(option.name, option.default) for option in options if option.name in BUDGETS]
        bounded = not budgets or any(budget is not None for budget in budgets)
        for option in options:
            value = values.get(option.name, option.default)
            most = MOST.get(option.name)
            if option.about.kind == "command":
                values[option.name] = self.program(value)
                continue
            if isinstance(value, str) and ".py" in value:
                raise InputError(f"{name}: {option.name} may not name a file here")
            ours = option.about.kind == "net" and value in ("auto", *trained.names())
            if isinstance(value, str) and option.about.kind in ("run", "net") and not ours:
                values[option.name] = self.runs.path(value)
            if most is not None and isinstance(value, int | float) and value > most:
                if option.name in values:
                    raise InputError(f"{name}: {option.name} is at most {most} here, not {value}")
                values[option.name] = most
            if option.name in NESTED and option.type is str:
                inside = self.agent(value, depth + 1)
                values[option.name] = inside.text
                bounded = bounded and inside.bounded
        return Checked(written(name, values), bounded)

    def program(self, name: str) -> str:
        """The command of a program that was given to `serve`.  No other is ever started."""
        if name not in self.programs:
            there = f"; there are {', '.join(self.programs)}" if self.programs else ""
            raise InputError(f"an external program has to be given to plyground serve --external NAME=COMMAND{there}")
        return self.programs[name]


def name_in_file(text: str) -> str:
    """`path/to/file.py:Game` of a spec with or without values."""
    found = re.match(r".+\.py:\w+", text.strip(), re.DOTALL)
    return found[0] if found else ""


def written(name: str, values: dict[str, Any]) -> str:
    """A spec of these values."""
    return f"{name}({', '.join(f'{word}={value!r}' for word, value in values.items())})"
