"""Scores, intervals and Elo."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.arena.statistics import Tally, elo


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


def test_elo_is_antisymmetric_and_infinite_at_the_ends() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.3) == pytest.approx(-elo(0.7))
    assert elo(1) == math.inf and elo(0) == -math.inf
