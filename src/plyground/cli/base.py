"""What the commands share: the app, their common options, and the making of a game."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__


class Interrupted(Exception):
    """Ctrl-C, in a command that had nothing to tell yet."""


class Commands(TyperGroup):
    """The commands.  What interrupts one is told as what it is: typer would only make an exit code of it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None


app = typer.Typer(cls=Commands, rich_markup_mode=None, pretty_exceptions_enable=False)


def games_like(incomplete: str) -> list[str]:
    """The games whose names begin so, for the shell; where there is none, the shell offers files."""
    from .. import games

    return [name for name in games.registry() if name.startswith(incomplete)]


def agents_like(incomplete: str) -> list[str]:
    """The agents whose names begin so, for the shell."""
    from .. import agents

    return [name for name in agents.registry() if name.startswith(incomplete)]


GameSpec = Annotated[
    str,
    typer.Argument(
        help="a game like tictactoe, gomoku(15), or path/to/file.py:Game", metavar="GAME", autocompletion=games_like
    ),
]
AgentSpec = Annotated[
    str,
    typer.Argument(
        help="an agent like random, uct(sims=1000), or path/to/file.py:Agent",
        metavar="AGENT",
        autocompletion=agents_like,
    ),
]
Position = Annotated[
    str,
    typer.Option(
        help='moves ("b2 a1"), a diagram ("X.O/.X./O.. X"), or a file of a game, mine.sgf; mine.sgf:12: 12 moves of it'
    ),
]
Seed = Annotated[int, typer.Option(help="where all random choices come from", min=0)]
MoveSeconds = Annotated[
    float | None,
    typer.Option(help="most seconds a move of an agent from a file, which then has lost; 30 if not told", min=0.01),
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object")]


def examples(*commands: str) -> str:
    """The end of a command's help."""
    return "Examples:  " + "   |   ".join(commands)


def tell_version(asked: bool) -> None:
    if asked:
        print(f"plyground {__version__}")
        raise typer.Exit


@app.callback(help="A game-AI laboratory.  `plyground COMMAND --help` explains each command.")
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=tell_version, is_eager=True)
    ] = False,
) -> None:
    pass


@contextmanager
def asked_to_stop(answer: str) -> Iterator[list[int]]:
    """The signals by which a command was asked to stop, Ctrl-C or SIGTERM; a second one ends it."""
    asked: list[int] = []
    signals = signal.SIGINT, signal.SIGTERM
    before = [signal.getsignal(one) for one in signals]

    def ask(number: int, frame: Any) -> None:
        asked.append(number)
        restore()
        print(f"plyground: {answer}; again, to end at once", file=sys.stderr)

    def restore() -> None:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)

    for one in signals:
        signal.signal(one, ask)
    try:
        yield asked
    finally:
        restore()


@contextmanager
def sigterm_interrupts() -> Iterator[list[int]]:
    """SIGTERM ends what is done here as Ctrl-C does, with all processes that it has begun; the signal that came."""
    asked: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGTERM, before)


def made(text: str, seed: int | None = None) -> Any:
    """The game of a spec; a user's own game is tried out, interpreted, before anything is compiled."""
    from ..api.given import game_of

    return game_of(text, seed)
