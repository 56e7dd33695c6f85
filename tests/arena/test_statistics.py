"""Scores, intervals and Elo."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.arena.statistics import Tally, elo, likeness, student95


def test_a_draw_is_half_a_point() -> None:
    assert Tally(1, 2, 1).score == 0.5
    assert Tally(0, 1, 0).score == 0.5
    assert Tally(3, 0, 1).score == 0.75


def test_no_games_tell_nothing() -> None:
    assert (Tally().games, Tally().score) == (0, 0.5)
    low, high = Tally().interval()
    assert low < 0.05 and high > 0.95


def test_without_draws_the_interval_is_nearly_wilsons() -> None:
    low, high = Tally(70, 0, 30).interval()
    assert low == pytest.approx(0.604, abs=0.005) and high == pytest.approx(0.781, abs=0.005)


def test_draws_make_the_interval_narrower() -> None:
    plain, drawn = Tally(50, 0, 50).interval(), Tally(10, 80, 10).interval()
    assert drawn[1] - drawn[0] < 0.6 * (plain[1] - plain[0])


@pytest.mark.parametrize(
    "tally", [Tally(100, 0, 0), Tally(0, 0, 100), Tally(0, 100, 0), Tally(1, 0, 0), Tally(0, 1, 0)]
)
def test_even_a_clear_result_leaves_some_doubt(tally: Tally) -> None:
    low, high = tally.interval()
    assert 0 <= low <= tally.score <= high <= 1 and high - low > 0.001


def test_the_interval_covers_the_true_score_about_95_times_in_100() -> None:
    rng = np.random.default_rng(1)
    for chances in ([0.5, 0.0, 0.5], [0.3, 0.5, 0.2], [0.8, 0.15, 0.05]):
        true = chances[0] + chances[1] / 2
        counts = rng.multinomial(200, chances, size=2000)
        inside = [low <= true <= high for low, high in (Tally(*map(int, row)).interval() for row in counts)]
        assert 0.93 < np.mean(inside) < 0.975


def test_likeness_of_pairs() -> None:
    assert likeness([]) == likeness([(1.0,)]) == likeness([(0.5, 0.5)] * 50) == likeness([(1.0, 1.0)] * 50) == 0
    assert likeness([(1.0, 0.0)] * 1000) == pytest.approx(-1, abs=0.01)  # whoever moves first wins
    assert likeness([(1.0, 1.0), (0.0, 0.0)] * 500) == pytest.approx(1, abs=0.01)  # the second game is a copy
    assert likeness([(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)] * 500) == 0
    assert likeness([(1.0, 0.0)] * 2) == -1 / 3  # a few pairs prove little


def test_pairs_that_end_one_to_one_leave_less_doubt_and_copies_more() -> None:
    tally = Tally(50, 0, 50)
    low, high = tally.interval()
    equal, copies = tally.interval(likeness([(1.0, 0.0)] * 50)), tally.interval(likeness([(1.0, 1.0), (0.0, 0.0)] * 25))
    assert low < equal[0] < 0.5 < equal[1] < high
    assert copies[0] < low and high < copies[1]


@pytest.mark.parametrize("openings", [0, 2, 4])  # how much they favour one side, as differences of logits
@pytest.mark.parametrize("strength", [0, 2])
def test_the_interval_covers_the_true_score_where_seats_and_openings_matter(strength: float, openings: float) -> None:
    rng = np.random.default_rng(1)

    def chances(shape: tuple[int, ...]) -> np.ndarray:
        """Of the first agent, moving first and then second, by pair; moving first is worth 1."""
        favour = 1 + openings * rng.standard_normal(shape)
        return 1 / (1 + np.exp(-np.stack([strength + favour, strength - favour], -1)))

    true = chances((200_000,)).mean()
    won = rng.random((1000, 50, 2)) < chances((1000, 50))
    inside, width, alone = 0, 0.0, 0.0
    for match in won.astype(float):
        tally = Tally(int(match.sum()), 0, int((1 - match).sum()))
        low, high = tally.interval(likeness([(float(a), float(b)) for a, b in match]))
        inside += low <= true <= high
        width += high - low
        alone += np.subtract(*tally.interval()[::-1])
    assert 925 < inside < 990
    assert width < alone * (1.0 if openings == 0 else 0.95)


def test_elo_is_antisymmetric_and_infinite_at_the_ends() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.3) == pytest.approx(-elo(0.7))
    assert elo(1) == math.inf and elo(0) == -math.inf


def test_students_t_is_that_of_the_tables() -> None:
    table = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 9: 2.2622, 30: 2.0423, 200: 1.9719, 1000: 1.9623}
    assert {freedom: round(student95(freedom), 4) for freedom in table} == table
    assert student95(200) > student95(201) > student95(202)
