"""The functions: each does what the command of its name does, and returns a report instead of printing it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import agents as all_agents
from .. import game_files
from .. import position as positions
from ..agents.base import Agent, Forfeit, Limit, gives
from ..agents.given import as_spec, as_specs, given, name_of
from ..arena import GAMES, GAMES_OF_TOURNAMENT, MOST_GAMES
from ..game_review import SECONDS, Review
from ..game_review import review as review_game
from ..machine import cores
from ..progress import match_progress, progress, solving, training_progress
from ..report.match import MatchReport
from ..report.review import ReviewReport
from ..report.score import ScoreReport
from ..report.solution import OddsReport, SolutionReport
from ..report.steps import TreeSteps, WindowSteps, step_by_step
from ..report.thought import ThoughtReport
from ..report.tournament import TournamentReport
from ..rules import must_be_for_two
from ..spec import InputError, Named
from .given import AgentLike, Game, GameLike, game_of, number, seconds_of, spec_of, state_of, whole

if TYPE_CHECKING:
    from ..arena.match_folder import MatchFolder
    from ..arena.results import Plan, Result
    from ..arena.scores import Standing
    from ..arena.tournament import Standings, Tournament
    from ..learn.base import Learner
    from ..report.training import TrainingReport

Openings = int | Sequence[str]


def make(game: GameLike, seed: int | None = None) -> Game:
    """The game of a spec, of an instance of your own class, or of the class itself, checked and ready for use.

    A seed draws a game that has random parts anew.

    >>> game = make("tictactoe")
    >>> game.actions(), game.name(4)
    (9, 'b2')
    """
    made: Game = game_of(game, seed)
    return made


def agent(agent: AgentLike, seed: int = 0, move_seconds: float | None = None) -> Agent:
    """The agent of a spec, or a function or an object as an agent.

    `move_seconds` bounds a move of an agent from a file.

    >>> agent("uct(sims=100)").think(make("tictactoe"), state("tictactoe")).simulations
    100
    """
    made = _made(agent, whole("seed", seed), move_seconds)
    made.begin(seed)
    return made


def state(game: GameLike, position: str = "") -> Any:
    """The state of a game at its start, or in a position of moves or a diagram; `Position` does more for people.

    >>> legal(make("tictactoe"), state("tictactoe", "b2 a1 c3"))
    [0, 1, 3, 5, 7, 8]
    """
    return state_of(game_of(game), position)


def think(
    game: GameLike,
    agent: AgentLike,
    position: Any = "",
    *,
    sims: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    move_seconds: float | None = None,
    watch: Callable[[Any], None] | None = None,
) -> ThoughtReport:
    """Let an agent choose one move, and tell what it saw.

    The position is a list of moves, a diagram, a state or a `Position`.  `sims` and `seconds` bound the search over and
    above the agent's own bounds.  `watch` is told now and then what the search thinks so far.

    >>> thought = think("tictactoe", "uct(sims=2000)", "a3 b3 a2")
    >>> thought.move, len(thought.moves)
    ('a1', 6)
    """
    seed, sims = whole("seed", seed), None if sims is None else whole("sims", sims)
    rules = game_of(game, seed)
    state = state_of(rules, position)
    positions.must_move(rules, state)
    player = _made(agent, seed, move_seconds)
    player.ready(rules)  # whatever is to be compiled costs it no time
    player.begin(seed)
    player.last_told = None
    try:
        thought = player.think(rules, state, Limit(sims, seconds_of("seconds", seconds), watch=watch))
    except Forfeit as forfeit:
        raise InputError(f"the agent forfeits: {forfeit}") from None
    return ThoughtReport(rules, state, thought, player)


def steps(game: GameLike, agent: AgentLike, position: Any = "", *, seed: int = 0) -> TreeSteps | WindowSteps:
    """Let an agent search a position step by step, as its own kernel does it, and tell everything on the way.

    A tree search (uct, rave, guided, alphazero) gives one simulation after the other: what was selected and why, what
    was added, played out and carried up; `skip` lets the compiled kernel go on, `change` changes options.  Minimax and
    alpha-beta give the nodes that they enter and leave, their windows, and their cut-offs.

    >>> search = steps("tictactoe", "uct(c=0.7)", "b2 a1", seed=1)
    >>> [type(event).__name__ for event in next(search).events]
    ['Expansion', 'Rollout', 'BackUp']
    >>> search.skip(99), search.done
    (99, 100)
    """
    seed = whole("seed", seed)
    rules = game_of(game, seed)
    state = state_of(rules, position)
    positions.must_move(rules, state)
    player = _made(agent, seed, None)
    player.begin(seed)
    return step_by_step(player, rules, state)


def review(
    game: GameLike,
    moves: str = "",
    agent: AgentLike | None = None,
    *,
    start: str = "",
    seconds: float | None = SECONDS,
    seed: int = 0,
    stop: Callable[[], bool] | None = None,
    watch: Callable[[Any], None] | None = None,
) -> ReviewReport:
    """Say of every move of a game what it has cost, beside the best there was.

    game: a game whose `moves` are given, from a diagram `start` if there is one; or a file of a game, like `mine.sgf`.
    agent: who judges what the solver does not reach; the one that people meet in this game if none is named.
    seconds: for the whole game; None: as long as the agent takes.
    stop: asked now and then whether it shall end here.  watch: told the review so far.

    >>> review("tictactoe", "b2 a2 a1 a3 c3").mistakes
    ['2. a2']
    """
    seed, players = whole("seed", seed), ("", "")
    if isinstance(game, str) and game_files.is_game_file(game):
        if moves or start:
            raise InputError(f"{game} has its moves: give a game for others")
        saved = game_files.read(game)
        spec, actions, players = saved.game, saved.actions, saved.players
        rules = game_of(spec)
        state = state_of(rules, "")
    else:
        rules, spec = game_of(game, seed), spec_of(game, seed)
        state = state_of(rules, start)
        actions = positions.play_all(rules, state.copy(), moves.lower().split())
    if not actions:
        raise InputError("there is no move to review: give the moves of a game, like 'b2 a1 c3'")
    by = all_agents.usual(rules) if agent is None else agent
    player = _made(by, seed, None)
    try:
        with progress() as bar:
            task = bar.add_task("reviewing", total=len(actions))

            def told(found: Review) -> None:
                bar.update(task, completed=round(found.done * len(actions)))
                if watch:
                    watch(found)

            limit = seconds_of("seconds", seconds)
            asked = stop or (lambda: False)
            found = review_game(rules, state, actions, player, seconds=limit, seed=seed, stop=asked, watch=told)
    finally:
        player.close()
    return ReviewReport(found, str(spec), by if isinstance(by, str) else name_of(by), start, players)


def _made(agent: AgentLike, seed: int, move_seconds: float | None) -> Agent:
    if isinstance(agent, str):
        return all_agents.make(agent, seed, seconds_of("move_seconds", move_seconds))
    return given(agent)


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
    move_seconds: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    save: bool = False,
    watch: Callable[[Any], None] | None = None,
) -> MatchReport:
    """Let two agents play, and say who is stronger.

    games: how many, 100 if not told; with `sprt` at most so many.
    openings: random moves before the agents take over, the same for both games of a pair; or a list of openings.
    balanced: keep only those random ones that a search calls balanced.
    sprt: two Elo differences; the match stops when it is decided which of them holds.
    jobs: processes, one a core if 0; functions and objects of yours play in this one.
    out: a folder that keeps every pair of games as soon as it has ended; `resume` goes on with what it keeps, and
    `save` writes the games there as .sgf and .psq, too.
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
    jobs = _processes(jobs, plan)
    test = [trial.sprt.elo0, trial.sprt.elo1, trial.sprt.alpha, trial.sprt.beta] if trial else None
    with _kept(plan, {"kind": "match", "sprt": test}, openings, balanced, jobs, out, resume, save) as (book, folder):
        plan = replace(plan, book=book)
        if folder and save:
            folder.save_games([plan])
        with match_progress(count, trial) as show:

            def told(result: Result) -> None:
                show(result)
                if watch:
                    watch(MatchReport(result, trial))

            return MatchReport(play_match(plan, jobs, told, folder=folder, trial=trial), trial)


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
    jobs = _processes(jobs, entered)
    more = {"kind": "tournament", "gauntlet": gauntlet}
    with _kept(entered, more, openings, balanced, jobs, out, resume, save) as (book, folder):
        entered = replace(entered, book=book)
        if folder and save:
            folder.save_games(entered.plans)
        with progress() as bar:
            task = bar.add_task("playing", total=games * len(entered.pairings))

            def watch(standings: Standings) -> None:
                bar.update(task, completed=standings.games)

            return TournamentReport(play_tournament(entered, jobs, watch, folder))


