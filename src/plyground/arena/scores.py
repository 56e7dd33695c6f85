"""Games of one player: what an agent scores, with its interval, and what it would score if no game were cut short."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from .. import agents, games
from ..agents.base import Agent, gives
from ..rules import CHANCE, drawn_outcome, new
from ..spec import InputError, parse
from .journal import Journal
from .openings import draw
from .parallel import Jobs, at_most, in_parallel, possible
from .statistics import student95

ENDLESS = 2**62  # moves


@dataclass(frozen=True)
class Task:
    """What is to be played.  Everything random comes from the seed and the number of a game."""

    game: str
    agent: str
    games: int = 20
    moves: int = ENDLESS  # after which a game is cut short
    seed: int = 0
    move_seconds: float | None = None  # most of a move of an agent from a file; None: as `agents.make` has it


@dataclass(frozen=True)
class Played:
    """A game."""

    number: int
    score: float
    moves: int
    seconds: float
    over: bool  # else it was cut short


class ScoreFolder(Journal):
    """The games of one player that have ended, on disk."""

    file, about, entry = "games.jsonl", "games of one player", "a game"

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        self.played: dict[int, Played] = {}

    def take(self, line: Any) -> None:
        known = {name: line[name] for name in Played.__dataclass_fields__}
        kinds = {"number": int, "score": float, "moves": int, "seconds": float, "over": bool}
        if any(type(known[name]) is not kind for name, kind in kinds.items()):
            raise TypeError
        if not (known["number"] >= 0 and known["moves"] >= 0 and 0 <= known["seconds"] < math.inf):
            raise ValueError
        if not math.isfinite(known["score"]):
            raise ValueError
        self.played.setdefault(known["number"], Played(**known))


@dataclass
class Standing:
    """What has been played so far."""

    task: Task
    played: list[Played] = field(default_factory=list)
    interrupted: bool = False  # by the keyboard

    def __post_init__(self) -> None:
        """Plain names, where objects stand for specs: what is told goes wherever texts go."""
        self.task = replace(self.task, game=str(self.task.game), agent=str(self.task.agent))

    @property
    def cut(self) -> int:
        """Games that were cut short."""
        return sum(not one.over for one in self.played)

    def mean(self) -> tuple[float, float]:
        """Score a game, and how far a 95 % interval, by Student's t, reaches from it to either side."""
        scores = np.array([one.score for one in self.played])
        if len(scores) < 2:
            return float(scores.mean()), 0.0
        return float(scores.mean()), student95(len(scores) - 1) * float(scores.std(ddof=1)) / math.sqrt(len(scores))

    def survival(self) -> tuple[float, float, float] | None:
        """Score a game if it ends at every point as likely as at any other, with its 95 % interval.

        The score of all games, cut short or not, by the number of those that have ended.  None if no game has ended,
        or if all that have ended were equally long: they end by their rules, and not by chance.
        """
        total, ended = sum(one.score for one in self.played), len(self.played) - self.cut
        lengths = {one.moves for one in self.played if one.over}
        if not ended or total <= 0 or (ended > 1 and len(lengths) == 1):
            return None
        low, high = (total / waiting(ended, share) for share in (0.975, 0.025))
        return total / ended, low, high


def waiting(ends: int, share: float) -> float:
    """So long, in mean lives, it takes at most with this probability until so many lives have ended, one by one."""
    logs = np.cumsum(np.log(np.maximum(np.arange(ends), 1)))  # of the factorials
    low, high = 0.0, 10.0 * ends + 20
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        fewer = np.exp(np.arange(ends) * math.log(middle) - middle - logs).sum()  # end by then: Poisson
        low, high = (low, middle) if 1 - fewer > share else (middle, high)
    return high


class Player:
    """The agent of one call of `play_all`, made when it is first asked for; every process that plays has its own."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._agent: Agent | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own, and keeps it for all that it plays."""
        return _player_of_this_process, (self.task,)

    def agent(self) -> Agent:
        """It was made ready, so that compiling and loading cost no game any time."""
        if self._agent is None:
            self._agent = agents.make(self.task.agent, 0, self.task.move_seconds)
            self._make_ready(self._agent)
        return self._agent

    def at_once(self) -> bool:
        """Are the games played side by side?  They are all of one game, and the agent can."""
        agent = self.agent()
        return agent.many and not gives(agent, "play_alone") and not games.is_drawn(self.task.game)

    def _make_ready(self, agent: Agent) -> None:
        game = games.make(self.task.game, seed=self.task.seed)
        if gives(agent, "play_alone"):
            agent.play_alone(game, 0, 1)  # whole games may have a kernel of their own
        else:
            agent.ready(game)

    def close(self) -> None:
        """End its process, if it has one."""
        if self._agent is not None:
            self._agent.close()


