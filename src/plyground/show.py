"""What the commands print: progress on stderr, reports and JSON on stdout."""

from __future__ import annotations

import json as json_
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # these import the compiler, and `--help` must not
    from .agents.base import Agent, Limit, Thought
    from .arena.match import Result
    from .arena.statistics import Tally


def emit(value: dict[str, Any]) -> None:
    print(json_.dumps(value, allow_nan=False))


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for an infinite one."""
    return value if abs(value) != float("inf") else None


def table(*columns: str, title: str | None = None) -> Any:
    from rich.table import Table

    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        made.add_column(column, justify="left" if number == 0 else "right")
    return made


def show(what: Any) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(what)


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
def match_progress(games: int) -> Iterator[Callable[[Result], None]]:
    with progress() as bar:
        task = bar.add_task("playing", total=games)

        def watch(result: Result) -> None:
            tally = result.tally()
            text = f"+{tally.wins} ={tally.draws} -{tally.losses}"
            bar.update(task, completed=len(result.records), description=text)

        yield watch


@contextmanager
def thinking(agent: Agent) -> Iterator[Limit]:
    """A limit that does not limit the agent but moves a progress bar, if it has many seconds to think."""
    from .agents.base import Limit

    seconds = getattr(agent, "seconds", None)
    if not seconds or seconds < 1:
        yield Limit()
        return
    with progress() as bar:
        task = bar.add_task("thinking", total=seconds)
        begun: list[float] = []

        def stop() -> bool:
            begun.append(time.perf_counter())
            bar.update(task, completed=begun[-1] - begun[0])
            return False

        yield Limit(stop=stop)


def thought_report(game: Any, state: Any, thought: Thought, json: bool) -> None:
    if json:
        moves = [
            {"action": m.action, "name": game.name(m.action), "visits": m.visits, "value": m.value, "proven": m.proven}
            for m in thought.moves
        ]
        emit(
            {
                "action": thought.action,
                "name": game.name(thought.action),
                "value": thought.value,
                "simulations": thought.simulations,
                "seconds": thought.seconds,
                "moves": moves,
                "line": [game.name(action) for action in thought.line],
            }
        )
        return
    print(game.text(state))
    print(f"\n{game.name(thought.action)}", end="")
    if thought.value is not None:
        print(f", value {thought.value:+.3f} for the player to move", end="")
    rate = f", {thought.simulations / thought.seconds:,.0f}/s" if thought.seconds and thought.simulations else ""
    print(f"\n{thought.simulations:,} simulations in {thought.seconds:.3f} s{rate}")
    if thought.line:
        print("line:", " ".join(game.name(action) for action in thought.line))
    if thought.moves:
        rows = table("move", "visits", "share", "value", "")
        total = sum(m.visits for m in thought.moves) or 1
        for m in thought.moves[:20]:
            proven = ("won" if m.value > 0 else "lost") if m.proven else ""
            rows.add_row(game.name(m.action), f"{m.visits:,}", f"{m.visits / total:.1%}", f"{m.value:+.3f}", proven)
        print()
        show(rows)
        if len(thought.moves) > 20:
            print(f"and {len(thought.moves) - 20} more")


def counts(tally: Tally) -> dict[str, int]:
    return {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}


def match_report(result: Result, moves: bool, json: bool) -> None:
    from .arena.statistics import elo

    plan, total = result.plan, result.tally()
    low, high = total.interval()
    seats = {"first": result.tally(0), "second": result.tally(1)}
    told: list[dict[str, Any]] = [
        {
            "number": r.number + 1,
            "first": plan.agents[r.first],
            "moves": r.names,
            "opening": r.opening,
            "score": r.score,
        }
        for r in result.records
    ]
    if json:
        report = {
            "game": plan.game,
            "agents": list(plan.agents),
            "seed": plan.seed,
            **counts(total),
            "first": counts(seats["first"]),
            "second": counts(seats["second"]),
            "score": total.score,
            "interval": [low, high],
            "elo": finite(elo(total.score)),
            "elo_interval": [finite(elo(low)), finite(elo(high))],
            "seconds_per_move": [result.seconds_a_move(0), result.seconds_a_move(1)],
        }
        emit(report | ({"records": told} if moves else {}))
        return
    if moves:
        for one in told:
            print(f"{one['number']:>4}  {one['first']} first, score {one['score']:+g}: {' '.join(one['moves'])}")
        print()
    rows = table(f"{plan.agents[0]} v {plan.agents[1]}", "games", "wins", "draws", "losses", "score")
    for name, tally in [("moving first", seats["first"]), ("moving second", seats["second"]), ("together", total)]:
        rows.add_row(name, *(f"{n:,}" for n in counts(tally).values()), f"{tally.score:.1%}")
    show(rows)
    print(f"\nscore {total.score:.1%}, 95 % interval {low:.1%} to {high:.1%}")
    print(f"Elo difference {elo(total.score):+.0f}, 95 % interval {elo(low):+.0f} to {elo(high):+.0f}")
    for number, agent in enumerate(plan.agents):
        print(f"{agent}: {1000 * result.seconds_a_move(number):.2f} ms a move")


def bench_report(measured: dict[str, Any], json: bool) -> None:
    if json:
        emit(measured)
        return
    for part, rows in measured.items():
        if isinstance(rows, str):
            print(f"{part}: {rows}\n")
            continue
        drawn = table(*(name.replace("_", " ") for name in rows[0]), title=part)
        for row in rows:
            drawn.add_row(
                *(
                    f"{v:,.2f}"
                    if isinstance(v, float) and abs(v) < 100
                    else f"{v:,.0f}"
                    if isinstance(v, float)
                    else str(v)
                    for v in row.values()
                )
            )
        show(drawn)
        print()
