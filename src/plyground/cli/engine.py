"""The command engine: Plyground as an engine for other programs."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ..spec import parse
from .base import Seed, app, examples

engine = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(
    engine,
    name="engine",
    short_help="Be an engine for other programs.",
    epilog=examples("plyground engine gomocup --help"),
)


@engine.callback()
def protocols() -> None:
    """Be an engine for other programs, by a protocol on standard input and output."""


@engine.command(
    epilog=examples(
        "plyground engine gomocup", 'plyground engine gomocup --agent "alphabeta(depth=4)"', "pbrain-plyground"
    )
)
def gomocup(
    agent: Annotated[
        str,
        typer.Option(
            help="who thinks, with the driver's time and memory; gomoku-master if there is onnxruntime, "
            "else gomoku-classic, if nobody is named"
        ),
    ] = "",
    seed: Seed = 0,
) -> None:
    """Play five in a row by the Gomocup (Piskvork) protocol, freestyle or exactly five, on boards of 5 to 20.

    Reads commands like START 15, BEGIN and TURN 7,7 from standard input until END.
    """
    from ..games.k_in_row.gomocup.brain import AGENT
    from ..games.k_in_row.gomocup.pipes import play

    agent = agent or AGENT
    parse(agent)  # whether there is such an agent is found out after the first answer, which must not wait for it
    play(agent, seed)
    os._exit(0)  # without waiting for what is still being compiled
