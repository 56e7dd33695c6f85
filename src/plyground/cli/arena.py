"""Commands in which agents play one another: match, tournament."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..arena import GAMES, GAMES_OF_TOURNAMENT, MOST_GAMES, TournamentOptions
from ..cluster import described, workers
from ..progress import match_progress, progress
from ..spec import InputError, parameters
from .base import AgentSpec, GameSpec, Json, MoveSeconds, Seed, agents_like, app, examples, made

if TYPE_CHECKING:
    from ..arena import parallel
    from ..arena.match_folder import MatchFolder
    from ..arena.tournament import Standings

TOLD = {option.name: option.about.text for option in parameters(TournamentOptions)}
Openings = Annotated[int, typer.Option(help=TOLD["openings"])]
Balanced = Annotated[
    bool, typer.Option("--balanced", help="keep only openings that the game's book or a search calls balanced")
]
Judge = Annotated[
    str,
    typer.Option(
        help="the agent that judges them; if none is named, the game's book, or uct(sims=1000)", metavar="AGENT"
    ),
]
Bound = Annotated[float, typer.Option(help="balanced is a value nearer to 0 than this; a win is worth 1")]
OpeningsFile = Annotated[str, typer.Option(help="openings, one a line: moves or a diagram", metavar="FILE")]
Jobs = Annotated[int, typer.Option(help="processes; 0 takes one a core", min=0)]
Ray = Annotated[str, typer.Option(help="play on a Ray cluster: HOST:PORT, auto or local", metavar="ADDRESS")]
Actors = Annotated[int, typer.Option(help="with --ray: processes; 0 takes one a core of the cluster", min=0)]
Resource = Annotated[str, typer.Option(help="with --ray: play on nodes that have this resource", metavar="NAME")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="tell who would play and where, and play nothing")]
Out = Annotated[str, typer.Option(help="a folder that keeps every game, or pair of games, as soon as it has ended")]
Resume = Annotated[bool, typer.Option("--resume", help="go on with what that folder keeps")]
Save = Annotated[bool, typer.Option("--save", help="write the games into that folder, too, as .sgf and .psq, or .pgn")]


@dataclass(frozen=True)
class Asked:
    """What both commands are told of openings and of the folder."""

    game: str
    seed: int
    openings: int
    balanced: bool
    judge: str
    bound: float
    openings_file: str
    jobs: parallel.Jobs
    out: str
    resume: bool
    save: bool

    def must_make_sense(self) -> None:
        """InputError for options that do not go together."""
        from ..game_files import endings

        if self.openings_file and (self.openings or self.balanced):
            raise InputError("--openings-file names the openings: leave out --openings and --balanced")
        if self.judge and not self.balanced:
            raise InputError("--judge judges the openings of --balanced")
        if not self.out and (self.resume or self.save):
            raise InputError(f"--{'resume' if self.resume else 'save'} needs the folder: --out FOLDER")
        if self.save:
            endings(self.game)

    @contextmanager
    def folder(self, pairs: int, plan: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], MatchFolder | None]]:
        """The openings for so many pairs of games (none if they are drawn on the way), and what keeps the games."""
        from ..arena.match_folder import MatchFolder

        given = self.from_file()
        words = ("game", "seed", "openings", "balanced", "judge", "bound")
        plan |= {word: getattr(self, word) for word in words} | {"openings_file": bool(given)}
        if not self.out:
            yield tuple(given or self.drawn(pairs)), None
        elif self.resume:
            with MatchFolder.resume(Path(self.out), plan) as folder:
                if given and given != folder.openings:
                    raise InputError(f"{self.out} has another plan: its openings are not those of {self.openings_file}")
                yield tuple(folder.openings), folder
        else:
            with MatchFolder.create(Path(self.out), plan, lambda: {"openings": given or self.drawn(pairs)}) as folder:
                yield tuple(folder.openings), folder

    def from_file(self) -> list[str]:
        from .. import games
        from ..arena.openings import drawn_anew, read_file

        if not self.openings_file:
            return []
        if drawn_anew(self.game):
            raise InputError(f"{self.game} is drawn anew for every pair of games: openings of a file need a fixed seed")
        return read_file(Path(self.openings_file), games.make(self.game, self.seed))

    def drawn(self, pairs: int) -> list[str]:
        from ..arena.openings import Balance, draw_balanced

        if not self.balanced:
            return []
        balance = Balance(bound=self.bound)
        balance = replace(balance, judge=self.judge) if self.judge else balance
        with progress() as bar:
            task = bar.add_task("balanced openings", total=pairs)
            return draw_balanced(
                self.game,
                pairs,
                self.openings,
                self.seed,
                balance,
                self.jobs,
                lambda done, all: bar.update(task, completed=done, total=all),
            )

    def say_stopped(self, games: int, of: int) -> None:
        """Tell that games are missing."""
        more = f"; --resume goes on with {self.out}" if self.out else ""
        print(f"plyground: stopped after {games:,} of {of:,} games{more}", file=sys.stderr)


@app.command(
    epilog=examples(
        'plyground match tictactoe "uct(sims=1000)" win-block',
        'plyground match "gomoku(9)" uct rave --games 200 --openings 2',
        'plyground match "gomoku(9)" uct rave --sprt 0,50 --openings 2 --out runs/test',
        "plyground match tictactoe uct uct --games 1 --show",
    )
)
def match(
    game: GameSpec,
    one: AgentSpec,
    other: AgentSpec,
    games: Annotated[
        int | None, typer.Option(help=f"how many, {GAMES} if not told; with --sprt at most so many, {MOST_GAMES:,}")
    ] = None,
    openings: Openings = 0,
    balanced: Balanced = False,
    judge: Judge = "",
    bound: Bound = 0.2,
    openings_file: OpeningsFile = "",
    sprt: Annotated[
        str, typer.Option(help="stop when it is decided which of two Elo differences holds", metavar="ELO0,ELO1")
    ] = "",
    alpha: Annotated[float, typer.Option(help="with --sprt: how often ELO1 is accepted where ELO0 holds")] = 0.05,
    beta: Annotated[float, typer.Option(help="with --sprt: how often ELO0 is accepted where ELO1 holds")] = 0.05,
    move_seconds: MoveSeconds = None,
    jobs: Jobs = 0,
    ray: Ray = "",
    actors: Actors = 0,
    resource: Resource = "",
    dry_run: DryRun = False,
    moves: Annotated[bool, typer.Option("--moves", help="tell the moves of every game")] = False,
    show: Annotated[bool, typer.Option("--show", help="draw every move, in one process")] = False,
    out: Out = "",
    resume: Resume = False,
    save: Save = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two agents play and say who is stronger.

    With an even number of games both sit in each seat equally often.
    """
    from ..arena.match import Plan, must_make_sense, play_match
    from ..arena.sprt import Trial, read
    from ..report.match import MatchReport
    from .reports import move_report, print_report

    made(game, seed)
    if show and json:
        raise InputError("--show draws the moves; with --json, --moves tells them")
    trial = Trial(read(sprt, alpha, beta)) if sprt else None
    count = games if games is not None else MOST_GAMES if trial else GAMES
    plan = Plan(game, (one, other), count, seed, openings, move_seconds=move_seconds)
    must_make_sense(plan)
    test = [trial.sprt.elo0, trial.sprt.elo1, alpha, beta] if trial else None
    told = {"kind": "match", "agents": plan.agents, "games": count, "sprt": test, "move_seconds": move_seconds}
    with workers(jobs, ray, actors, resource, (game, one, other, judge)) as those:
        asked = Asked(game, seed, openings, balanced, judge, bound, openings_file, those, out, resume, save)
        asked.must_make_sense()
        if dry_run:
            return print(described(those, f"{count:,} games, in {plan.pairs:,} pairs" if count > 1 else "1 game"))
        with asked.folder(plan.pairs, told) as (book, folder):
            plan = replace(plan, book=book)
            if folder and save:
                folder.save_games([plan])
            if show:
                result = play_match(plan, show=move_report, folder=folder, trial=trial)
            else:
                with match_progress(count, trial) as watch:
                    result = play_match(plan, those, watch, folder=folder, trial=trial)
    stopped = len(result.records) < count and not (trial and trial.accepted)
    if stopped:
        asked.say_stopped(len(result.records), count)
    print_report(MatchReport(result, trial, moves), json)
    if stopped:
        raise typer.Exit(130)


