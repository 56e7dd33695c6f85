"""A sweep: one learner and one game, every setting of some options, several seeds of each; every one a run of its own.

    plan.json       everything that determines the runs
    results.jsonl   the runs that have ended, a line for each
    NN-lr-0.01-seed0/   the run of a setting and seed

It may be killed at any moment: runs that have ended stay, the one under way goes on from its newest checkpoint.  When
it goes on it may have more seeds than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from .. import atomic, games, sealed
from ..arena.journal import PLAN, Journal
from ..arena.parallel import Jobs, at_most, in_parallel
from ..spec import InputError, Parameter, look_up, parameters
from . import learner as learner_of
from .base import chosen, usual_for
from .run import CONFIG, METRICS, Run, lines
from .train import Watch, begin, must_have, must_suit, prepared, train

Watching = Callable[[str], AbstractContextManager[Watch]]  # of a run by its name: whoever is told how far it is
Setting = dict[str, Any]  # the options that a sweep varies, with a value each
OTHER = re.compile(r"[^A-Za-z0-9.]+|\.{2,}")  # what the name of a run on the page has a dash for


class Task(NamedTuple):
    """One run of a sweep."""

    setting: int  # its number
    seed: int


@dataclass(frozen=True)
class Sweep:
    """Everything that determines the runs."""

    algorithm: str
    game: str
    vary: dict[str, list[Any]]  # values of options
    seeds: int = 3
    seed: int = 0  # the first one
    given: Setting = field(default_factory=dict)  # options that all runs have
    preset: str = ""

    @property
    def settings(self) -> list[Setting]:
        """All combinations of the values, the last option changing first."""
        return [dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values())]

    @property
    def tasks(self) -> list[Task]:
        """All runs; every setting has one before any has two."""
        return [Task(number, self.seed + i) for i in range(self.seeds) for number in range(len(self.settings))]

    @property
    def specs(self) -> list[str]:
        """What is written of the learner, the game and the options, where files of one's own may be named."""
        values = [*self.given.values(), *chain(*self.vary.values())]
        return [self.algorithm, self.game, *(value for value in values if isinstance(value, str))]

    def name(self, task: Task) -> str:
        """The folder of a run."""
        words = " ".join(f"{name} {value}" for name, value in self.settings[task.setting].items())
        return f"{task.setting + 1:02}-{OTHER.sub('-', words)[:40].strip('-')}-seed{task.seed}"

    def must_make_sense(self) -> None:
        """InputError for options that the learner does not take, or a game that it does not learn."""
        must_have()
        if self.seeds < 1:
            raise InputError("every setting has at least one seed")
        kind, game = learner_of(self.algorithm), games.make(self.game, self.seed)
        must_suit(kind, self.algorithm, game)
        if both := sorted(self.vary.keys() & self.given.keys()):
            raise InputError(f"{both[0]} is varied: leave out --{both[0].replace('_', '-')}")
        usual = usual_for(self.algorithm, game)
        for setting in self.settings:
            chosen(kind, self.given | setting, self.preset, usual)

    def plan(self) -> dict[str, Any]:
        """As its folder keeps it."""
        return {word: getattr(self, word) for word in self.__dataclass_fields__}

    def failing(self) -> dict[int, str]:
        """The numbers of settings whose runs cannot begin, and why: options that make no sense together."""
        found = {}
        for number, setting in enumerate(self.settings):
            try:
                with closing(prepared(self.algorithm, self.game, self.given | setting, self.preset, self.seed)):
                    pass
            except InputError as error:
                found[number] = str(error)
        return found


@dataclass(frozen=True)
class Ended:
    """What came of a run."""

    run: str  # its folder, within that of the sweep
    seconds: float
    figures: dict[str, float]  # the latest of each name
    curve: list[str]  # the figures that its learning curve shows
    failed: str = ""  # why there is no net


class SweepFolder(Journal):
    """The runs of a sweep that have ended, on disk."""

    file, about, entry, holds = "results.jsonl", "a sweep", "a run that has ended", "runs"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.clear()

    @classmethod
    def agreed(cls, folder: Path, plan: dict[str, Any]) -> dict[str, Any]:
        """Seeds may be added."""
        known = sealed.read(folder / PLAN, cls.about).get("plan")
        seeds = known.get("seeds") if isinstance(known, dict) else None
        if type(seeds) is not int:
            raise InputError(f"{folder / PLAN} does not describe {cls.about}")
        if plan["seeds"] < seeds:
            raise InputError(
                f"the sweep in {folder} has {seeds} seeds: --seeds {seeds} goes on with it, or more of them"
            )
        header = super().agreed(folder, plan | {"seeds": seeds})
        header["plan"]["seeds"] = plan["seeds"]
        return header

    @classmethod
    def resume(cls, folder: Path, plan: dict[str, Any]) -> SweepFolder:
        made = super().resume(folder, plan)
        atomic.write(folder / PLAN, sealed.text(made.header, indent=1))
        return made

    def clear(self) -> None:
        self.ended: dict[Task, Ended] = {}

    def take(self, line: Any) -> None:
        task, ended = Task(*line.pop("task")), Ended(**line)
        numbers = [ended.seconds, *task, *ended.figures.values()]
        if any(type(value) not in (int, float) for value in numbers) or not all(map(_is_text, ended.curve)):
            raise ValueError
        self.ended[task] = ended

    def add(self, task: Task, ended: Ended) -> None:
        """Keep what came of a run."""
        self.append({"task": list(task), **asdict(ended)})
        self.ended[task] = ended


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def nobody(run: str) -> AbstractContextManager[Watch]:
    """Nobody watches a run."""
    return nullcontext(lambda learner, figures: None)


