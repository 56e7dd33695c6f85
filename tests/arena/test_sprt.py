"""The sequential test: by hand, by simulated matches of known strength, and in real matches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.arena.match import play_match
from plyground.arena.results import Plan, Record, Result
from plyground.arena.sprt import SPRT, Trial, read
from plyground.arena.statistics import expected_score
from plyground.spec import InputError


def test_the_llr_by_hand() -> None:
    # s0 = 0.5 and s1 = 0.6; five pairs, two of 1 point and three of 2: the mean is 0.8.  With half a pair more of
    # each outcome the mean is 0.7 and that of the squares 4.4375 / 7.5, so the variance 61 / 600.
    sprt = SPRT(0, 400 * math.log10(1.5))
    assert sprt.llr([0, 0, 2, 0, 3]) == pytest.approx(5 * 0.1 * (1.6 - 1.1) / (2 * 61 / 600))
    assert sprt.llr([3, 0, 2, 0, 0]) == pytest.approx(5 * 0.1 * (0.4 - 1.1) / (2 * 61 / 600))
    assert sprt.llr([0, 0, 0, 0, 0]) == 0


def test_the_hypotheses_mirror_each_other() -> None:
    assert SPRT(-30, 30).llr([1, 2, 3, 4, 5]) == pytest.approx(-SPRT(-30, 30).llr([5, 4, 3, 2, 1]))
    assert SPRT(-30, 30).llr([1, 2, 6, 2, 1]) == pytest.approx(0)
    assert SPRT(0, 10).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert SPRT(0, 10, 0.01, 0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


def outcomes(elo: float, draws: float, seat: float) -> np.ndarray:
    """Chances of the five outcomes of a pair; the score is that of elo, and the first seat is worth so much more."""
    score = expected_score(elo)
    games = []
    for expected in (score + seat, score - seat):
        drawn = draws * 2 * min(expected, 1 - expected)
        games.append([1 - expected - drawn / 2, drawn, expected - drawn / 2])
    return np.convolve(*games)


def accepted(sprt: SPRT, chances: np.ndarray, matches: int, pairs: int, seed: int) -> tuple[float, float, float]:
    """Shares of simulated matches that accept H0 and H1, and the mean number of pairs."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(5, size=(matches, pairs), p=chances)
    counts = np.cumsum(drawn[..., None] == np.arange(5), axis=1)
    llr = sprt.llr(counts)
    low, high = sprt.bounds
    ended = (llr <= low) | (llr >= high)
    at = np.where(ended.any(1), ended.argmax(1), pairs - 1)
    last = llr[np.arange(matches), at]
    return float((last <= low).mean()), float((last >= high).mean()), float(at.mean() + 1)


@pytest.mark.parametrize("draws, seat", [(0.0, 0.0), (0.3, 0.15), (0.9, 0.0)])
def test_errors_are_as_rare_as_promised(draws: float, seat: float) -> None:
    sprt = SPRT(0, 40)
    h0 = accepted(sprt, outcomes(0, draws, seat), 600, 1500, 1)
    h1 = accepted(sprt, outcomes(40, draws, seat), 600, 1500, 2)
    assert h0[1] < 0.08 and h1[0] < 0.08  # 0.05 and three standard deviations
    assert h0[0] > 0.9 and h1[1] > 0.9
    between = accepted(sprt, outcomes(20, draws, seat), 200, 1500, 3)
    assert between[2] > 1.2 * max(h0[2], h1[2])  # hardest in the middle
    assert accepted(sprt, outcomes(120, draws, seat), 200, 1500, 4)[2] < 0.5 * h1[2]  # and soon done far away


def test_a_strict_test_errs_less_and_takes_longer() -> None:
    chances = outcomes(0, 0.3, 0.1)
    usual, strict = (accepted(SPRT(0, 40, a, a), chances, 600, 2500, 5) for a in (0.05, 0.01))
    assert strict[1] < 0.025 and strict[2] > 1.2 * usual[2]


def pair(number: int, points: int) -> list[Record]:
    """Two games with so many half points for the first agent."""
    results = {0: (-1, -1), 1: (-1, 0), 2: (1, -1), 3: (1, 0), 4: (1, 1)}[points]
    return [
        Record(2 * number + i, i, [], [], 0, float(result if i == 0 else -result), (0, 0), (0, 0), (0, 0))
        for i, result in enumerate(results)
    ]


def test_pairs_are_counted_in_their_order_whatever_the_order_in_which_they_end() -> None:
    rng = np.random.default_rng(6)
    points = rng.choice(5, size=300, p=outcomes(60, 0.3, 0.1)).tolist()
    usual = Trial(SPRT(0, 60))
    assert not any(usual.add(pair(n, p)) for n, p in enumerate(points[: usual_end(points) - 1]))
    assert usual.add(pair(usual_end(points) - 1, points[usual_end(points) - 1]))
    shuffled = Trial(SPRT(0, 60))
    for n in rng.permutation(300):
        shuffled.add(pair(int(n), points[n]))
    assert shuffled.summary() == usual.summary() and shuffled.accepted == "H1"
    assert shuffled.games == usual.games == 2 * usual_end(points)


def usual_end(points: list[int]) -> int:
    """After how many pairs the test of 0 against 60 Elo is decided, by its definition."""
    for n in range(1, len(points) + 1):
        counts = [points[:n].count(outcome) for outcome in range(5)]
        if abs(SPRT(0, 60).llr(counts)) >= math.log(19):
            return n
    raise AssertionError


def test_half_a_pair_counts_nothing() -> None:
    trial = Trial(SPRT(0, 10))
    trial.add(pair(0, 4)[:1])
    assert trial.games == 0 and trial.llr == 0
    trial.add(pair(0, 4))
    assert trial.pairs == [0, 0, 0, 0, 1] and 0 < trial.llr < 0.1  # one pair decides nothing


@pytest.mark.parametrize("one, other, verdict", [("win-block", "random", "H1"), ("random", "win-block", "H0")])
def test_a_match_ends_when_it_is_decided(one: str, other: str, verdict: str) -> None:
    plan = Plan("tictactoe", (one, other), 400, seed=3, opening=1)
    trials = [Trial(SPRT(0, 50)) for _ in range(2)]
    found: list[Result] = [play_match(plan, jobs, trial=trial) for jobs, trial in zip((1, 2), trials, strict=True)]
    assert trials[0].summary() == trials[1].summary()
    assert [r.actions for r in found[0].records] == [r.actions for r in found[1].records]
    assert trials[0].accepted == verdict and len(found[0].records) == trials[0].games < 200
    whole = play_match(Plan("tictactoe", (one, other), trials[0].games, seed=3, opening=1))
    assert [r.actions for r in whole.records] == [r.actions for r in found[0].records]


def test_a_match_that_is_not_decided_ends_with_its_games() -> None:
    trial = Trial(SPRT(0, 1))
    result = play_match(Plan("tictactoe", ("random", "random"), 9), trial=trial)
    assert len(result.records) == 9 and trial.games == 8 and trial.accepted is None
    assert "not decided" in trial.text()


@pytest.mark.parametrize(
    "text, alpha", [("5", 0.05), ("0,10,20", 0.05), ("10,0", 0.05), ("0,0", 0.05), ("a,b", 0.05), ("nan,1", 0.05)]
    + [("0,inf", 0.05), ("0,10", 0.0), ("0,10", 0.5), ("0,10", float("nan"))],
)  # fmt: skip
def test_a_test_that_makes_no_sense_is_refused(text: str, alpha: float) -> None:
    with pytest.raises(InputError):
        read(text, alpha, 0.05)
