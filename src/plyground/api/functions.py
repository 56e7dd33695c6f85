"""The functions: each does what the command of its name does, and returns a report instead of printing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import agents as all_agents
from .. import game_files
from .. import position as positions
from ..agents.base import Agent, Forfeit, Limit, gives
from ..agents.given import given, name_of
from ..game_review import SECONDS, Review
from ..game_review import review as review_game
from ..progress import progress, solving, training_progress
from ..report.review import ReviewReport
from ..report.solution import OddsReport, SolutionReport
from ..report.steps import TreeSteps, WindowSteps, step_by_step
from ..report.thought import ThoughtReport
from ..rules import must_be_for_two
from ..spec import InputError, Named
from .given import AgentLike, Game, GameLike, game_of, seconds_of, spec_of, state_of, whole

if TYPE_CHECKING:
    from ..learn.base import Learner
    from ..report.training import TrainingReport


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
    """The state of a game at its start, or in a position: moves, a diagram, a file; `Position` does more for people.

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

    The position is a list of moves, a diagram, a file of a game (`mine.sgf`, or `mine.sgf:12` for its first twelve
    moves), a state or a `Position`.  `sims` and `seconds` bound the search over and above the agent's own bounds.
    `watch` is told now and then what the search thinks so far.

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

    game: a game whose `moves` are given, from a diagram `start` if there is one; or a file of a game, like `mine.sgf`,
    which may stand in the place of the moves, too.
    agent: who judges what the solver does not reach; the one that people meet in this game if none is named, or uct
    where that one does not count in points.
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
        from_file = game_files.names_file(moves)
        if from_file and start:
            raise InputError(f"{moves} begins where its game does, not from a diagram")
        state = positions.read(rules, start)
        actions = (
            game_files.actions_to(rules, moves)
            if from_file
            else positions.play_all(rules, state.copy(), moves.lower().split())
        )
    if not actions:
        raise InputError("there is no move to review: give the moves of a game, like 'b2 a1 c3'")
    by = all_agents.usual(rules) if agent is None else agent
    player = _made(by, seed, None)
    if agent is None and rules.alone() and not player.in_points:  # it could not say what a move has cost
        by, player = all_agents.USUAL, _made(all_agents.USUAL, seed, None)
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
    track: str = "",
    watch: Callable[[Any, dict[str, Any]], None] | None = None,
    **options: Any,
) -> TrainingReport:
    """Train a net by an algorithm, into the folder `out`; `plyground train ALGORITHM --help` explains the options.

    It ends after so many seconds; `resume` goes on with the run in that folder.  `watch` is told the learner and its
    latest figures; `track` names a tracker that is told figures, too, trackio or wandb.

        run = pg.train("dqn", "tictactoe", out="runs/dqn", games=2000)
        pg.match("tictactoe", f'net("{run.folder}")', "random")
    """
    import time

    from ..learn.tracking import must_have, tracked
    from ..learn.train import begin, go_on
    from ..learn.train import train as run_through
    from ..report.training import TrainingReport

    seed = whole("seed", seed)
    spec = spec_of(game, seed)
    if isinstance(spec, Named):
        raise InputError(f"training keeps its game by its spec: save {spec} in a file, and name it file.py:Class")
    if track:
        must_have(track)
    if resume:
        run = go_on(Path(out), algorithm, spec, options | ({"preset": preset} if preset else {}))
    else:
        run = begin(Path(out), algorithm, spec, options, preset, seed)
    begun = time.monotonic()
    most = seconds_of("seconds", seconds)
    with training_progress(algorithm) as show, tracked(run, track):

        def told(learner: Learner, figures: dict[str, Any]) -> None:
            show(learner, figures)
            if watch and figures:
                watch(learner, figures)

        def enough() -> bool:
            return most is not None and time.monotonic() - begun >= most

        return TrainingReport(run, run_through(run, told, enough))
