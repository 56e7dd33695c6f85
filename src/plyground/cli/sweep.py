"""The command sweep: an algorithm with several values of its options, and several seeds of each."""

from __future__ import annotations

import inspect
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..cluster import described, workers
from ..cluster.versions import TRAINING
from .arena import Actors
from .base import GameSpec, Json, app, examples, made, sigterm_interrupts
from .train import Algorithms, options_of, subcommand, typed

if TYPE_CHECKING:
    from ..learn.base import Learner
    from ..learn.sweep import Sweep

Vary = Annotated[
    list[str],
    typer.Option(
        help="an option of the algorithm, and its values: lr=0.001,0.003, or hidden=64|64,64; several make a grid",
        metavar="OPTION=VALUES",
    ),
]
Seeds = Annotated[int, typer.Option(help="of each setting; six are the fewest for an interval of 95 %", min=1)]
Out = Annotated[str, typer.Option(help="the folder of the sweep, with a folder for every run", metavar="FOLDER")]
Figure = Annotated[str, typer.Option(help="what sweep.svg shows; the first of the learning curve if none is named")]
Ray = Annotated[
    str,
    typer.Option(
        help="train on a Ray cluster whose machines share that folder: HOST:PORT, auto or local", metavar="ADDRESS"
    ),
]
Resource = Annotated[str, typer.Option(help="with --ray: train on nodes that have this resource", metavar="NAME")]
Jobs = Annotated[int, typer.Option(help="runs at once, each in a process", min=1)]
Resume = Annotated[bool, typer.Option("--resume", help="go on with the sweep in that folder")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="tell the runs, who would train them and which cannot be; train none")
]

OWN = ("vary", "seeds", "out", "resume", "figure", "jobs", "ray", "actors", "resource", "preset", "seed", "json")


class Sweeps(Algorithms):
    """The subcommands: nothing of an algorithm is imported before it is named."""

    def made(self, name: str, kind: type[Learner]) -> Any:
        return command(name, kind)


sweeping = typer.Typer(cls=Sweeps, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(
    sweeping,
    name="sweep",
    short_help="Train by an algorithm with several values of its options, and several seeds of each.",
    epilog=examples(
        "plyground sweep dqn --help",
        "plyground sweep dqn tictactoe --vary lr=0.001,0.003 --seeds 3 --out runs/sweep",
    ),
)


@sweeping.callback()
def sweep() -> None:
    """Train by an algorithm with several values of its options, and several seeds of each.

    `plyground sweep ALGORITHM --help` tells its options.
    """


def command(name: str, kind: type[Learner]) -> Any:
    """The subcommand of an algorithm."""
    options = {word: taken for word, taken in options_of(kind).items() if word not in OWN}
    presets = ", ".join(kind.presets) or "there is none"

    def run(ctx: typer.Context, **words: Any) -> None:
        from ..api.learning import run_to_the_end
        from ..learn.sweep import Sweep, read_vary
        from .reports import print_report

        made(words["game"], words["seed"])
        given = {word: words[word] for word in options if typed(ctx, word)}
        vary = read_vary(kind, words["vary"])
        wanted = Sweep(name, words["game"], vary, words["seeds"], words["seed"], given, words["preset"])
        wanted.must_make_sense()
        out, jobs = Path(words["out"]), 0 if words["ray"] and not typed(ctx, "jobs") else words["jobs"]
        with workers(jobs, words["ray"], words["actors"], words["resource"], wanted.specs, TRAINING) as those:
            if words["dry_run"]:
                return tell_plan(wanted, out, words["resume"], described(those))
            try:
                with sigterm_interrupts() as asked:
                    report = run_to_the_end(wanted, out, words["resume"], those, words["figure"])
            except KeyboardInterrupt:
                print(f"plyground: interrupted; --resume goes on with {out}", file=sys.stderr)
                raise typer.Exit(128 + (asked or [signal.SIGINT])[0]) from None
        print_report(report, words["json"])
        if report.no_figure:
            raise typer.Exit(2)
        if all(one.failed for one in report.ended.values()):
            raise typer.Exit(1)  # there is not one net
        return None

    fixed: dict[str, tuple[Any, Any]] = {
        "ctx": (typer.Context, inspect.Parameter.empty),
        "game": (GameSpec, inspect.Parameter.empty),
        "vary": (Vary, inspect.Parameter.empty),
        "seeds": (Seeds, 3),
        "out": (Out, inspect.Parameter.empty),
        "resume": (Resume, False),
        "dry_run": (DryRun, False),
        "figure": (Figure, ""),
        "jobs": (Jobs, 1),
        "ray": (Ray, ""),
        "actors": (Actors, 0),
        "resource": (Resource, ""),
        "preset": (Annotated[str, typer.Option(help=f"options by a name: {presets}")], ""),
        "seed": (Annotated[int, typer.Option(help="the first of the seeds", min=0)], 0),
        "json": (Json, False),
    }
    fixed |= options
    run.__doc__ = (
        f"Sweep over options of {name}: every combination of their values, some seeds of each, a table of medians.\n\n"
        f"It learns {kind.learns}.  Every run is one of `plyground train {name}`, in a folder of its own.  Stopped or "
        "killed, the sweep goes on with --resume: runs that have ended stay, others go on from their checkpoints, and "
        "--seeds may be more than before."
    )
    usual = f"plyground sweep {name} {kind.example} --vary lr=0.001,0.003 --out runs/sweep"
    return subcommand(name, run, fixed, [usual, f"{usual} --resume"])


def tell_plan(wanted: Sweep, out: Path, resume: bool, who: str) -> None:
    """What a sweep would do; InputError for whatever would end it."""
    from ..learn.sweep import SweepFolder

    ended = {}
    if resume:
        SweepFolder.agreed(out, wanted.plan())
        ended = SweepFolder.look(out).ended
    else:
        SweepFolder.must_be_free(out)
    failing = wanted.failing()
    print(who)
    for task in wanted.tasks:
        why = "has ended" if task in ended else failing.get(task.setting, "")
        print(wanted.name(task) + (f": {why}" if why else ""))