@lru_cache(1)
def _player_of_this_process(task: Task) -> Player:
    """A process that plays for another one does so for a single call of `play_all`."""
    return Player(task)


def play_alone(game: Any, agent: Agent, seed: int, moves: int) -> tuple[Any, int]:
    """Play a game to its end, or for so many moves; return its last state and how many moves there were.

    Chance draws from the seed, the agent from one made of it.
    """
    agent.begin(_of_the_agent(seed))
    return agent.play_alone(game, seed, moves)


def play_one(player: Player, number: int) -> Played:
    """Play the game of this number."""
    task, agent = player.task, player.agent()
    game = games.make(task.game, seed=draw(task.seed, number))
    begun = time.perf_counter()
    state, moves = play_alone(game, agent, _seed(task, number), task.moves)
    return Played(number, float(game.score(state)), moves, time.perf_counter() - begun, bool(game.over(state)))


def play_at_once(player: Player, numbers: list[int]) -> Iterator[Played]:
    """Play the games of these numbers side by side, each as `play_one` would; they come as they end.

    The time of a game is its share of what all have taken until then.
    """
    task, agent, begun = player.task, player.agent(), time.perf_counter()
    game, moves, going = games.make(task.game, seed=task.seed), 0, dict[int, tuple[Any, Any, np.random.Generator]]()
    for number in numbers:
        seed = _seed(task, number)
        agent.begin(_of_the_agent(seed))
        going[number] = new(game), getattr(agent, "rng", None), np.random.default_rng(seed)
    while going:
        for number, (state, _, chance) in list(going.items()):
            while not game.over(state) and moves < task.moves and game.player(state) == CHANCE:
                game.play(state, drawn_outcome(game, state, chance))
            if game.over(state) or moves == task.moves:
                seconds = (time.perf_counter() - begun) / len(numbers)
                yield Played(number, float(game.score(state)), moves, seconds, bool(game.over(state)))
                del going[number]
        states, rngs = [state for state, _, _ in going.values()], [rng for _, rng, _ in going.values()]
        for state, action in zip(states, agent.think_in_each(game, states, rngs) if states else [], strict=True):
            game.play(state, action)
        moves += 1


def _seed(task: Task, number: int) -> int:
    """Of the game of this number."""
    return int(np.random.default_rng([task.seed, number]).integers(2**62))


def _of_the_agent(seed: int) -> int:
    """Of an agent in a game of this seed: by the same numbers it would foresee what falls."""
    return int(np.random.default_rng([seed, 1]).integers(2**62))


def must_make_sense(task: Task) -> None:
    """InputError for games that cannot be played."""
    if task.games < 1 or task.moves < 1:
        raise InputError("there is at least one game, and one move in it")
    if parse(task.agent)[0] == "human":
        raise InputError("a human plays with `plyground play`")
    if not games.make(task.game, seed=task.seed).alone():
        raise InputError("two play this game: `plyground match GAME ONE OTHER` says who is stronger")


def play_all(
    task: Task, jobs: Jobs, watch: Callable[[Standing], None] = lambda standing: None, folder: ScoreFolder | None = None
) -> Standing:
    """Play the games; `watch` is called whenever one has ended.

    Interrupted by the keyboard, it returns the games that have ended, and says so.
    """
    must_make_sense(task)
    standing = Standing(task)
    try:
        for played in _games(task, jobs, folder):
            standing.played.append(played)
            watch(standing)
    except KeyboardInterrupt:
        if not standing.played:
            raise
        standing.interrupted = True
    standing.played.sort(key=lambda one: one.number)
    return standing


def _games(task: Task, jobs: Jobs, folder: ScoreFolder | None) -> Iterator[Played]:
    done = folder.played if folder else {}
    yield from (done[number] for number in range(task.games) if number in done)
    todo = [number for number in range(task.games) if number not in done]
    jobs, player = possible(task, at_most(jobs, len(todo))), Player(task)
    try:
        at_once = bool(todo) and player.at_once()  # made and compiled once, before there are several processes
        if jobs != 1 and not at_once:
            player.close()
        one_by_one = (played for _, played in in_parallel(partial(play_one, player), todo, jobs))
        for played in play_at_once(player, todo) if at_once else one_by_one:
            if folder:
                folder.append(asdict(played))
            yield played
    finally:
        player.close()
