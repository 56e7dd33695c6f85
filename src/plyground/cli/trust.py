"""The command trust: a campaign against the program itself."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from .base import Json, Seed, app, examples
from .show import emit, show

DOORS = "cli, http, socket, gomocup, files, kills, oracles, load"


@app.command(
    epilog=examples(
        "plyground trust",
        "plyground trust --only cli,http --inputs 1000",
        "plyground trust --seconds 7200 --inputs 10000 --seed 1",
    )
)
def trust(
    seconds: Annotated[float, typer.Option(help="for all doors together, shared out among them", min=1, max=1e6)] = 600,
    only: Annotated[str, typer.Option(help=f"these doors, with commas between them: {DOORS}", metavar="DOORS")] = "",
    inputs: Annotated[
        int,
        typer.Option(
            help="most inputs of a door; of each kind of long work a hundredth as many kills, of each game a hundred "
            "times as many random games",
            min=1,
            max=10**9,
        ),
    ] = 10_000,
    seed: Seed = 0,
    out: Annotated[str, typer.Option(help="a folder that keeps what failed, to be tried first the next time")] = "",
    json: Json = False,
) -> None:
    """Attack the program at all its doors, and tell what it did not withstand; exit code 1 if there is anything.

    Command lines, requests, messages and lines of a protocol that make sense and that do not; files that are damaged;
    long work that is killed and goes on; many games at once; random games beside OpenSpiel's rules.  What fails is made
    as small as it can be, and told with the seed that leads there.
    """
    from ..manifest import imported
    from ..tables import Table, figure

    kept = Path(out or "runs/trust")
    campaign = imported("plyground.trust:campaign")  # which stands above the commands
    results, interrupted = campaign(seconds, only, seed, inputs, kept)
    failures = [failure for result in results for failure in result.failures]
    rows = [row for result in results for row in result.rows()]
    if json:
        emit({"seed": seed, "doors": rows, "failures": [vars(failure) for failure in failures]})
    else:
        table = Table(["door", "what", "inputs", "failures", "seconds"])
        for row in rows:
            table.add(*map(figure, row.values()))
        show(table)
        for failure in failures:
            print(f"\n{failure.door}, {failure.kind}, seed {failure.seed}: {failure.what}\n    {failure.shown}")
        if failures:
            doors = ",".join(dict.fromkeys(failure.door for failure in failures))
            print(f"\n{len(failures)} failures, kept in {kept}; inputs that Hypothesis drew come first the next time:")
            print(f"    plyground trust --only {doors} --seed {seed} --out {quote(str(kept))}")
    if interrupted:
        print("plyground: interrupted; this is what was tried until then", file=sys.stderr)
        raise typer.Exit(130)
    if failures:
        raise typer.Exit(1)
