"""What a match proves: score with its interval, and Elo difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Z95 = 1.959964  # standard deviations of a 95 % interval
SOME = 2.0  # squares of differences added to those of the games: as many as eight decided ones have


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

    def interval(self, alike: float = 0.0, z: float = Z95) -> tuple[float, float]:
        """The scores m that these results do not contradict: |score - m| <= z * sqrt(var(m) (1 + alike) / games).

        Wilson's interval for three outcomes.  With a share d of draws a game's result has the variance
        m (1 - m) - d / 4; half a game is added to each outcome before d is taken, so that a match of
        draws alone leaves some doubt.  alike: how far the games of a pair go together, see `likeness`.
        """
        if not self.games:
            return 0.0, 1.0
        q = z * z * (1 + alike) / self.games
        d = (self.draws + 0.5) / (self.games + 1.5)
        s = self.score
        middle = (2 * s + q) / (2 * (1 + q))
        half = math.sqrt(max(0.0, middle * middle - (s * s + q * d / 4) / (1 + q)))
        return max(0.0, min(s, middle - half)), min(1.0, max(s, middle + half))


def likeness(pairs: Iterable[tuple[float, ...]], by_seat: bool = False) -> float:
    """How far the two scores of a pair go together: -1 if one is always won and one lost, 0 if they do not, 1 if equal.

    Their correlation about the mean of all games, or about that of each seat; a little nearer to 0, so that a few pairs
    do not prove much.  A pair may lack its second game.
    """
    pairs = list(pairs)
    seats = [[pair[seat] for pair in pairs if len(pair) > seat] for seat in (0, 1)]
    means = [mean(seat) for seat in seats] if by_seat else 2 * [mean(seats[0] + seats[1])]
    apart = [[score - middle for score, middle in zip(pair, means, strict=False)] for pair in pairs]
    together = sum(2 * math.prod(pair) for pair in apart if len(pair) == 2)
    return together / (SOME + sum(x * x for pair in apart for x in pair))


def mean(scores: list[float]) -> float:
    return sum(scores) / max(1, len(scores))


@lru_cache(64)
def student95(freedom: int) -> float:
    """How many standard errors the 95 % interval of a mean reaches to either side: the 97.5 % point of Student's t.

    Found by halving, with the probability of |T| < t of Abramowitz and Stegun, 26.7.3 and 26.7.4; for many degrees of
    freedom by the series about the normal distribution, 26.7.5.
    """
    if freedom > 200:
        return Z95 + (Z95**3 + Z95) / (4 * freedom) + (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / (96 * freedom**2)
    low, high = Z95, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        angle = math.atan(middle / math.sqrt(freedom))
        odd = freedom % 2
        term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
        total = term if freedom > 1 else 0.0
        for k in range(2 + odd, freedom - 1, 2):
            term *= math.cos(angle) ** 2 * (k - 1) / k
            total += term
        within = 2 / math.pi * (angle + total) if odd else total
        low, high = (middle, high) if within < 0.95 else (low, middle)
    return high


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """An interval of the median, from the k-th smallest of n values to the k-th largest, and how sure it is.

    It misses the median of what the values are drawn from, whatever that is, where fewer than k of them lie on one
    side: with a probability of 2 P(B < k), B binomial with n and 1/2.  k is the largest for which it is 95 % sure; of
    less than six values none is, and it reaches from the smallest to the largest.
    """
    n = len(values)
    missed, k = 2 / 2**n, 1
    while missed + 2 * math.comb(n, k) / 2**n <= 0.05:
        missed, k = missed + 2 * math.comb(n, k) / 2**n, k + 1
    ordered = sorted(values)
    return ordered[k - 1], ordered[n - k], max(0.0, 1 - missed)


def elo(score: float) -> float:
    """The rating difference at which this score is expected (infinite for 0 and 1)."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """Points a game that this rating difference leads to."""
    return 1 / (1 + 10 ** (-elo / 400))


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for an infinite one."""
    return value if abs(value) != float("inf") else None
