"""What a family of games brings along besides its rules, and how general code finds it.

A family is a package whose ``__init__.py`` holds a `Manifest`: agents, learners, scorings, nets, a solver, a view on
the page and whatever else only its games have.  General code (search, nets, agents, exact, arena, learn, web, cli) asks
the manifest of a game; it never asks which game it is.  Everything in a manifest is a name, `module:thing`, imported
when it is asked for.

Installed packages announce theirs by entry points: whole families in the group `plyground.families` (a `Manifest`),
single things in `plyground.games`, `plyground.agents`, `plyground.learners` and `plyground.scorings`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from multiprocessing import parent_process
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .spec import InputError

Names = Mapping[str, str]  # what people write: `module:thing` within the package of the family
ANNOUNCED = ("games", "agents", "learners", "scorings")  # kinds of which packages may announce single things
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Needed(NamedTuple):
    """A library without which nothing of a family works."""

    module: str  # of it
    name: str  # what people call it
    extra: str  # of this package, which installs it


@dataclass(frozen=True)
class Manifest:
    """The furniture of one family.  Only `package` is required."""

    package: str  # where the modules below are found
    games: Names = field(default_factory=dict)  # a class of rules, or a function that makes a game
    agents: Names = field(default_factory=dict)  # a class of agents
    learners: Names = field(default_factory=dict)  # a class of learners
    scorings: Names = field(
        default_factory=dict
    )  # makes a scoring for the games of this family; `auto` takes the first
    benchmarks: Names = field(default_factory=dict)  # measures, given the seconds for each row
    trials: Names = field(default_factory=dict)  # doors of a `trust.Campaign`, which is what they are given
    small: tuple[str, ...] = ()  # games that are over soon, which such a campaign plays
    tiny: tuple[str, ...] = ()  # games that it solves
    in_openspiel: Names = field(default_factory=dict)  # games: the same there, with whose rules it compares ours
    engines: Names = field(default_factory=dict)  # a command that serves a protocol; its `examples` are shown
    protocols: Names = field(default_factory=dict)  # a `programs.conversation.Conversation` with programs by others
    warmups: tuple[str, ...] = ()  # games, besides those above, to be compiled before they are asked for: an engine's
    packed: tuple[tuple[str, str], ...] = ()  # games and agents, besides the usual, that a wheel has compiled
    formats: Names = field(default_factory=dict)  # end of a file's name: a module with `parse` and `text`
    presets: Mapping[str, str] = field(default_factory=dict)  # learner: its options by game spec
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # learner: its options for these games
    renamed: Names = field(default_factory=dict)  # agents of older versions: the names that they have now
    openings: str = ""  # (game, plies, bound, rng) -> known openings with values nearer to 0, as actions, shuffled
    opponent: str = ""  # (game) -> spec of the agent that a person meets, or "" for the general one
    afterstates: str = ""  # (game) -> `nets.afterstates.Afterstates`: how actions look, if not as the game encodes them
    double_threats: str = ""  # (game, state, player) -> actions after which it could win at once in several ways
    prover: str = ""  # (game, depth) -> what proves leaves in a search by a net, or None
    solver: str = ""  # (game, state, memory) -> a Solver that beats the general one, or None
    variable: frozenset[str] = frozenset()  # parameters that may differ between games which one net plays
    nets: str = ""  # a folder of nets, one folder each
    net_kinds: Names = field(default_factory=dict)  # kinds of nets: a module as `nets.kinds` tells
    positions: str = ""  # a folder of positions whose truth is known, one file a game
    openspiel: str = ""  # (game) -> None, or the same game in OpenSpiel, and state -> actions that lead there, or None
    openspiel_actions: str = ""  # (game) -> None, or (game, OpenSpiel's state) -> our legal actions, each with theirs
    openspiel_turns: str = ""  # (game) -> None, or (game, OpenSpiel's state) -> our moves in each of their actions
    needs: Needed | None = None  # where it is not installed, the family is left out
    view: str = ""  # a `View`, where the page shows these games in a way of its own

    @property
    def there(self) -> bool:
        """Is the library installed that it needs, if it needs one?"""
        return self.needs is None or _installed(self.needs.module)

    def load(self, name: str) -> Any:
        """What `module:thing` of this family stands for; a module, where no thing is named.

        InputError if an installed package cannot be loaded.
        """
        return load("family", self.package, f"{self.package}.{name}")

    @property
    def folder(self) -> Path:
        """Where the family's files lie."""
        return Path(load("family", self.package, self.package).__file__ or "").parent


@dataclass(frozen=True)
class View:
    """How the page shows games of a family in a way of its own.  What the script has to answer: docs/api.md."""

    name: str  # lower-case letters, digits and dashes: the page shows it at #NAME
    title: str
    static: Path  # a folder of files that the server offers at /views/NAME/
    script: str  # a JavaScript module there, loaded when the view is first opened
    styles: tuple[str, ...] = ()  # style sheets there
    games: tuple[str, ...] = ()  # of the family; all of them if none is named
    requests: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)  # GET /api/views/NAME/REQUEST?game=SPEC
    net_agent: str = ""  # plays the nets of runs here, unless an agent has the name of the run's algorithm