@app.command(
    epilog=examples(
        "plyground tournament tictactoe random win-block uct",
        'plyground tournament "gomoku(9)" "uct(sims=100)" "uct(sims=400)" rave --openings 2 --balanced --out runs/nine',
        "plyground tournament connect-four uct rave win-block --gauntlet --plot connect-four.svg",
    )
)
def tournament(
    game: GameSpec,
    agents: Annotated[
        list[str],
        typer.Argument(
            help="two agents or more, like uct or path/to/file.py:Agent",
            metavar="AGENT...",
            autocompletion=agents_like,
        ),
    ],
    games: Annotated[int, typer.Option(help=TOLD["games"])] = GAMES_OF_TOURNAMENT,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help=TOLD["gauntlet"])] = False,
    openings: Openings = 0,
    balanced: Balanced = False,
    judge: Judge = "",
    bound: Bound = 0.2,
    openings_file: OpeningsFile = "",
    move_seconds: MoveSeconds = None,
    jobs: Jobs = 0,
    ray: Ray = "",
    actors: Actors = 0,
    resource: Resource = "",
    dry_run: DryRun = False,
    plot: Annotated[str, typer.Option(help="draw scores and ratings into this file (.svg, .png)", metavar="FILE")] = "",
    out: Out = "",
    resume: Resume = False,
    save: Save = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let agents play one another and rate them."""
    from ..arena.match import must_make_sense
    from ..arena.tournament import Tournament, play_tournament
    from ..plots import must_be_drawable
    from ..report.tournament import TournamentReport
    from .reports import print_report

    made(game, seed)
    entered = Tournament(game, tuple(agents), games, seed, openings, gauntlet, move_seconds=move_seconds)
    for plan in entered.plans:
        must_make_sense(plan)
    if plot:
        must_be_drawable(plot)
    told = {"kind": "tournament", "agents": agents, "games": games, "gauntlet": gauntlet, "move_seconds": move_seconds}
    total = games * len(entered.pairings)
    with workers(jobs, ray, actors, resource, (game, *agents, judge)) as those:
        asked = Asked(game, seed, openings, balanced, judge, bound, openings_file, those, out, resume, save)
        asked.must_make_sense()
        if dry_run:
            pairs = sum(plan.pairs for plan in entered.plans)
            return print(described(those, f"{total:,} games, in {pairs:,} pairs"))
        with asked.folder(entered.plans[0].pairs, told) as (book, folder):
            entered = replace(entered, book=book)
            if folder and save:
                folder.save_games(entered.plans)
            with progress() as bar:
                task = bar.add_task("playing", total=total)

                def watch(standings: Standings) -> None:
                    bar.update(task, completed=standings.games)

                standings = play_tournament(entered, those, watch, folder)
    if not standings.complete:
        asked.say_stopped(standings.games, total)
    report = TournamentReport(standings)
    print_report(report, json)
    if plot:
        report.save(plot)
    if not standings.complete:
        raise typer.Exit(130)
