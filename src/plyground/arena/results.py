"""What a match is, what is known of a game that was played, and what the games add up to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from .statistics import Tally, elo, finite, likeness


@dataclass(frozen=True)
class Plan:
    """Everything that determines a match."""

    game: str
    agents: tuple[str, str]
    games: int
    seed: int = 0
    opening: int = 0  # random plies before the agents take over
    book: tuple[str, ...] = ()  # openings that the pairs take in turn instead, as lists of moves
    pairing: int = 0  # of a tournament: its matches have the same openings, but other random numbers for the agents
    move_seconds: float | None = None  # most of a move of an agent from a file; None: as `agents.make` has it

    @property
    def pairs(self) -> int:
        """How many pairs of games there are; the last may lack its second game."""
        return (self.games + 1) // 2

    @property
    def by_name(self) -> Plan:
        """The same with plain names, where objects stand for specs: what is told of a match goes wherever texts go."""
        one, other = self.agents
        return replace(self, game=str(self.game), agents=(str(one), str(other)))


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
    reason: str = ""  # why the loser had to give the game up, if the rules did not end it

    @property
    def result(self) -> float:
        """The score for the match's first agent."""
        return self.score if self.first == 0 else -self.score


@dataclass
class Result:
    """A match so far."""

    plan: Plan
    records: list[Record] = field(default_factory=list)
    interrupted: bool = False  # by the keyboard

    def __post_init__(self) -> None:
        self.plan = self.plan.by_name

    def tally(self, seat: int | None = None) -> Tally:
        """Results of the first agent, in all games or in those in which it sat there."""
        results = [r.result for r in self.records if seat is None or r.first == seat]
        return Tally(sum(x > 0 for x in results), sum(x == 0 for x in results), sum(x < 0 for x in results))

    def pairs(self) -> list[tuple[float, ...]]:
        """The points of the first agent in the games of every pair: moving first, then moving second."""
        found: dict[int, tuple[float, ...]] = {}
        for record in self.records:
            pair, points = record.number // 2, (record.result > 0) + (record.result == 0) / 2
            found[pair] = (*found.get(pair, ()), points)
        return list(found.values())

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score.  What both seats or an opening do to either game of a pair is no doubt."""
        return self.tally().interval(likeness(self.pairs()))

    def summary(self) -> dict[str, Any]:
        """What the games so far say of the first agent, as JSON can hold it."""
        total = self.tally()
        low, high = self.interval()
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

    def repeats(self) -> int:
        """How many games tell nothing new, where the same opening and seats have always led to the same game."""
        begun = {(r.first, *r.actions[: r.opening]) for r in self.records}
        played = {(r.first, *r.actions) for r in self.records}
        return len(self.records) - len(played) if len(played) == len(begun) else 0

    def forfeits(self, agent: int) -> list[str]:
        """Why this agent had to give games up, a reason for each."""
        return [r.reason for r in self.records if r.reason and (r.result < 0) == (agent == 0)]