def score(
    game: GameLike,
    agent: AgentLike,
    *,
    games: int = 20,
    moves: int | None = None,
    seed: int = 0,
    jobs: int = 0,
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
    with progress() as bar:
        row = bar.add_task("playing", total=games)

        def watch(standing: Standing) -> None:
            bar.update(row, completed=len(standing.played), description=f"{standing.mean()[0]:,.0f} a game")

        return ScoreReport(play_all(task, _processes(jobs, task), watch))


def solve(
    game: GameLike, position: Any = "", *, seconds: float | None = None, memory: int = 256, seed: int | None = None
) -> SolutionReport:
    """Find the exact value of a position and of each of its moves.

    After so many seconds, or interrupted by the keyboard, it tells what is known.  memory: megabytes for the
    transposition table.

    >>> solve("tictactoe", "b2 a1").value
    0.0
    """
    from ..exact.solve import solver
    from ..search.budget import Budget

    rules = game_of(game, seed)
    must_be_for_two(rules, "solving")
    state = state_of(rules, position)
    positions.must_move(rules, state)
    work = solver(rules, state, whole("memory", memory))
    report = SolutionReport(rules, state, work.solution)
    try:
        with solving("moves") as watch:
            work.solve(state, Budget(seconds=seconds_of("seconds", seconds), watch=lambda: watch(work.solution)))
            if work.solution.value is not None:
                work.find_line()
    except KeyboardInterrupt:
        if not work.solution.answers:
            raise
        report.interrupted = True
    report.solution = work.solution
    return report


def odds(
    game: GameLike,
    first: str | Agent = "optimal",
    second: str | Agent = "optimal",
    position: Any = "",
    *,
    seed: int | None = None,
) -> OddsReport:
    """How likely each result is when the players play as told.

    A seat plays by a name (random, win-block, optimal, or the best responses most-wins and never-lose), or as any agent
    whose move probabilities are known.

    >>> odds("tictactoe", "random", "random").win
    Fraction(737, 1260)
    """
    from ..exact.odds import distribution

    rules = game_of(game, seed)
    state = state_of(rules, position)
    seats = [_policy(first), _policy(second)]
    names = [seat if isinstance(seat, str) else name_of(seat) for seat in (first, second)]
    with solving("positions") as watch:
        return OddsReport(rules, state, distribution(rules, state, *seats, watch=watch), (names[0], names[1]))


def _policy(seat: str | Agent) -> Any:
    """How a seat plays: a policy known by name, or an agent whose move probabilities are known."""
    from ..exact.odds_kernel import POLICIES

    if isinstance(seat, str) and seat in POLICIES:
        return seat
    player = _made(seat, 0, None)
    if not gives(player, "choices"):
        name = seat if isinstance(seat, str) else name_of(seat)
        raise InputError(
            f"{name} does not tell its move probabilities; take one of {', '.join(POLICIES)}, win-block-middle"
        )
    return player


def train(
    algorithm: str,
    game: GameLike,
    *,
    out: str | Path,
    preset: str = "",
    seed: int = 0,
    seconds: float | None = None,
    resume: bool = False,
    watch: Callable[[Any, dict[str, Any]], None] | None = None,
    **options: Any,
) -> TrainingReport:
    """Train a net by an algorithm, into the folder `out`; `plyground train ALGORITHM --help` explains the options.

    It ends after so many seconds; `resume` goes on with the run in that folder.  `watch` is told the learner and its
    latest figures.

        run = pg.train("dqn", "tictactoe", out="runs/dqn", games=2000)
        pg.match("tictactoe", f'net("{run.folder}")', "random")
    """
    import time

    from ..learn.train import begin, go_on
    from ..learn.train import train as run_through
    from ..report.training import TrainingReport

    seed = whole("seed", seed)
    spec = spec_of(game, seed)
    if isinstance(spec, Named):
        raise InputError(f"training keeps its game by its spec: save {spec} in a file, and name it file.py:Class")
    if resume:
        run = go_on(Path(out), algorithm, spec, list(options) + ["preset"] * bool(preset))
    else:
        run = begin(Path(out), algorithm, spec, options, preset, seed)
    begun = time.monotonic()
    most = seconds_of("seconds", seconds)
    with training_progress(algorithm) as show:

        def told(learner: Learner, figures: dict[str, Any]) -> None:
            show(learner, figures)
            if watch:
                watch(learner, figures)

        def enough() -> bool:
            return most is not None and time.monotonic() - begun >= most

        return TrainingReport(run, run_through(run, told, enough))


# --- folders, openings and processes ---


@contextmanager
def _kept(
    plan: Plan | Tournament,
    more: dict[str, Any],
    openings: Openings,
    balanced: bool,
    jobs: int,
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

    try:
        kept = MatchFolder.resume(Path(out), told) if resume else MatchFolder.create(Path(out), told, drawn)
    except InputError as error:
        raise InputError(str(error).replace("--resume", "resume=True").replace("--out", "out")) from None
    with kept as folder:
        if plies is None and folder.openings != drawn()["openings"]:
            raise InputError(f"{out} has another plan: its openings are not those of the list")
        yield tuple(folder.openings), folder


def _plies(openings: Openings) -> int | None:
    """How many random moves an opening has; None if the openings are named."""
    return whole("openings", openings) if isinstance(openings, int | np.integer) else None


def _book(plan: Plan | Tournament, openings: Openings, balanced: bool, jobs: int) -> tuple[str, ...]:
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


def _processes(jobs: int, work: Any) -> int:
    """So many processes; one a core if 0; only this one for functions and objects that live here."""
    from ..arena.parallel import possible

    if jobs < 0:
        raise InputError(f"jobs is a number of processes, or 0 for one a core, not {jobs}")
    found = possible(work, jobs or cores())
    if found < jobs:
        said = "functions and objects play in this process: all games are played here, one after the other"
        warnings.warn(said, stacklevel=3)
    return found
