"""The command score: games of one player."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ..cluster import described, workers
from ..progress import progress
from ..spec import InputError
from .arena import Actors, DryRun, Jobs, Out, Ray, Resource, Resume
from .base import AgentSpec, GameSpec, Json, MoveSeconds, Seed, app, examples, made


@app.command(
    epilog=examples(
        "plyground score 'tetris(6,12)' bcts",
        "plyground score 'tetris(10,10,\"simplified\")' dellacherie --games 100 --moves 100000",
        "plyground score 'tetris(10,20,\"simplified\")' bcts --out runs/bcts --resume",
    )
)
def score(
    game: GameSpec,
    agent: AgentSpec,
    games: Annotated[int, typer.Option(help="how many")] = 20,
    moves: Annotated[int | None, typer.Option(help="cut a game short after so many; without it, never")] = None,
    move_seconds: MoveSeconds = None,
    jobs: Jobs = 0,
    ray: Ray = "",
    actors: Actors = 0,
    resource: Resource = "",
    dry_run: DryRun = False,
    out: Out = "",
    resume: Resume = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let an agent play a game of one player, and tell what it scores.

    Beside the mean stands an estimate from survival, which makes use of games that were cut short, too; not where all
    games have the same length.
    """
    from ..arena.scores import ENDLESS, ScoreFolder, Standing, Task, must_make_sense, play_all
    from ..report.score import ScoreReport
    from ..tables import figure
    from .reports import print_report

    made(game, seed)
    task = Task(game, agent, games, ENDLESS if moves is None else moves, seed, move_seconds)
    must_make_sense(task)
    if resume and not out:
        raise InputError("--resume needs the folder: --out FOLDER")
    plan = {name: value for name, value in asdict(task).items() if name != "games"}  # more may be played later
    begin = ScoreFolder.resume if resume else ScoreFolder.create
    with workers(jobs, ray, actors, resource, (game, agent)) as those:
        if dry_run:
            return print(described(those, f"{games:,} game{'s' * (games != 1)}"))
        keeping: Any = begin(Path(out), plan) if out else nullcontext()
        with keeping as folder, progress() as bar:
            row = bar.add_task("playing", total=games)

            def watch(standing: Standing) -> None:
                mean, _ = standing.mean()
                bar.update(row, completed=len(standing.played), description=f"{figure(mean)} a game")

            standing = play_all(task, those, watch, folder)
    stopped = len(standing.played) < games
    if stopped:
        more = f"; --resume goes on with {out}" if out else ""
        print(f"plyground: stopped after {len(standing.played):,} of {games:,} games{more}", file=sys.stderr)
    print_report(ScoreReport(standing), json)
    if stopped:
        raise typer.Exit(130)
