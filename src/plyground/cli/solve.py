"""The command solve: exact values, and exact odds."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .base import GameSpec, Json, Position, Seed, app, examples


@app.command(
    epilog=examples(
        "plyground solve tictactoe",
        'plyground solve "mnk(6,5,4)" --json',
        'plyground solve tictactoe --first random --second most-wins --position "b2"',
    )
)
def solve(
    game: GameSpec,
    position: Position = "",
    first: Annotated[str, typer.Option(help="how the first player plays: see above")] = "",
    second: Annotated[str, typer.Option(help="how the second player plays")] = "",
    seconds: Annotated[float | None, typer.Option(help="stop after so long and tell what is known", min=0)] = None,
    memory: Annotated[int, typer.Option(help="megabytes for the transposition table", min=1, max=65536)] = 256,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Find the exact value of a position and of each of its moves.

    With --first or --second: how likely each result is when the players play as told: random, win-block,
    optimal, most-wins or never-lose (best responses), or any agent whose move probabilities are known.
    """
    from ..api import functions
    from .reports import print_report

    if first or second:
        print_report(functions.odds(game, first or "optimal", second or "optimal", position, seed=seed), json)
        return
    report = functions.solve(game, position, seconds=seconds, memory=memory, seed=seed)
    if report.interrupted:
        print("plyground: interrupted; this is known so far", file=sys.stderr)
    print_report(report, json)
    if report.interrupted:
        raise typer.Exit(130)
