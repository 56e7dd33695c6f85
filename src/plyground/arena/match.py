"""Matches: games between two agents, seats balanced, played in parallel processes.

Games come in pairs: both have the same opening (and, where a game is drawn at random, the same draw), and
the agents change seats in between.  Every game has its own seed, made from the match's seed and its
number, so the results do not depend on how many processes play.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import agents, games
from ..agents.base import Agent, Limit
from ..rules import CHANCE, LONGEST, after, drawn_outcome, legal, new
from ..show import finite
from ..spec import InputError, parse
from .parallel import in_parallel
from .statistics import Tally, elo

Show = Callable[[int, str, str, str], None]  # the number of the game, who plays, what, and the position after it


@dataclass(frozen=True)
class Plan:
    """Everything that determines a match."""

    game: str
    agents: tuple[str, str]
    games: int
    seed: int = 0
    opening: int = 0  # random plies before the agents take over


@dataclass(frozen=True)
class Record:
    """One game that was played."""

    number: int
    first: int  # which of the two agents moved first
    actions: list[int]
    names: list[str]
    opening: int  # how many of the actions were drawn, not chosen
    score: float  # for player 0
    seconds: tuple[float, float]  # thinking time of either agent
    longest: tuple[float, float]  # thinking time of the slowest move of either agent
    moves: tuple[int, int]  # moves of either agent

    @property
    def result(self) -> float:
        """The score for the match's first agent."""
        return self.score if self.first == 0 else -self.score


class Game(NamedTuple):
    """A game as the rules saw it: seconds, longest and moves are those of the players."""

    actions: list[int]
    score: float  # for player 0
    seconds: tuple[float, float]
    longest: tuple[float, float]
    moves: tuple[int, int]


@dataclass
class Result:
    """A match so far."""

    plan: Plan
    records: list[Record] = field(default_factory=list)

    def tally(self, seat: int | None = None) -> Tally:
        """Results of the first agent, in all games or in those in which it sat there."""
        results = [r.result for r in self.records if seat is None or r.first == seat]
        return Tally(sum(x > 0 for x in results), sum(x == 0 for x in results), sum(x < 0 for x in results))

    def summary(self) -> dict[str, Any]:
        """What the games so far say of the first agent, as JSON can hold it."""
        total = self.tally()
        low, high = total.interval()
        return {
            **total.counts(),
            "first": self.tally(0).counts(),
            "second": self.tally(1).counts(),
            "score": total.score,
            "interval": [low, high],
            "elo": finite(elo(total.score)),
            "elo_interval": [finite(elo(low)), finite(elo(high))],
        }

    def seconds_a_move(self, agent: int) -> float:
        moves = sum(r.moves[agent] for r in self.records)
        return sum(r.seconds[agent] for r in self.records) / moves if moves else 0.0

    def longest_move(self, agent: int) -> float:
        return max((r.longest[agent] for r in self.records), default=0.0)


def play_game(
    game: Any,
    players: tuple[Agent, Agent],
    rng: np.random.Generator,
    opening: list[int],
    limits: tuple[Limit, Limit] = (Limit(), Limit()),
    watch: Callable[[Any, int], None] | None = None,
) -> Game:
    """Play one game by the rules; `watch` is told every state with what is played there, and ends it by raising."""
    state = new(game)
    actions: list[int] = []
    thoughts: tuple[list[float], list[float]] = [], []  # seconds of the moves of either player
    while not game.over(state):
        if len(actions) == LONGEST:
            raise InputError(f"the game has not ended after {LONGEST} moves; run `plyground check` on it")
        player = int(game.player(state))
        if len(actions) < len(opening):
            action = opening[len(actions)]
        elif player == CHANCE:
            action = drawn_outcome(game, state, rng)
        else:
            begun = time.perf_counter()
            action = players[player].think(game, state, limits[player]).action
            thoughts[player].append(time.perf_counter() - begun)
        if watch:
            watch(state, action)
        game.play(state, action)
        actions.append(action)
    first, second = thoughts
    longest = max(first, default=0.0), max(second, default=0.0)
    return Game(actions, float(game.score(state)), (sum(first), sum(second)), longest, (len(first), len(second)))


def recorded(number: int, first: int, played: Game, names: list[str], opening: int = 0) -> Record:
    """A game of a match, in which this agent moved first."""
    seconds, longest, moves = played.seconds, played.longest, played.moves
    if first == 1:
        seconds, longest, moves = seconds[::-1], longest[::-1], moves[::-1]
    return Record(number, first, played.actions, names, opening, played.score, seconds, longest, moves)