def run_sweep(
    sweep: Sweep, folder: SweepFolder, jobs: Jobs = 1, watching: Watching = nobody
) -> Iterator[tuple[Task, Ended]]:
    """Each run as it ends, those that had ended before first; so many at once, of which one alone is watched."""
    yield from folder.ended.items()
    todo = [task for task in sweep.tasks if task not in folder.ended]
    here, jobs = folder.folder.resolve(), at_most(jobs, len(todo))
    work = partial(train_one, sweep, here, watching=watching if jobs == 1 else nobody)
    for task, ended in in_parallel(work, todo, jobs):
        if not ended.failed and not (here / ended.run / CONFIG).exists():
            raise InputError(f"{here} is not where the others see it: a sweep on a cluster needs a shared disk")
        folder.add(task, ended)
        yield task, ended


def steps_of(sweep: Sweep, folder: SweepFolder) -> dict[str, int]:
    """The runs that have begun and not ended, whoever trains them, with the steps that they have told of."""
    names = [sweep.name(task) for task in sweep.tasks if task not in folder.ended]
    told = {name: folder.folder / name for name in names if (folder.folder / name / CONFIG).exists()}
    return {name: max((line["step"] for line in lines(run / METRICS)), default=0) for name, run in told.items()}


def train_one(sweep: Sweep, folder: Path, task: Task, watching: Watching = nobody) -> Ended:
    """Train a run of a sweep to its end, from where it is."""
    name = sweep.name(task)
    where = folder / name
    try:
        with watching(name) as watch:
            run = _begun(sweep, where, task) if (where / CONFIG).exists() else _new(sweep, where, task)
            made = train(run, watch)
    except InputError as error:  # options that make no sense together, a net that learns too fast
        return Ended(name, 0.0, {}, [], str(error))
    latest: dict[str, float] = {}
    for line in run.metrics():
        latest |= {word: x for word, x in line.items() if type(x) in (int, float) and word not in ("step", "seconds")}
    return Ended(name, made.seconds, latest, list(made.curve))


def _new(sweep: Sweep, where: Path, task: Task) -> Run:
    given = sweep.given | sweep.settings[task.setting]
    return begin(where, sweep.algorithm, sweep.game, given, sweep.preset, task.seed)


def _begun(sweep: Sweep, where: Path, task: Task) -> Run:
    """A run that was begun before; InputError if it is another one."""
    run = Run.open(where)
    kind, game = learner_of(sweep.algorithm), games.make(sweep.game, task.seed)
    given = sweep.given | sweep.settings[task.setting]
    options = asdict(chosen(kind, given, sweep.preset, usual_for(sweep.algorithm, game)))
    told = [run.config[word] for word in ("algorithm", "game", "seed", "options")]
    if told != [sweep.algorithm, sweep.game, task.seed, options]:
        raise InputError(f"{where} is another run: choose another --out")
    return run


# --- what people write --------------------------------------------------------------------------------


def read_vary(kind: Any, texts: list[str]) -> dict[str, list[Any]]:
    """Options and their values from `lr=0.001,0.003`; where a value has commas, `hidden=64|64,64`."""
    options = {p.name: p for p in parameters(kind.options_type)}
    found: dict[str, list[Any]] = {}
    for text in texts:
        word, equals, values = text.partition("=")
        word = word.strip().replace("-", "_")
        if not equals or not values.strip():
            raise InputError(f"--vary names an option and its values, like lr=0.001,0.003, not {text!r}")
        if word in ("seed", "seeds"):
            raise InputError("--seeds says how many seeds each setting has")
        word = look_up("option", kind.options_type.formerly.get(word, word), options)
        if word in found:
            raise InputError(f"--vary names {word} twice: write all its values in one")
        parts = values.split("|") if "|" in values else values.split(",")
        found[word] = [read_value(options[word], part.strip()) for part in parts if part.strip()]
        if not found[word]:
            raise InputError(f"--vary {word} has no values")
        if len(set(found[word])) < len(found[word]):
            raise InputError(f"--vary {word} has a value twice")
    if not found:
        raise InputError("a sweep varies something: --vary lr=0.001,0.003")
    return found


def read_value(option: Parameter, text: str) -> Any:
    """The value of an option as people write it."""
    readers: dict[Any, Callable[[str], Any]] = {int: int, float: float, bool: _read_bool}
    try:
        if option.optional and text.lower() == "none":
            return None
        return option.checked(readers.get(option.type, str)(text), "sweep")
    except InputError:
        raise
    except ValueError:
        wants = {int: "whole numbers", float: "numbers", bool: "true and false"}[option.type]
        raise InputError(f"--vary {option.name} takes {wants}, not {text!r}") from None


def _read_bool(text: str) -> bool:
    words = {"true": True, "yes": True, "false": False, "no": False}
    if text.lower() not in words:
        raise ValueError
    return words[text.lower()]
