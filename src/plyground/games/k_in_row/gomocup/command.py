"""The command `plyground engine gomocup`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ....spec import InputError, parse
from ....user_files import is_file, split
from .brain import AGENT
from .engine import START
from .pipes import play


def gomocup(
    agent: Annotated[
        str,
        typer.Option(
            help="who thinks, with the driver's time and memory; gomoku-master if there is onnxruntime, "
            "else gomoku-classic, if nobody is named"
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="where all random choices come from", min=0)] = 0,
    start: Annotated[
        float,
        typer.Option(
            help="seconds, at most, that OK waits for the agent to be compiled: many where the driver waits for START",
            min=0,
            max=3600,
        ),
    ] = START,
) -> None:
    """Play five in a row by the Gomocup (Piskvork) protocol, freestyle or exactly five, on boards of 5 to 20.

    Reads commands like START 15, BEGIN and TURN 7,7 from standard input until END.
    """
    agent = agent or AGENT
    name, _, _ = parse(agent)
    if is_file(name) and not os.path.isfile(split(name)[0]):
        raise InputError(f"there is no file {split(name)[0]}")
    # whether it makes an agent is found out after the first answer, which must not wait for it
    play(agent, seed, start)
    os._exit(0)  # without waiting for what is still being compiled


gomocup.examples = (  # type: ignore[attr-defined]
    "plyground engine gomocup",
    'plyground engine gomocup --agent "alphabeta(depth=4)"',
    "plyground engine gomocup --start 60",
    "pbrain-plyground",
)
