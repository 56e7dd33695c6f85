"""The command review: what each move of a game has cost."""

from __future__ import annotations

from typing import Annotated

import typer

from .base import Json, Seed, agents_like, app, asked_to_stop, examples, games_like


@app.command(
    epilog=examples(
        'plyground review tictactoe --position "b2 a2 a1 a3 c3"',
        "plyground review mine.sgf --seconds 30 --out reviewed.sgf",
    )
)
def review(
    game: Annotated[
        str,
        typer.Argument(
            help="a game whose moves --position names, or a file of a game: .sgf, .psq, .pgn",
            metavar="GAME|FILE",
            autocompletion=games_like,
        ),
    ],
    position: Annotated[str, typer.Option(help='the moves of the game: "b2 a1 c3", or a file of it')] = "",
    start: Annotated[str, typer.Option(help="the diagram that they begin from, if not the start of the game")] = "",
    agent: Annotated[
        str,
        typer.Option(
            help="who judges what the solver does not reach; if nobody is named, the game's own opponent, else uct",
            autocompletion=agents_like,
        ),
    ] = "",
    seconds: Annotated[float, typer.Option(help="for the whole game", min=0)] = 60.0,
    out: Annotated[
        str,
        typer.Option(help="write it into a file, too: .sgf with notes and better lines, .json or .txt for any game"),
    ] = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Say of every move of a game what it has cost, beside the best there was.

    Where the solver reaches it has the word, else an agent has.
    """
    from ..api import functions
    from ..report.review import must_be_kept
    from .reports import print_report

    if out:
        must_be_kept(out, game, start)
    with asked_to_stop("what was found so far is told") as asked:
        found = functions.review(
            game, position, agent or None, start=start, seconds=seconds, seed=seed, stop=lambda: bool(asked)
        )
    print_report(found, json)
    if out:
        found.save(out)
    if asked:
        raise typer.Exit(128 + asked[0])
