"""What a match proves: score with its interval, and Elo difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z95 = 1.959964  # standard deviations of a 95 % interval


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game: a win counts 1, a draw one half."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def counts(self) -> dict[str, int]:
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """The scores m that these results do not contradict: |score - m| <= z * sqrt(var(m) / games).

        Wilson's interval for three outcomes.  With a share d of draws a game's result has the variance
        m (1 - m) - d / 4; half a game is added to each outcome before d is taken, so that a match of
        draws alone leaves some doubt.
        """
        if not self.games:
            return 0.0, 1.0
        q = z * z / self.games
        d = (self.draws + 0.5) / (self.games + 1.5)
        s = self.score
        middle = (2 * s + q) / (2 * (1 + q))
        half = math.sqrt(max(0.0, middle * middle - (s * s + q * d / 4) / (1 + q)))
        return max(0.0, min(s, middle - half)), min(1.0, max(s, middle + half))


def elo(score: float) -> float:
    """The rating difference at which this score is expected (infinite for 0 and 1)."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """Points a game that this rating difference leads to."""
    return 1 / (1 + 10 ** (-elo / 400))
