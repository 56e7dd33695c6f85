"""Kernels compiled before they are asked for, in processes beside this one.

A task is a game with an agent, or with the solver.  A process lets it get ready for the game, so that all kernels that
it needs are kept on disk, and tells line by line what it compiles and how far that is.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from . import agents, games
from .child import Gone, Program
from .jit.progress import Compilation, compilations, described
from .machine import cores
from .manifest import NOTHING, families, loaded, ours
from .rules import new
from .spec import InputError

NICE = 10  # by how much processes in the background are less urgent than others
EVERY = 0.1  # seconds between two lines
URGENT = 2  # processes for what somebody waits for
LONGEST_QUEUE = 32  # of tasks that somebody waits for
LONGEST = 3600.0  # seconds of silence after which a process is given up
CODE = (
    "import os, sys; os.environ.setdefault('OPENBLAS_NUM_THREADS', '1'); "  # there is a process for every core
    "os.environ.update({!r}); sys.path.append({!r}); from plyground.warmup import main; main()"
)


SOLVER = ""  # in the place of an agent


class Task(NamedTuple):
    """A game and an agent, as people write them, or the solver."""

    game: str
    agent: str


def shipped() -> list[Task]:
    """Every game there is, with the agent that a person meets in it, in the order of the page."""
    found = loaded(games.registry(), games.make)
    return [Task(name, agents.usual(game)) for name, game in found.items()]


def beforehand() -> list[Task]:
    """What is worth compiling before anybody asks: every game there is, then those that families name besides."""
    named = [spec for family in families() if family.there for spec in family.warmups]
    return [*shipped(), *(Task(spec, agents.usual(game)) for spec, game in loaded(named, games.make).items())]


def packed() -> list[Task]:
    """What a wheel brings along compiled: what people meet first, and what families name besides."""
    return [*shipped(), *(Task(*pair) for family in ours() if family.there for pair in family.packed)]


@dataclass
class Progress:
    """How far a task is."""

    task: Task
    kernel: str = ""  # that is being compiled; "" before the first and between two
    kernels: int = 0  # compiled so far
    share: float = 0.0  # of this kernel that is done
    seconds_left: float | None = None  # of this kernel; None if that cannot be told
    problem: str = ""  # why the task has failed, in one line
    begun: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def done(self) -> float:
        """About how much of the task is done, 0 to 1: nobody knows how many kernels there will be."""
        return 1.0 if self.ended.is_set() else 0.9 * (1 - (1 - self.share) / (self.kernels + 1))

    def describe(self) -> str:
        """What is being compiled and how far that is, for people."""
        if not self.kernel:
            return "getting ready to compile"
        return described(self.kernel, self.share, self.seconds_left)


class WarmUp:
    """Tasks that are done in processes: some in the background, and before them those that somebody waits for.

    changed: told of every progress, in any thread.  environment: variables that its processes have besides ours.
    """

    def __init__(
        self, changed: Callable[[Progress], None] = lambda progress: None, environment: Mapping[str, str] = NOTHING
    ) -> None:
        self.changed = changed
        self.environment = dict(environment)
        self.known: dict[Task, Progress] = {}
        self._later: deque[Progress] = deque()
        self._wanted: deque[Progress] = deque()
        self._urgent = 0  # processes that do what is wanted
        self._lock = threading.Lock()
        self._calm = threading.Condition(self._lock)  # nobody waits
        self._closed = threading.Event()

    def begin(self, tasks: Iterable[Task], processes: int | None = None, nice: int = NICE) -> list[Progress]:
        """Do these in the background, in their order, in so many processes; one for each core if nobody says."""
        with self._lock:
            new = [Progress(task) for task in tasks if task not in self.known]
            self.known |= {progress.task: progress for progress in new}
            self._later.extend(new)
        for _ in range(min(len(new), processes or cores())):
            threading.Thread(target=self._work, args=(self._later, nice), daemon=True, name="warm-up").start()
        return new

    def want(self, task: Task) -> Progress:
        """Do this as soon as possible, once more if it was done before: somebody waits.  InputError if too many do."""
        with self._lock:
            known = self.known.get(task)
            if known and not known.ended.is_set() and (known.begun or known in self._wanted):
                return known
            if len(self._wanted) >= LONGEST_QUEUE:
                raise InputError("busy: too many agents wait for the compiler")
            if known and known in self._later:
                self._later.remove(known)
            progress = self.known[task] = known if known and not known.begun else Progress(task)
            self._wanted.append(progress)
            if self._urgent == URGENT:
                return progress
            self._urgent += 1
        threading.Thread(target=self._work, args=(self._wanted, 0), daemon=True, name="warm-up").start()
        return progress

    def close(self) -> None:
        """End what is under way."""
        self._closed.set()
        with self._calm:
            self._calm.notify_all()

    def _work(self, tasks: deque[Progress], nice: int) -> None:
        """Do one task after the other in one process, until none waits."""
        program = None
        while progress := self._next(tasks):
            try:
                program = program or Program(command(nice, self.environment), lambda line: line.startswith("{"))
                self._do(program, progress)
            except (Gone, InputError) as error:
                progress.problem, program = str(error), None
            progress.kernel = ""
            progress.ended.set()
            self.changed(progress)
        if program:
            program.end()

    def _next(self, tasks: deque[Progress]) -> Progress | None:
        """What is to be done next; nothing new is begun in the background while somebody waits."""
        with self._calm:
            if tasks is self._later:
                self._calm.wait_for(lambda: not self._urgent or self._closed.is_set())
            if tasks and not self._closed.is_set():
                progress = tasks.popleft()
                progress.begun = True
                return progress
            if tasks is self._wanted:
                self._urgent -= 1
                self._calm.notify_all()
            return None

    def _do(self, program: Program, progress: Progress) -> None:
        program.say(json.dumps(progress.task))
        while line := program.answer(LONGEST, self._closed.is_set):
            told = json.loads(line)
            if "problem" in told:
                progress.problem = told["problem"]
                return
            progress.kernel, progress.share, progress.seconds_left = told["kernel"], told["share"], told["left"]
            progress.kernels = told["kernels"]
            self.changed(progress)
        progress.problem = "it was given up"


def command(nice: int, environment: Mapping[str, str] = NOTHING) -> list[str]:
    """What starts a process for tasks, with these variables."""
    code = CODE.format(dict(environment), str(Path(__file__).parents[1]))
    return [sys.executable, "-P", "-c", code, str(nice)]


class Teller:
    """Tells what is compiled, one line a change, but not too many."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        self.say = say
        self.kernels = 0
        self._last = 0.0

    def tell(self, compilation: Compilation, ended: bool) -> None:
        self.kernels += ended
        now = time.monotonic()
        if ended or now - self._last > EVERY:
            self._last = now
            share, left = compilation.share, compilation.seconds_left
            kernel = "" if ended else compilation.kernel
            self.say({"kernel": kernel, "share": 0.0 if ended else share, "left": left, "kernels": self.kernels})


def prepare(task: Task) -> str:
    """Compile and load all that the agent, or the solver, needs in the game; what is wrong with that, or nothing."""
    from .exact.solve import solver

    try:
        game = games.make(task.game)
        if task.agent == SOLVER:
            solver(game, new(game), memory=1)
        else:
            agents.make(task.agent).ready(game)
    except InputError as error:
        return " ".join(str(error).split())[:500]
    return ""


def main() -> None:
    """Be a process for tasks: they come as lines of JSON, and so do the answers."""
    sink = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(told: dict[str, Any]) -> None:
        print(json.dumps(told), file=sink, flush=True)

    with suppress(AttributeError, OSError):  # Windows has none
        os.nice(int(sys.argv[1]))
    for line in sys.stdin:
        if not line.startswith("["):
            return
        compilations.watch = Teller(say).tell
        say({"problem": prepare(Task(*json.loads(line)))})
