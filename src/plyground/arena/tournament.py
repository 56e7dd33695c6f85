"""Tournaments: matches between all agents, or of the first against the others, and what they add up to.

All matches have the same openings (and, where a game is drawn at random, the same draws), so that no agent has the
luckier ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..spec import InputError
from .match import play_pairs
from .match_folder import MatchFolder
from .parallel import Jobs
from .ratings import Ratings, rate
from .results import Plan, Record, Result
from .statistics import Tally, likeness


@dataclass(frozen=True)
class Tournament:
    """Everything that determines a tournament."""

    game: str
    agents: tuple[str, ...]
    games: int  # of each pairing
    seed: int = 0
    opening: int = 0  # random plies before the agents take over
    gauntlet: bool = False  # the first agent plays all others, who do not play one another
    book: tuple[str, ...] = ()  # openings that the pairs of games take in turn instead
    move_seconds: float | None = None  # most of a move of an agent from a file; None: as `agents.make` has it

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise InputError("a tournament has at least two agents")

    @property
    def labels(self) -> list[str]:
        """A name for each agent; those that are there twice are numbered."""
        often = Counter(self.agents)
        seen: Counter[str] = Counter()
        names = []
        for agent in self.agents:
            seen[agent] += 1
            names.append(f"{agent} #{seen[agent]}" if often[agent] > 1 else agent)
        return names

    @property
    def by_name(self) -> Tournament:
        """The same with plain names, where objects stand for specs."""
        return replace(self, game=str(self.game), agents=tuple(map(str, self.agents)))

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom, by their numbers."""
        return [(one, other) for one, other in combinations(range(len(self.agents)), 2) if not (self.gauntlet and one)]

    @property
    def plans(self) -> list[Plan]:
        """The match of each pairing."""
        return [
            Plan(
                self.game,
                (self.agents[one], self.agents[other]),
                self.games,
                self.seed,
                self.opening,
                self.book,
                number,
                self.move_seconds,
            )
            for number, (one, other) in enumerate(self.pairings)
        ]


@dataclass
class Standings:
    """A tournament so far."""

    tournament: Tournament
    interrupted: bool = False  # by the keyboard

    def __post_init__(self) -> None:
        self.tournament = self.tournament.by_name
        agents = len(self.tournament.agents)
        self.results = [Result(plan) for plan in self.tournament.plans]  # of each pairing
        self.table = np.zeros((agents, agents, 3), int)  # wins, draws and losses of each, moving first, against each

    def add(self, number: int, records: list[Record]) -> None:
        """These games of a pairing have ended."""
        self.results[number].records.extend(records)
        pairing = self.tournament.pairings[number]
        for record in records:
            outcome = 1 - int(np.sign(record.score))
            self.table[pairing[record.first], pairing[1 - record.first], outcome] += 1

    @property
    def games(self) -> int:
        return int(self.table.sum())

    @property
    def complete(self) -> bool:
        return self.games == self.tournament.games * len(self.results)

    def ratings(self) -> Ratings:
        """The mean is 0; in a gauntlet the agent that plays all others is."""
        agents = len(self.tournament.agents)
        alike = np.zeros((agents, agents))
        for (one, other), result in zip(self.tournament.pairings, self.results, strict=True):
            alike[one, other] = alike[other, one] = likeness(result.pairs(), by_seat=True)
        return rate(self.table, 0 if self.tournament.gauntlet else None, alike)

    def tally(self, agent: int, other: int | None = None) -> Tally:
        """Results of an agent, against another one or against all."""
        both = self.table[agent] + self.table[:, agent, ::-1]
        return Tally(*(int(count) for count in (both.sum(0) if other is None else both[other])))

    def played_by(self, agent: int) -> list[tuple[Result, int]]:
        """The matches of an agent, and whether it is their agent 0 or 1."""
        matches = zip(self.tournament.pairings, self.results, strict=True)
        return [(result, pairing.index(agent)) for pairing, result in matches if agent in pairing]

    def forfeits(self, agent: int) -> list[str]:
        """Why an agent had to give games up, a reason for each."""
        return [reason for result, which in self.played_by(agent) for reason in result.forfeits(which)]

    def seconds_a_move(self, agent: int) -> float:
        played = [(r.seconds[which], r.moves[which]) for result, which in self.played_by(agent) for r in result.records]
        moves = sum(count for _, count in played)
        return sum(seconds for seconds, _ in played) / moves if moves else 0.0


def standings_of(folder: MatchFolder) -> Standings:
    """The tournament that a folder keeps, so far; InputError if it keeps something else."""
    plan = folder.header["plan"]
    try:
        if plan["kind"] != "tournament":
            raise ValueError
        told = tuple(map(str, plan["agents"])), int(plan["games"]), int(plan["seed"]), int(plan["openings"])
        standings = Standings(Tournament(str(plan["game"]), *told, bool(plan["gauntlet"]), tuple(folder.openings)))
        for (_, number), records in sorted(folder.pairs.items()):
            standings.add(number, records)
    except (KeyError, TypeError, ValueError, IndexError):
        raise InputError(f"{folder.folder} does not keep a tournament") from None
    return standings


def play_tournament(
    tournament: Tournament,
    jobs: Jobs = 1,
    watch: Callable[[Standings], None] = lambda standings: None,
    folder: MatchFolder | None = None,
) -> Standings:
    """Play a tournament; `watch` is called whenever a pair of games has ended.

    Interrupted by the keyboard, it returns the games that have ended, and says so.
    """
    standings = Standings(tournament)
    try:
        for number, records in play_pairs(tournament.plans, jobs, folder, go_on=True):
            standings.add(number, records)
            watch(standings)
    except KeyboardInterrupt:
        if not standings.games:
            raise
        standings.interrupted = True
    for result in standings.results:
        result.records.sort(key=lambda record: record.number)
    return standings
