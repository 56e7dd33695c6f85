"""The command solve: exact values, and exact odds."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from ..spec import InputError
from .base import GameSpec, Json, Position, Seed, app, examples, made


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
    from .. import position as positions
    from ..report.solution import OddsReport, SolutionReport
    from .reports import print_report
    from .show import solving

    rules = made(game, seed)
    state = positions.read(rules, position)
    if first or second:
        from ..exact.odds import distribution

        seats = [policy(first or "optimal"), policy(second or "optimal")]
        with solving("positions") as watch:
            found = distribution(rules, state, *seats, watch=watch)
        print_report(OddsReport(rules, state, found, (first or "optimal", second or "optimal")), json)
        return
    positions.must_move(rules, state)
    from ..exact.solve import solver
    from ..search.budget import Budget

    work = solver(rules, state, memory)
    try:
        with solving("moves") as watch:
            work.solve(state, Budget(seconds=seconds, watch=lambda: watch(work.solution)))
            if work.solution.value is not None:
                work.find_line()
    except KeyboardInterrupt:
        print("plyground: interrupted; this is known so far", file=sys.stderr)
    print_report(SolutionReport(rules, state, work.solution), json)


def policy(name: str) -> Any:
    """How a seat plays: a policy known by name, or an agent whose move probabilities are known."""
    from .. import agents
    from ..agents.base import gives
    from ..exact.odds_kernel import POLICIES

    if name in POLICIES:
        return name
    agent = agents.make(name)
    if not gives(agent, "choices"):
        raise InputError(
            f"{name} does not tell its move probabilities; take one of {', '.join(POLICIES)}, win-block-middle"
        )
    return agent