def imported(name: str) -> Any:
    """What `package.module:thing` stands for."""
    module, _, thing = name.partition(":")
    found = import_module(module)
    return getattr(found, thing) if thing else found


def families() -> tuple[Manifest, ...]:
    """The families that came with the program, and those that installed packages announce."""
    return ours() + tuple(family for family in theirs().values() if family.package not in {f.package for f in ours()})


@lru_cache(1)
def ours() -> tuple[Manifest, ...]:
    """The families that came with the program."""
    return tuple(import_module(name).MANIFEST for name in import_module("plyground.games").FAMILIES)


@lru_cache(1)
def theirs() -> dict[str, Manifest]:
    """The families that installed packages announce, by who does; a package that is broken is named and left out."""
    found = {}
    for point in announced("families"):
        try:
            family = point.load()
        except (Exception, SystemExit) as error:
            warn(f"{described(point)} cannot be loaded: {type(error).__name__}: {error}")
            continue
        if isinstance(family, Manifest):
            found[point.value] = family
        else:
            warn(f"{described(point)} is not a Manifest but {family!r:.60}")
    return found


@lru_cache(None)
def announced(kind: str) -> tuple[EntryPoint, ...]:
    """What installed packages announce of a kind: `games`, `agents`, `learners`, `scorings` or `families`."""
    return tuple(all_announced().select(group=f"plyground.{kind}"))


@lru_cache(1)
def all_announced() -> Any:
    """What installed packages announce to anybody, looked through once for all kinds."""
    return entry_points()


def described(point: EntryPoint) -> str:
    """An entry point, as people call it."""
    package = point.dist.name if point.dist else "an installed package"
    return f"{point.group.removeprefix('plyground.')} {point.name!r} of {package} ({point.value})"


@lru_cache(None)
def warn(line: str) -> None:
    """Say it in one line, once, unless this process only works for another one."""
    if parent_process() is None:
        print("plyground:", " ".join(line.split()), file=sys.stderr)


def family_of(game: Any) -> Manifest:
    """The family of a game; one without any furniture for a game from somebody's own file."""
    home = f"{getattr(type(game), '_home', type(game).__module__)}."
    fitting = [family for family in families() if home.startswith(f"{family.package}.")]
    return max(fitting, key=lambda family: len(family.package), default=Manifest(package=home.rstrip(".")))


def ask(game: Any, question: str, *details: Any) -> Any:
    """What the family of a game answers to a question (`opponent`, `prover`, ...); None where it has no answer."""
    family = family_of(game)
    name = getattr(family, question)
    return family.load(name)(game, *details) if name else None


def registered(kind: str, general: Names = NOTHING) -> dict[str, str]:
    """Everything of a kind (`agents`, `learners`, ...): `package.module:thing` by name.

    What is general, then what families bring along, then what installed packages announce; the first of a name wins.
    """
    found = dict(general)
    for family in families():
        for name, where in getattr(family, kind).items() if family.there else ():
            _add(found, kind, name, f"{family.package}.{where}", f"the family {family.package}")
    for point in announced(kind) if kind in ANNOUNCED else ():
        _add(found, kind, point.name, point.value, described(point))
    return found


@lru_cache(None)
def _installed(module: str) -> bool:
    return find_spec(module) is not None


def must_be_there(kind: str, name: str) -> None:
    """InputError if this (`games`, `agents`) belongs to a family whose library is not installed."""
    for family in families():
        if family.needs and not family.there and name in getattr(family, kind):
            raise InputError(f'{name} needs {family.needs.name}: pip install "plyground[{family.needs.extra}]"')


_clashes: dict[tuple[str, str], str] = {}  # by what stands for it and the name: that others announce it, too


def _add(found: dict[str, str], kind: str, name: str, where: str, who: str) -> None:
    if found.setdefault(name, where) != where:
        told = f"{kind}: {name!r} is {found[name]}, and not what {who} announces by that name"
        _clashes[found[name], name] = told


def load(kind: str, name: str, where: str) -> Any:
    """What a registered name stands for; InputError if an installed package cannot be loaded.

    If others announce that name, too, it is said here, where it is used.
    """
    if (where, name) in _clashes:
        warn(_clashes[where, name])
    try:
        return imported(where)
    except (Exception, SystemExit) as error:
        if where.startswith("plyground."):
            raise
        raise InputError(f"{kind} {name!r}: {where} cannot be loaded: {type(error).__name__}: {error}") from None


def loaded(names: Iterable[str], maker: Callable[[str], Any]) -> dict[str, Any]:
    """What makes each of the registered names; one of an installed package that is broken is named and left out."""
    found = {}
    for name in names:
        try:
            found[name] = maker(name)
        except InputError as error:
            warn(str(error))
    return found


def renamed(name: str) -> str:
    """The name that an agent has now; itself, unless a family has renamed it."""
    return next((family.renamed[name] for family in families() if name in family.renamed), name)
