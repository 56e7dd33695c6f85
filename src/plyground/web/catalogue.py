"""What the page may ask for: registered games and agents, those given to `serve`; none reads a file but a run's.

An external program is started only if its command was given to `serve`; the page knows it by a name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from .. import agents, games, scorings, spec, user_files
from ..agents.base import Agent
from ..agents.user_agent_process import KIND as AGENT
from ..check import must_hold
from ..manifest import loaded, registered
from ..nets import trained
from ..spec import InputError
from .given import known_as, sorted_out
from .runs import Runs
from .user_games import UserGames, name_in_file
from .view import Shown
from .visitors import LOCAL, Limits

MOST = {"grace": 60, "limit": 10**7}  # seconds of grace, stones; megabytes and threads are told by the limits
NETS = {"net": trained.BOTH, "policy": trained.POLICY}  # kinds of options that name nets, and what those tell
BUDGETS = ("sims", "seconds", "depth")  # options that bound a search
DEEPEST = 3  # agents in agents


class Checked(NamedTuple):
    """An agent's spec that may be used."""

    text: str
    bounded: bool  # does it bound its search itself?


class Catalogue:
    """The games and agents of a server."""

    def __init__(
        self, given: list[str], runs: Runs, programs: dict[str, str] | None = None, limits: Limits = LOCAL
    ) -> None:
        self.runs = runs
        self.most = MOST | {"memory": limits.memory, "threads": limits.threads}
        self.programs = programs or {}  # commands by their names
        found = sorted_out(given)
        self.user_games, self.user_agents, self.user_scorings = UserGames(found.games), found.agents, found.scorings
        self._made = lru_cache(64)(self._make)

    def game(self, text: str) -> Shown:
        """The game of a spec.  One from a file is there only if it was given to `serve`, with these parameters or
        others; a file that has changed is read again."""
        text = text.strip()
        if name := name_in_file(text):
            text = text.replace(name, known_as(name, self.user_games.classes, games.kind()), 1)
        self.user_games.read_again(text)
        shown = self.user_games.shown.get(text)
        return shown or self._made(text, self.user_games.classes.get(name_in_file(text)))

    def _make(self, text: str, cls: Any) -> Shown:
        if ".py" not in text:
            return Shown(games.make(text), text)
        if cls is None:
            raise InputError("a game from a file has to be named when the page is started: plyground serve FILE:GAME")
        name, args, named = spec.parse(text, "game")
        try:
            game = cls(**spec.bind(cls, name, args, named))
            game.limits()
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"{text}: {error}") from None
        must_hold(game, text)
        return Shown(game, text)

    def drawn(self, text: str, seed: int) -> Shown:
        """The game of a spec, drawn by this seed if it has random parts and its spec does not fix them."""
        if text.strip() in self.user_games.shown or ".py" in text:
            return self.game(text)
        name, args, named = spec.parse(text, "game")
        maker = games.maker(name)
        values = spec.bind(maker, name, args, named)
        if "seed" in values or all(p.name != "seed" for p in spec.parameters(maker)):
            return self.game(text)
        return self.game(written(name, values | {"seed": seed}))

    def able(self, text: str) -> list[str]:
        """The agents that play this game; those that need a net only if one came with the program or was trained."""
        game = self.game(text).game
        found = agents.able(game)
        if not self.runs.paths():
            lacking = [kind for kind, output in NETS.items() if not came_with(game, output)]
            found = [name for name in found if not asks(name, lacking)]
        return found + [name for name, agent in self.users_own().items() if agents.plays(agent, game)]

    def users_own(self) -> dict[str, Any]:
        """The agents of files given to `serve`; one whose file has become unusable is named and left out."""
        return loaded(self.user_agents, self.agent_class)

    def agent_class(self, name: str) -> type[Agent]:
        """The class of the agents of this name.  One from a file is there only if it was given to `serve`; its file is
        read again if it has changed."""
        if not user_files.is_file(name):
            return agents.maker(name)
        if known_as(name, self.user_agents, AGENT) not in self.user_agents:
            raise InputError(
                "an agent from a file has to be named when the page is started: plyground serve FILE:AGENT"
            )
        return user_files.load(name, AGENT)

    def choices(self) -> dict[str, list[str]]:
        """What an option of a kind may name."""
        paths = self.runs.paths()
        named = [scorings.AUTO, scorings.NONE, *registered("scorings"), *self.user_scorings]
        return {
            "run": paths,
            **{kind: ["auto", *trained.names(output), *paths] for kind, output in NETS.items()},
            "command": list(self.programs),
            "scoring": named,
        }

    def agent(self, text: str, depth: int = 0) -> Checked:
        """An agent's spec, after a look at all its options: no files but those of runs, nobody at the terminal,
        bounded memory."""
        name, args, named = spec.parse(text)
        if name == "human":
            raise InputError("a human plays by the board, not as an agent")
        if depth == DEEPEST:
            raise InputError(f"agents stand in agents at most {DEEPEST} deep")
        maker: Any = self.agent_class(name)
        values = spec.bind(maker, name, args, named)
        options = spec.parameters(maker)
        budgets = [values.get(option.name, option.default) for option in options if option.name in BUDGETS]
        bounded = not budgets or any(budget is not None for budget in budgets)
        for option in options:
            value = values.get(option.name, option.default)
            most = self.most.get(option.name) if maker.__module__.startswith("plyground.") else None
            if option.about.kind == "command":
                values[option.name] = self.program(value)
                continue
            nested = option.about.kind == "agent"
            if isinstance(value, str) and ".py" in value and not nested:
                if option.about.kind != "scoring" or spec.parse(value, "scoring")[0] not in self.user_scorings:
                    raise InputError(f"{name}: {option.name} may not name a file here, but one that was given to serve")
            ours = option.about.kind in NETS and value in ("auto", *trained.names())
            if isinstance(value, str) and option.about.kind in ("run", *NETS) and not ours:
                values[option.name] = self.runs.path(value)
            if most is not None and isinstance(value, int | float) and value > most:
                if option.name in values:
                    raise InputError(f"{name}: {option.name} is at most {most} here, not {value}")
                values[option.name] = most
            if nested:
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


def asks(name: str, kinds: list[str]) -> bool:
    """Does this agent play by a net of one of these kinds, that came with the program unless another is given?"""
    maker: Any = agents.maker(name)
    return any(option.about.kind in kinds for option in spec.parameters(maker))


def came_with(game: Any, output: str) -> bool:
    """Did a net for this game come with the program that tells this?"""
    try:
        return bool(trained.made_for(game, output))
    except InputError:
        return False


def written(name: str, values: dict[str, Any]) -> str:
    """A spec of these values."""
    return f"{name}({', '.join(f'{word}={value!r}' for word, value in values.items())})"
