"""How far work has come: a bar on stderr, in a terminal and in a notebook; nothing where nobody looks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from .jit.progress import compilations

if TYPE_CHECKING:  # these import the compiler, and `--help` must not
    from .agents.base import Agent, Limit
    from .arena.results import Result
    from .arena.sprt import Trial
    from .learn.base import Learner

PATIENCE, EVERY = 2.0, 0.5  # seconds before a notebook is told of work, and between two times
BESIDE = 38  # columns of a terminal for a bar, counts and times
LOGGED = 30.0  # seconds between two lines of a training that nobody watches


def in_notebook() -> bool:
    """Does this process run the cells of a notebook?"""
    return "ipykernel" in sys.modules


def progress() -> Any:
    """A progress bar on stderr; in a notebook, a line that is written anew; nothing where nobody looks."""
    if in_notebook():
        return _Line()
    if not sys.stderr.isatty():
        return nullcontext(_NoBar())
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    console = Console(stderr=True)
    words = Column(no_wrap=True, max_width=max(20, console.width - BESIDE))
    count = TextColumn("{task.completed:.0f}/{task.total:.0f}")
    said = TextColumn("{task.description}", table_column=words)
    columns = [said, BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()]
    return Progress(*columns, console=console, transient=True)


class _NoBar:
    """Does nothing, like a progress bar that nobody sees."""

    def add_task(self, *_: Any, **__: Any) -> int:
        return 0

    def update(self, *_: Any, **__: Any) -> None:
        pass


class _Line:
    """The same on one line, which is cleared at the end; nothing where it is a matter of a moment."""

    every = EVERY

    def __init__(self) -> None:
        self._next, self._wide = time.monotonic() + max(PATIENCE, self.every), 0
        self._said: dict[str, Any] = {}

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wide:
            self._write("")

    def add_task(self, description: str, total: float) -> int:
        self._said = {"description": description, "total": total, "completed": 0}
        return 0

    def update(self, task: int, **said: Any) -> None:
        self._said |= said
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.every
            self._write("{description}  {completed:,.0f} of {total:,.0f}".format(**self._said))

    def _write(self, text: str) -> None:
        print(f"\r{text:<{self._wide}}", end="" if text else "\r", file=sys.stderr, flush=True)
        self._wide = len(text)


class _Log(_Line):
    """The same where nobody looks, for who reads it later: a line of its own now and then."""

    every = LOGGED

    def _write(self, text: str) -> None:
        print(f"plyground: {text}", file=sys.stderr, flush=True)


@contextmanager
def training_progress(algorithm: str, run: str = "") -> Iterator[Callable[[Learner, dict[str, Any]], None]]:
    """A bar for a training, whose watch is told the learner and its latest figures; it may name the run.

    What the learner is about meanwhile, and what is being compiled, is looked up now and then by a thread.
    """
    last: dict[str, Any] = {}
    at_work: list[Learner] = []
    headline, lock = [f"{algorithm} gets ready"], threading.Lock()
    with progress() if in_notebook() or sys.stderr.isatty() else nullcontext(_Log()) as bar:
        task = bar.add_task(run or headline[0], total=1)

        def show() -> None:
            said, far = [f"compiling {one.kernel}" for one in compilations.under_way[:1]], {}
            for learner in at_work:
                done, what = learner.under_way()
                said, far = [*said, what], {"completed": learner.done + done, "total": learner.steps}
            with lock:
                bar.update(task, description="; ".join(filter(None, [run, *said, *headline])), **far)

        def watch(learner: Learner, figures: dict[str, Any]) -> None:
            last.update(figures)
            at_work[:] = [learner]
            headline[:] = [learner.headline(last) if last else algorithm]
            show()

        with now_and_then(show):
            yield watch


@contextmanager
def sweep_progress(runs: int, steps: Callable[[], dict[str, int]]) -> Iterator[Callable[[int], None]]:
    """A bar for runs in other processes, whose watch is told how many have ended; `steps` tells how far others are."""
    with progress() as bar:
        task = bar.add_task("beginning", total=runs)

        def show() -> None:
            told = [f"{run} {done:,}" for run, done in steps().items()]
            bar.update(task, description=", ".join(told) or "beginning")

        with now_and_then(show):
            yield lambda done: bar.update(task, completed=done)


@contextmanager
def now_and_then(do: Callable[[], None]) -> Iterator[None]:
    """Do something all the time, with a moment between, in a thread of its own."""
    ended = threading.Event()

    def again() -> None:
        while not ended.wait(EVERY):
            do()

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def match_progress(games: int, trial: Trial | None = None) -> Iterator[Callable[[Result], None]]:
    with progress() as bar:
        task = bar.add_task("playing", total=games)

        def watch(result: Result) -> None:
            tally = result.tally()
            text = f"+{tally.wins} ={tally.draws} -{tally.losses}"
            test = f"  {trial.headline()}" if trial else ""
            bar.update(task, completed=len(result.records), description=text + test)

        yield watch


@contextmanager
def thinking(agent: Agent, asked: list[int]) -> Iterator[Limit]:
    """A limit that ends when the person has `asked` for it, and moves a progress bar if there is much time to think."""
    from .agents.base import Limit

    seconds = agent.seconds
    if not seconds or seconds < 1:
        yield Limit(stop=lambda: bool(asked))
        return
    with progress() as bar:
        task = bar.add_task("thinking", total=seconds)
        begun: list[float] = []

        def stop() -> bool:
            begun.append(time.perf_counter())
            bar.update(task, completed=begun[-1] - begun[0])
            return bool(asked)

        yield Limit(stop=stop)


@contextmanager
def solving(what: str) -> Iterator[Callable[[Any], None]]:
    """A progress bar: over the moves of a solution, or a count of positions."""
    with progress() as bar:
        task = bar.add_task("solving", total=1)

        def watch(found: Any) -> None:
            if what == "moves":
                answered = sum(answer.value is not None for answer in found.answers)
                text = f"solving, {found.nodes:,} positions, moves"
                bar.update(task, completed=answered, total=len(found.answers), description=text)
            else:
                bar.update(task, completed=found, total=found, description="positions")

        yield watch