def draw_opening(game: Any, plies: int, rng: np.random.Generator) -> list[int]:
    """Random plies after which the game goes on; fewer where the game is too short for them."""
    for attempt in range(100):
        state, actions = new(game), list[int]()
        wanted = plies if attempt < 50 else int(rng.integers(plies + 1))
        while len(actions) < wanted and not game.over(state):
            nature = game.player(state) == CHANCE
            actions.append(drawn_outcome(game, state, rng) if nature else int(rng.choice(legal(game, state))))
            game.play(state, actions[-1])
        if not game.over(state):
            return actions
    return []


def draw(seed: int, pair: int) -> int:
    """The seed of the game that both games of a pair play."""
    return seed * 1_000_003 + pair


def begin_game(seed: int, number: int, both: list[Agent]) -> tuple[int, np.random.Generator]:
    """Make both agents ready for a game of a match: which of them moves first, and the numbers for chance events."""
    seeds = np.random.default_rng([seed, number // 2, number]).integers(2**62, size=3)
    for agent, one in zip(both, seeds, strict=False):
        agent.begin(int(one))
    return number % 2, np.random.default_rng(seeds[2])


def play_pair(plan: Plan, pair: int, show: Show | None = None) -> list[Record]:
    """Play the two games of a pair (one if the match has an odd number of games); `show` is told every move."""
    game = games.make(plan.game, seed=draw(plan.seed, pair))
    opening = draw_opening(game, plan.opening, np.random.default_rng([plan.seed, pair]))
    records = []
    for number in range(2 * pair, min(2 * pair + 2, plan.games)):
        both = [_agent(spec, which) for which, spec in enumerate(plan.agents)]
        first, rng = begin_game(plan.seed, number, both)
        watch = partial(_show, show, plan, game, number) if show else None
        played = play_game(game, (both[first], both[1 - first]), rng, opening, watch=watch)
        records.append(recorded(number, first, played, [game.name(a) for a in played.actions], len(opening)))
    return records


def _show(show: Show, plan: Plan, game: Any, number: int, state: Any, action: int) -> None:
    player = int(game.player(state))
    who = "nature" if player == CHANCE else plan.agents[(number + player) % 2]
    show(number, who, game.name(action), game.text(after(game, state, action)))


_agents: dict[tuple[str, int], Agent] = {}


def _agent(spec: str, which: int) -> Agent:
    """The agent in this chair; made once in a process, so that trees and nets are not made for every game."""
    if (spec, which) not in _agents:
        _agents[spec, which] = agents.make(spec)
    return _agents[spec, which]


def warm_up(game: Any, both: list[Agent]) -> None:
    """Let both agents think for a moment, so that what has to be compiled is, before games or processes start."""
    state = new(game)
    rng = np.random.default_rng(0)
    while not game.over(state) and game.player(state) == CHANCE:
        game.play(state, drawn_outcome(game, state, rng))
    if not game.over(state):
        for agent in both:
            agent.think(game, state, Limit(simulations=1, seconds=0.01))


def play_match(
    plan: Plan, jobs: int = 1, watch: Callable[[Result], None] = lambda result: None, show: Show | None = None
) -> Result:
    """Play a match; `watch` is called whenever a pair of games has ended, `show` (in one process) for every move.

    Interrupted by the keyboard, it returns the games that have ended.
    """
    if plan.games < 1:
        raise InputError(f"a match has at least one game, not {plan.games}")
    if plan.opening < 0:
        raise InputError(f"an opening has 0 or more moves, not {plan.opening}")
    if "human" in [parse(agent)[0] for agent in plan.agents]:
        raise InputError("a human cannot play a match; use `plyground play`")
    both = [_agent(spec, which) for which, spec in enumerate(plan.agents)]
    warm_up(games.make(plan.game, seed=plan.seed), both)
    result = Result(plan)
    pairs = range((plan.games + 1) // 2)
    try:
        for _, records in in_parallel(partial(play_pair, plan, show=show), pairs, 1 if show else min(jobs, len(pairs))):
            result.records.extend(records)
            watch(result)
    except KeyboardInterrupt:
        if not result.records:
            raise
    result.records.sort(key=lambda record: record.number)
    return result
