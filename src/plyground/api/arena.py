"""Games by the hundred: `match`, `tournament` and `score`, with the openings and the folders of their games."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents.given import as_spec, as_specs
from ..arena import GAMES, GAMES_OF_TOURNAMENT, MOST_GAMES
from ..progress import match_progress, progress
from ..report.match import MatchReport
from ..report.score import ScoreReport
from ..report.tournament import TournamentReport
from ..spec import InputError, Named
from .given import AgentLike, GameLike, as_arguments, number, seconds_of, spec_of, whole

if TYPE_CHECKING:
    from ..arena.match_folder import MatchFolder
    from ..arena.parallel import Jobs
    from ..arena.results import Plan, Result
    from ..arena.scores import Standing
    from ..arena.tournament import Standings, Tournament

Openings = int | Sequence[str]


def match(
    game: GameLike,
    one: AgentLike,
    other: AgentLike,
    *,
    games: int | None = None,
    openings: Openings = 0,
    balanced: bool = False,
    sprt: tuple[float, float] | None = None,
    seed: int = 0,
    jobs: int = 0,
    ray: str = "",
    move_seconds: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    save: bool = False,
    watch: Callable[[Any], None] | None = None,
) -> MatchReport:
    """Let two agents play, and say who is stronger.

    games: how many, 100 if not told; with `sprt` at most so many.
    openings: random moves before the agents take over, the same for both games of a pair; or a list of openings.
    balanced: those of the game's book, or of the random ones those that a search calls balanced.
    sprt: two Elo differences; the match stops when it is decided which of them holds.
    jobs: processes, one a core if 0; functions and objects of yours play in this one.
    ray: the address of a Ray cluster whose cores play instead: HOST:PORT, "auto" or "local".
    out: a folder that keeps every pair of games as soon as it has ended; `resume` goes on with what it keeps, and
    `save` writes the games there as .sgf and .psq, or .pgn, too.
    watch: told the match so far after every pair of games.

    >>> match("tictactoe", "uct(sims=200)", lambda game, state: legal(game, state)[0], games=10).wins
    10
    """
    from ..arena.match import must_make_sense, play_match
    from ..arena.results import Plan
    from ..arena.sprt import SPRT, Trial

    if sprt is not None and (isinstance(sprt, str) or len(sprt) != 2):
        raise InputError(f"sprt is two Elo differences, like (0, 50), not {sprt!r:.60}")
    trial = Trial(SPRT(*(number("sprt", one) for one in sprt))) if sprt else None
    count = whole("games", games) if games is not None else MOST_GAMES if trial else GAMES
    seed, jobs = whole("seed", seed), whole("jobs", jobs)
    plies = _plies(openings)
    first, second = as_specs(one, other)
    plan = Plan(
        spec_of(game, seed),
        (first, second),
        count,
        seed,
        plies or 0,
        move_seconds=seconds_of("move_seconds", move_seconds),
    )
    must_make_sense(plan)
    test = [trial.sprt.elo0, trial.sprt.elo1, trial.sprt.alpha, trial.sprt.beta] if trial else None
    kind = {"kind": "match", "sprt": test}
    with (
        _workers(jobs, ray, plan, plan.game, *plan.agents) as those,
        _kept(plan, kind, openings, balanced, those, out, resume, save) as (book, folder),
    ):
        plan = replace(plan, book=book)
        if folder and save:
            folder.save_games([plan])
        with match_progress(count, trial) as show:

            def told(result: Result) -> None:
                show(result)
                if watch:
                    watch(MatchReport(result, trial))

            return MatchReport(play_match(plan, those, told, folder=folder, trial=trial), trial)


def tournament(
    game: GameLike,
    agents: Sequence[AgentLike],
    *,
    games: int = GAMES_OF_TOURNAMENT,
    gauntlet: bool = False,
    openings: Openings = 0,
    balanced: bool = False,
    seed: int = 0,
    jobs: int = 0,
    ray: str = "",
    move_seconds: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    save: bool = False,
) -> TournamentReport:
    """Let agents play one another, `games` of each two, and rate them; in a gauntlet the first plays all others.

    `out`, `resume` and `save` are those of a match.

    >>> tournament("tictactoe", ["random", "win-block"], games=20, jobs=1).ranking
    ['win-block', 'random']
    """
    from ..arena.match import must_make_sense
    from ..arena.tournament import Tournament, play_tournament

    games, seed, jobs = whole("games", games), whole("seed", seed), whole("jobs", jobs)
    plies = _plies(openings)
    if isinstance(agents, str):
        raise InputError(f"agents are a list, like [{agents!r}, 'random'], not one text")
    specs = as_specs(*agents)
    entered = Tournament(
        spec_of(game, seed),
        specs,
        games,
        seed,
        plies or 0,
        gauntlet,
        move_seconds=seconds_of("move_seconds", move_seconds),
    )
    for plan in entered.plans:
        must_make_sense(plan)
    more = {"kind": "tournament", "gauntlet": gauntlet}
    with (
        _workers(jobs, ray, entered, entered.game, *entered.agents) as those,
        _kept(entered, more, openings, balanced, those, out, resume, save) as (book, folder),
    ):
        entered = replace(entered, book=book)
        if folder and save:
            folder.save_games(entered.plans)
        with progress() as bar:
            task = bar.add_task("playing", total=games * len(entered.pairings))

            def watch(standings: Standings) -> None:
                bar.update(task, completed=standings.games)

            return TournamentReport(play_tournament(entered, those, watch, folder))


def score(
    game: GameLike,
    agent: AgentLike,
    *,
    games: int = 20,
    moves: int | None = None,
    seed: int = 0,
    jobs: int = 0,
    ray: str = "",
    move_seconds: float | None = None,
) -> ScoreReport:
    """Let an agent play a game of one player, and tell what it scores; `moves` cuts a game short after so many.

    >>> score("tetris(6,12)", lambda game, state: legal(game, state)[0], games=3).standing.cut
    0
    """
    from ..arena.scores import ENDLESS, Task, play_all

    games, seed, jobs = whole("games", games), whole("seed", seed), whole("jobs", jobs)
    most = ENDLESS if moves is None else whole("moves", moves)
    task = Task(spec_of(game, seed), as_spec(agent), games, most, seed, seconds_of("move_seconds", move_seconds))
    with _workers(jobs, ray, task, task.game, task.agent) as those, progress() as bar:
        row = bar.add_task("playing", total=games)

        def watch(standing: Standing) -> None:
            bar.update(row, completed=len(standing.played), description=f"{standing.mean()[0]:,.0f} a game")

        return ScoreReport(play_all(task, those, watch))


# --- folders, openings and processes ---


@contextmanager
def _kept(
    plan: Plan | Tournament,
    more: dict[str, Any],
    openings: Openings,
    balanced: bool,
    jobs: Jobs,
    out: str | Path | None,
    resume: bool,
    save: bool,
) -> Iterator[tuple[tuple[str, ...], MatchFolder | None]]:
    """The openings, and the folder that keeps the games, if one is named: one that the command goes on with, too."""
    from ..arena.match_folder import MatchFolder
    from ..arena.openings import Balance
    from ..game_files import endings

    if out is None:
        if resume or save:
            raise InputError(f"{'resume' if resume else 'save'} needs the folder: out='FOLDER'")
        yield _book(plan, openings, balanced, jobs), None
        return
    for spec in (plan.game, *plan.agents):
        if isinstance(spec, Named):
            raise InputError(
                f"a folder keeps its games by their specs: save {spec} in a file, and name it file.py:Class"
            )
    if save:
        endings(plan.game)
    plies = _plies(openings)
    told = more | {word: getattr(plan, word) for word in ("game", "agents", "games", "seed", "move_seconds")}
    told |= {"openings": plies or 0, "balanced": balanced, "judge": "", "bound": Balance().bound}
    told["openings_file"] = plies is None

    def drawn() -> dict[str, Any]:
        return {"openings": list(_book(plan, openings, balanced, jobs))}

    with as_arguments():
        kept = MatchFolder.resume(Path(out), told) if resume else MatchFolder.create(Path(out), told, drawn)
    with kept as folder:
        if plies is None and folder.openings != drawn()["openings"]:
            raise InputError(f"{out} has another plan: its openings are not those of the list")
        yield tuple(folder.openings), folder


def _plies(openings: Openings) -> int | None:
    """How many random moves an opening has; None if the openings are named."""
    return whole("openings", openings) if isinstance(openings, int | np.integer) else None


def _book(plan: Plan | Tournament, openings: Openings, balanced: bool, jobs: Jobs) -> tuple[str, ...]:
    """The openings that pairs of games take in turn; none if they are drawn on the way."""
    from ..arena.openings import Balance, draw_balanced, read_all

    game, seed, pairs = plan.game, plan.seed, (plan.games + 1) // 2
    if isinstance(openings, str):
        raise InputError("openings are a number of random moves, or a list of openings")
    plies = _plies(openings)
    if plies is None:
        if balanced:
            raise InputError("balanced openings are drawn at random: openings says how many moves they have")
        return tuple(read_all(game, openings, seed))  # type: ignore[arg-type]
    if not balanced:
        return ()
    with progress() as bar:
        task = bar.add_task("balanced openings", total=pairs)
        told = lambda done, all: bar.update(task, completed=done, total=all)  # noqa: E731
        return tuple(draw_balanced(game, pairs, plies, seed, Balance(), jobs, told))


@contextmanager
def _workers(jobs: int, ray: str, work: Any, *specs: Any) -> Iterator[Jobs]:
    """So many processes, one a core if 0, or a cluster; only this process for functions and objects that live here."""
    from ..arena.parallel import possible
    from ..cluster import workers

    if jobs < 0:
        raise InputError(f"jobs is a number of processes, or 0 for one a core, not {jobs}")
    with workers(jobs, ray, specs=[spec for spec in specs if isinstance(spec, str)]) as those:
        found = possible(work, those)
        if jobs > 1 and found == 1:
            said = "functions and objects play in this process: all games are played here, one after the other"
            warnings.warn(said, stacklevel=4)
        yield found
