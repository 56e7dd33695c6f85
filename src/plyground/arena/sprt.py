"""A match that ends as soon as it is decided: the sequential probability ratio test, on pairs of games.

Two hypotheses stand against each other: the first agent is stronger by elo0 (H0) or by elo1 (H1).  After every pair
the logarithm of the ratio of their likelihoods (LLR) is compared with two bounds (Wald, 1945):

    log(beta / (1 - alpha)): H0 is accepted below it;    log((1 - beta) / alpha): H1 is accepted above it.

The outcome of a pair is one of five: 0, 1/2, 1, 3/2 or 2 points.  Of them only the mean score matters, the rest is
estimated on the way: the generalised test, whose LLR is, by the normal approximation (Van den Bergh, "A practical
introduction to the GSPRT"),

    n (s1 - s0) (2 mean - s0 - s1) / (2 variance)

for n pairs of this mean and variance of the score a game, and the scores s0 and s1 that elo0 and elo1 lead to.  Half a
pair is added to each of the outcomes before the variance is taken, so that a few equal pairs decide nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec import InputError
from .statistics import expected_score

if TYPE_CHECKING:
    from .results import Record

SCORES = np.arange(5) / 4  # points a game of the five outcomes
EXTRA = 0.5  # pairs added to each outcome for the variance
WIDEST = 4000  # Elo


@dataclass(frozen=True)
class SPRT:
    """The two hypotheses, and how often each may be taken for the other."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # how often H1 is accepted where H0 holds
    beta: float = 0.05  # how often H0 is accepted where H1 holds

    def __post_init__(self) -> None:
        if not -WIDEST <= self.elo0 < self.elo1 <= WIDEST:
            raise InputError(
                f"--sprt takes two Elo differences, the smaller one first, not {self.elo0:g},{self.elo1:g}"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise InputError(f"--{name} is above 0 and below 0.5, not {chance:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted at or below the first, H1 at or above the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Any) -> Any:
        """The LLR for the counts of the five outcomes, which lie along the last axis."""
        pairs = np.asarray(pairs, float)
        total = pairs.sum(-1)
        s0, s1 = expected_score(self.elo0), expected_score(self.elo1)
        shares = (pairs + EXTRA) / (total[..., None] + 5 * EXTRA)
        variance = shares @ SCORES**2 - (shares @ SCORES) ** 2
        return (s1 - s0) * (2 * (pairs @ SCORES) - total * (s0 + s1)) / (2 * variance)


def read(text: str, alpha: float, beta: float) -> SPRT:
    """The test of `ELO0,ELO1`."""
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--sprt takes two Elo differences like 0,10, not {text[:40]!r}") from None
    return SPRT(elo0, elo1, alpha, beta)


class Trial:
    """A test under way.

    It takes the pairs of a match in their order, whatever the order in which they end: so the verdict depends neither
    on how many processes play nor on which games are short.
    """

    def __init__(self, sprt: SPRT) -> None:
        self.sprt = sprt
        self.pairs = [0] * 5  # of each outcome
        self.llr = 0.0
        self.accepted: str | None = None
        self._waiting: dict[int, int] = {}  # outcomes of pairs that ended before an earlier one

    @property
    def games(self) -> int:
        """How many games the test has counted."""
        return 2 * sum(self.pairs)

    def add(self, records: list[Record]) -> bool:
        """Take a pair that has ended (half a pair counts nothing); is the test decided?"""
        if len(records) == 2:
            self._waiting[records[0].number // 2] = sum(1 + (r.result > 0) - (r.result < 0) for r in records)
        low, high = self.sprt.bounds
        while self.accepted is None and sum(self.pairs) in self._waiting:
            self.pairs[self._waiting.pop(sum(self.pairs))] += 1
            self.llr = float(self.sprt.llr(self.pairs))
            self.accepted = "H0" if self.llr <= low else "H1" if self.llr >= high else None
        return self.accepted is not None

    def headline(self) -> str:
        """The LLR with its bounds."""
        low, high = self.sprt.bounds
        return f"LLR {self.llr:+.2f} ({low:.2f} to {high:.2f})"

    def summary(self) -> dict[str, Any]:
        """The test so far, as JSON can hold it."""
        sprt = self.sprt
        told = {"elo": [sprt.elo0, sprt.elo1], "alpha": sprt.alpha, "beta": sprt.beta, "bounds": list(sprt.bounds)}
        return told | {"pairs": self.pairs, "llr": self.llr, "accepted": self.accepted}

    def text(self) -> str:
        """The test so far, for people."""
        sprt = self.sprt
        counts = ", ".join(f"{points:g}: {count}" for points, count in zip(2 * SCORES, self.pairs, strict=True))
        if self.accepted is None:
            verdict = f"not decided between {sprt.elo0:+g} Elo (H0) and {sprt.elo1:+g} Elo (H1)"
        else:
            taken, left = (sprt.elo0, sprt.elo1) if self.accepted == "H0" else (sprt.elo1, sprt.elo0)
            verdict = f"{self.accepted} accepted: {taken:+g} Elo rather than {left:+g}"
        return f"SPRT: {verdict}\n{self.headline()} after {sum(self.pairs):,} pairs; by their points {counts}"
