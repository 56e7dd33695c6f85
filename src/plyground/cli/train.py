"""The command train: one subcommand an algorithm, made of the algorithm's options when it is asked for."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..progress import training_progress
from ..spec import InputError
from .base import GameSpec, Json, app, asked_to_stop, examples, made

if TYPE_CHECKING:
    from ..learn.base import Learner
    from ..learn.run import Run
    from ..spec import Parameter

Out = Annotated[str, typer.Option(help="the folder of the run; only --dry-run needs none", metavar="RUN")]
Resume = Annotated[bool, typer.Option("--resume", help="go on with the run in that folder")]


Track = Annotated[str, typer.Option(help="tell the figures to trackio or wandb, too", metavar="TRACKER")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="tell what would be done, by whom and where, and do nothing")]


class Algorithms(TyperGroup):
    """The subcommands: nothing of an algorithm is imported before it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        from ..learn import registry

        return list(registry())

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        from ..learn import about, registry

        with formatter.section("Algorithms"):
            formatter.write_dl([(name, about(name)) for name in registry()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if len(args) > 1 and not args[1].startswith("-"):
            made(args[1])  # what is wrong with the game is told before PyTorch is loaded
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from ..learn import learner

        return self.made(cmd_name, learner(cmd_name))

    def made(self, name: str, kind: type[Learner]) -> Any:
        """The subcommand of an algorithm."""
        return command(name, kind)


training = typer.Typer(cls=Algorithms, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(
    training,
    name="train",
    short_help="Train a net by an algorithm.",
    epilog=examples(
        "plyground train dqn --help",
        "plyground train dqn tictactoe --out runs/dqn",
        "plyground train path/to/file.py:Learner tictactoe --out runs/own",
    ),
)


@training.callback()
def train() -> None:
    """Train a net by an algorithm; `plyground train ALGORITHM --help` explains it and its options."""


def command(name: str, kind: type[Learner]) -> Any:
    """The subcommand of an algorithm."""
    from ..learn.base import Asked, proven
    from ..spec import parameters
    from ..user_files import is_file

    options = options_of(kind)
    presets = ", ".join(kind.presets) or "there is none"
    seconds, seed = (as_option(p) for p in parameters(Asked))

    def run(ctx: typer.Context, **words: Any) -> None:
        from ..learn.run import must_be_free
        from ..learn.tracking import must_have
        from ..learn.train import begin, go_on, prepared

        if words["track"]:
            must_have(words["track"])
        given = {word: words[word] for word in options if typed(ctx, word)}
        game, out, seed = words["game"], Path(words["out"]), words["seed"]
        if not words["out"] and (words["resume"] or not words["dry_run"]):
            raise InputError("a training needs the folder of its run: --out RUN")
        made(game, seed)
        told = given | {word: words[word] for word in ("preset", "seed") if typed(ctx, word)}
        if words["dry_run"]:
            if words["resume"]:
                config = go_on(out, name, game, told).config
                return print(plan_of(prepared(name, game, config["options"], "", config["seed"])))
            if words["out"]:
                must_be_free(out)
            return print(plan_of(prepared(name, game, given, words["preset"], seed)))

        def training() -> Run:
            if words["resume"]:
                return go_on(out, name, game, told)
            return begin(out, name, game, given, words["preset"], seed)

        finish(name, training, words["seconds"], words["json"], words["track"])

    fixed: dict[str, tuple[Any, Any]] = {
        "ctx": (typer.Context, inspect.Parameter.empty),
        "game": (GameSpec, inspect.Parameter.empty),
        "out": (Out, ""),
        "resume": (Resume, False),
        "dry_run": (DryRun, False),
        "seconds": seconds,
        "preset": (Annotated[str, typer.Option(help=f"options by a name: {presets}")], ""),
        "seed": seed,
        "track": (Track, ""),
        "json": (Json, False),
    }
    fixed |= options
    tuned = ", ".join(proven(name))
    ready = f"\n\nFor {tuned} its options were tuned: those that are not told are taken from there." if tuned else ""
    stops = "Ctrl-C ends it with a net to play with; stopped or killed, it goes on with --resume."
    run.__doc__ = f"{(kind.__doc__ or '').strip()}  It learns {kind.learns}.\n\n{stops}{ready}"
    usual = f"plyground train {name} {kind.example} --out runs/{kind.__name__.lower() if is_file(name) else name}"
    shown = [usual, f"{usual} --resume", *(f"{usual} --preset {preset}" for preset in list(kind.presets)[-1:])]
    return subcommand(name, run, fixed, shown)


def options_of(kind: type[Learner]) -> dict[str, tuple[Any, Any]]:
    """The options of an algorithm as those of a command, each with its default."""
    from ..spec import parameters

    taken: Any = kind.options_type
    found: dict[str, tuple[Any, Any]] = {}
    for p in parameters(taken):
        choices = f" ({', '.join(p.about.choices)})" if p.about.choices else ""
        hint: Any = p.type | None if p.optional else p.type
        older = [old for old, now in taken.formerly.items() if now == p.name]
        names = [f"--{name.replace('_', '-')}" for name in (p.name, *older)] if older else []
        found[p.name] = (Annotated[hint, typer.Option(*names, help=p.about.text + choices)], p.default)
    return found


def subcommand(name: str, run: Any, takes: dict[str, tuple[Any, Any]], shown: list[str]) -> Any:
    """A function as the subcommand of an algorithm, with options by name: type and default."""
    made = [
        inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for word, (hint, default) in takes.items()
    ]
    run.__signature__ = inspect.Signature(made)
    run.__annotations__ = {word: hint for word, (hint, _) in takes.items()}
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, epilog=examples(*shown))(run)
    return get_command(alone)


def plan_of(learner: Learner) -> str:
    """What a training would do, and with which options."""
    from dataclasses import asdict

    with closing(learner):
        options = ", ".join(f"{name}={value!r}" for name, value in asdict(learner.options).items())
        what = f"{learner.steps:,} {learner.unit} of {learner.name}"
        return f"{what}\n{learner.planned()}\n{options}"


def as_option(p: Parameter) -> tuple[Any, Any]:
    """A parameter as an option of a command, and its default."""
    hint: Any = p.type | None if p.optional else p.type
    return Annotated[hint, typer.Option(help=p.about.text, min=p.about.low, max=p.about.high)], p.default


def typed(ctx: Any, word: str) -> bool:
    """Was this option given?"""
    source = ctx.get_parameter_source(word)
    return source is not None and source.name == "COMMANDLINE"


def finish(name: str, prepare: Callable[[], Run], seconds: float | None, json: bool, track: str = "") -> None:
    """Train a run by an algorithm to the end, or for some time, and tell how it went."""
    from ..learn.tracking import tracked
    from ..learn.train import train
    from ..report.training import TrainingReport
    from .reports import print_report

    begun = time.monotonic()
    with training_progress(name) as watch:
        run = prepare()
        try:
            with asked_to_stop("what is done is kept in a moment") as asked, tracked(run, track):

                def enough() -> bool:
                    return seconds is not None and time.monotonic() - begun >= seconds

                learner = train(run, watch, enough, lambda: bool(asked))
        except KeyboardInterrupt:
            print(f"plyground: interrupted; --resume goes on with {run.folder}", file=sys.stderr)
            raise typer.Exit(130) from None
    if learner.done < learner.steps or learner.owed:
        measured = "" if learner.owed is None else ", before they were measured"
        how = f"stopped after {learner.done:,} of {learner.steps:,} {learner.unit}{measured}"
        print(f"plyground: {how}; --resume goes on with {run.folder}", file=sys.stderr)
    print_report(TrainingReport(run, learner), json)
    if asked:
        raise typer.Exit(128 + asked[0])
