"""What is told of random games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ..tables import Table, figure
from .base import Report


@dataclass(repr=False)
class RandomGamesReport(Report):
    """What has become of games in which every move was drawn at random."""

    game: str
    games: int
    seed: int
    moves: int  # of all games together, those of chance as well
    first: int  # games that the first player has won; in a game of one player those with more than 0 points
    drawn: int
    second: int
    unfinished: int  # games that did not end by the rules
    score: float  # of all games together
    shortest: int  # moves of a game
    longest: int
    seconds: float  # that they took, without what was compiled for them
    alone: bool  # is it a game of one player?

    @property
    def mean(self) -> float:
        """Score a game: the first player's, or the points of the only one."""
        return self.score / max(self.games, 1)

    @property
    def length(self) -> float:
        """Moves a game."""
        return self.moves / max(self.games, 1)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"mean": self.mean, "length": self.length}

    def rows(self) -> list[dict[str, Any]]:
        return [self.to_json()]

    def parts(self) -> Iterator[str | Table]:
        yield f"{self.games:,} random games of {self.game}\n"
        yield self.table()
        if self.unfinished:
            yield f"\n{self.unfinished:,} games did not end"

    def table(self) -> Table:
        """Who won, or how many points there were, and how long the games took."""
        rows = Table(
            ["", *([] if self.alone else ["first", "drawn", "second"]), "mean score", "moves", "least", "most"]
        )
        shares = (
            [] if self.alone else [f"{part / max(self.games, 1):.2%}" for part in (self.first, self.drawn, self.second)]
        )
        rows.add("games", *shares, figure(self.mean), f"{self.length:.2f}", str(self.shortest), str(self.longest))
        return rows
