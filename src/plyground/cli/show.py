"""How the commands print: progress on stderr, tables and JSON on stdout."""

from __future__ import annotations

import json as json_
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from ..tables import Table

if TYPE_CHECKING:  # these import the compiler, and `--help` must not
    from ..agents.base import Agent, Limit
    from ..arena.results import Result
    from ..arena.sprt import Trial


def emit(value: dict[str, Any]) -> None:
    print(json_.dumps(value, allow_nan=False))


def show(part: str | Table) -> None:
    """Print a text, or a table, whose head is bold in a terminal."""
    if isinstance(part, str) or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        print(part)
        return
    lines = part.lines()
    head = bool(part.title)
    lines[head] = f"\033[1m{lines[head]}\033[0m"
    print("\n".join(lines))


def progress() -> Any:
    """A progress bar on stderr; nothing where nobody looks."""
    if not sys.stderr.isatty():
        return nullcontext(_NoBar())
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    count = TextColumn("{task.completed:.0f}/{task.total:.0f}")
    columns = [TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _NoBar:
    """Does nothing, like a progress bar that nobody sees."""

    def add_task(self, *_: Any, **__: Any) -> int:
        return 0

    def update(self, *_: Any, **__: Any) -> None:
        pass


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
    from ..agents.base import Limit

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
