"""Ratings: against likelihoods summed game by game, against derivatives by differences, and against known strengths."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from plyground.arena.ratings import rate
from plyground.arena.statistics import Tally, elo, expected_score, likeness


def likelihood(table: np.ndarray, ratings: list[float], advantage: float) -> float:
    """The logarithm of the penalised likelihood, by its definition: one game after the other, in Elo."""
    total = 0.0
    for first, second in product(range(len(table)), repeat=2):
        wins, draws, losses = table[first, second]
        expected = expected_score(ratings[first] - ratings[second] + advantage)
        total += (wins + draws / 2) * math.log(expected) + (losses + draws / 2) * math.log(1 - expected)
    for one in [*ratings, advantage]:
        total += (math.log(expected_score(one)) + math.log(expected_score(-one))) / 2
    return total


def climbed(table: np.ndarray) -> list[float]:
    """Ratings and advantage at the top of the likelihood: one after the other moved up the hill, by ever less."""
    at = [0.0] * (len(table) + 1)
    step = 256.0
    while step > 0.001:
        moved = False
        for i in range(len(at)):
            for change in (step, -step):
                there = [x + change * (i == j) for j, x in enumerate(at)]
                if likelihood(table, there[:-1], there[-1]) > likelihood(table, at[:-1], at[-1]) + 1e-12:
                    at, moved = there, True
        if not moved:
            step /= 2
    return at


def two(first: tuple[int, int, int], second: tuple[int, int, int]) -> np.ndarray:
    """The table of two agents: wins, draws and losses of agent 0, moving first and moving second."""
    table = np.zeros((2, 2, 3), int)
    table[0, 1], table[1, 0] = first, second[::-1]
    return table


def random_table(agents: int, games: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.multinomial(games, [0.4, 0.25, 0.35], size=(agents, agents))
    table[range(agents), range(agents)] = 0
    return table


@pytest.mark.parametrize(
    "table",
    [
        two((6, 2, 2), (3, 3, 4)),
        two((10, 0, 0), (10, 0, 0)),
        two((0, 0, 5), (0, 0, 4)),
        two((0, 9, 0), (0, 9, 0)),
        two((5, 0, 0), (0, 0, 5)),
        two((1, 0, 0), (0, 0, 0)),
        random_table(3, 7, 1),
        random_table(4, 12, 2),
    ],
    ids=["mixed", "all won", "all lost", "all drawn", "first seat wins", "one game", "three", "four"],
)
def test_the_likelihood_is_highest_at_the_ratings(table: np.ndarray) -> None:
    *ratings, advantage = climbed(table)
    found = rate(table)
    assert found.elo == pytest.approx([one - np.mean(ratings) for one in ratings], abs=0.1)
    assert found.advantage == pytest.approx(advantage, abs=0.1)


def test_a_grid_knows_no_better_place() -> None:
    table = two((7, 3, 2), (4, 4, 4))
    found = rate(table)
    grid = product(range(-60, 301, 5), range(-60, 301, 5))
    best = max(grid, key=lambda at: likelihood(table, [at[0] / 2, -at[0] / 2], at[1]))
    assert found.elo[0] - found.elo[1] == pytest.approx(best[0], abs=5)
    assert found.advantage == pytest.approx(best[1], abs=5)


def test_without_draws_the_covariance_is_the_inverse_hessian() -> None:
    table = random_table(3, 200, 5)
    table[:, :, 0] += table[:, :, 1]
    table[:, :, 1] = 0
    top, h = np.array(climbed(table)), 1.0

    def at(*changes: tuple[int, float]) -> float:
        there = top.copy()
        for i, change in changes:
            there[i] += change
        return likelihood(table, there[:-1].tolist(), float(there[-1]))

    hessian = [
        [
            -(at((i, h), (j, h)) - at((i, h), (j, -h)) - at((i, -h), (j, h)) + at((i, -h), (j, -h))) / (4 * h * h)
            for j in range(4)
        ]
        for i in range(4)
    ]
    covariance = np.linalg.inv(hessian)
    found = rate(table)
    for one, other in [(0, 1), (1, 2), (0, 2)]:
        x = np.eye(4)[one] - np.eye(4)[other]
        assert x @ found.covariance @ x == pytest.approx(x @ covariance @ x, rel=0.02)
    assert found.covariance[3, 3] == pytest.approx(covariance[3, 3], rel=0.02)


def test_two_agents_without_an_advantage_are_as_far_apart_as_their_match_says() -> None:
    tally = Tally(120, 40, 40)
    found = rate(two((60, 20, 20), (60, 20, 20)))
    assert found.elo[0] - found.elo[1] == pytest.approx(elo(tally.score), abs=2)
    assert found.advantage == pytest.approx(0, abs=1e-6)
    low, high = (elo(end) for end in tally.interval())
    c = found.covariance
    wide = 2 * 1.96 * math.sqrt(c[0, 0] + c[1, 1] - 2 * c[0, 1])
    assert wide == pytest.approx(high - low, rel=0.1)


# --- known strengths ----------------------------------------------------------------------------------

TRUE = np.array([-250.0, -60.0, 60.0, 250.0])
FIRST = 70.0


def simulated(rng: np.random.Generator, games: int, drawish: float) -> np.ndarray:
    """A round robin whose expected scores are those of the model; a share of the possible draws happens."""
    table = np.zeros((4, 4, 3), int)
    for one, other in product(range(4), repeat=2):
        if one != other:
            score = expected_score(TRUE[one] - TRUE[other] + FIRST)
            draws = drawish * 2 * min(score, 1 - score)
            table[one, other] = rng.multinomial(games, [score - draws / 2, draws, 1 - score - draws / 2])
    return table


@pytest.mark.parametrize("drawish", [0.0, 0.5, 0.9])
def test_the_interval_covers_the_true_rating_about_95_times_in_100(drawish: float) -> None:
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(300):
        found = rate(simulated(rng, 20, drawish))
        true = [*TRUE, FIRST]
        ends = [*(found.interval(agent) for agent in range(4)), found.interval(-1)]
        inside.append([low <= one <= high for one, (low, high) in zip(true, ends, strict=True)])
    covered = np.mean(inside, axis=0)  # of 300: standard deviation 1.3 %
    assert np.all(covered > 0.90), covered
    assert 0.93 < covered.mean() < 0.985, covered


def test_many_games_find_strengths_and_the_advantage_of_the_first_player() -> None:
    found = rate(simulated(np.random.default_rng(4), 20_000, 0.4))
    assert found.elo == pytest.approx(TRUE, abs=6)
    assert found.advantage == pytest.approx(FIRST, abs=4)


def paired(rng: np.random.Generator, openings: int, favour: float) -> tuple[np.ndarray, dict]:
    """A round robin of three agents with the same openings for all, which favour one side: table and pairs."""
    table, pairs = np.zeros((3, 3, 3), int), {}
    worth = FIRST + favour * rng.standard_normal(openings)
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        points = []
        for first, second in [(one, other), (other, one)]:
            won = rng.random(openings) < 1 / (1 + 10 ** (-(TRUE[first] - TRUE[second] + worth) / 400))
            table[first, second] = won.sum(), 0, (~won).sum()
            points.append(won.astype(float))
        pairs[one, other] = zip(points[0].tolist(), (1 - points[1]).tolist(), strict=True)
    return table, pairs


@pytest.mark.parametrize("favour", [0.0, 400.0, 800.0])
def test_the_interval_covers_the_true_rating_where_openings_favour_one_side(favour: float) -> None:
    rng = np.random.default_rng(5)
    true = rate(paired(rng, 500_000, favour)[0]).elo  # openings draw all scores towards 1/2
    inside, width, alone = [], 0.0, 0.0
    for _ in range(300):
        table, pairs = paired(rng, 40, favour)
        alike = np.zeros((3, 3))
        for (one, other), both in pairs.items():
            alike[one, other] = alike[other, one] = likeness(both, by_seat=True)
        found, games = rate(table, likeness=alike), rate(table)
        assert found.elo == games.elo and found.advantage == games.advantage
        ends = [found.interval(agent) for agent in range(3)]
        inside.append([low <= one <= high for one, (low, high) in zip(true, ends, strict=True)])
        width += np.ptp(ends[0])
        alone += np.ptp(games.interval(0))
    covered = np.mean(inside, axis=0)
    assert np.all(covered > 0.91) and 0.93 < covered.mean() < 0.985, covered
    assert width == pytest.approx(alone, rel=0.02) if favour == 0 else width < 0.9 * alone


def test_a_tournament_of_two_leaves_as_much_doubt_as_their_match() -> None:
    pairs = [(1.0, 0.0)] * 40 + [(1.0, 1.0)] * 6 + [(0.0, 0.0)] * 4 + [(0.0, 1.0)] * 30
    table, alike = two((46, 0, 34), (36, 0, 44)), np.full((2, 2), likeness(pairs, by_seat=True))
    c = rate(table, likeness=alike).covariance
    low, high = (elo(end) for end in Tally(82, 0, 78).interval(likeness(pairs)))
    assert 2 * 1.96 * math.sqrt(c[0, 0] + c[1, 1] - 2 * c[0, 1]) == pytest.approx(high - low, rel=0.1)


# --- ends of the scale --------------------------------------------------------------------------------


@pytest.mark.parametrize("games", [2, 10, 100])
def test_an_agent_that_loses_all_has_a_finite_rating_and_an_interval_that_an_exact_test_allows(games: int) -> None:
    found = rate(two((0, 0, games), (0, 0, games)), anchor=1)
    low, high = found.interval(0)
    exact = elo(1 - 0.025 ** (1 / (2 * games)))  # Clopper and Pearson's upper end for no point in so many games
    assert -1700 < low < found.elo[0] < exact < high < exact + 150
    assert found.superiority(1, 0) > 0.9


def test_an_agent_that_loses_all_leaves_the_others_as_they_are() -> None:
    alone = rate(random_table(3, 60, 6))
    table = np.zeros((4, 4, 3), int)
    table[:3, :3] = random_table(3, 60, 6)
    table[:3, 3], table[3, :3] = (60, 0, 0), (0, 0, 60)
    found = rate(table)
    assert found.elo[3] == min(found.elo) < found.elo[0] - 500
    assert found.elo[0] - found.elo[1] == pytest.approx(alone.elo[0] - alone.elo[1], abs=8)


def test_draws_alone_make_equals_with_little_doubt() -> None:
    table = random_table(3, 10, 7)
    table[:, :, 1], table[:, :, 0], table[:, :, 2] = table.sum(2), 0, 0
    found = rate(table)
    assert found.elo == pytest.approx([0, 0, 0], abs=1e-6) and found.advantage == pytest.approx(0, abs=1e-6)
    low, high = found.interval(0)
    assert 1 < high - low < 100
    assert found.superiority(0, 1) == pytest.approx(0.5)


def test_more_games_and_more_draws_make_intervals_narrower() -> None:
    def wide(table: np.ndarray) -> float:
        low, high = rate(table).interval(0)
        return high - low

    few = wide(two((5, 5, 5), (5, 5, 5)))
    assert wide(two((20, 20, 20), (20, 20, 20))) < 0.6 * few
    assert wide(two((2, 11, 2), (2, 11, 2))) < 0.8 * few


def test_pairs_that_always_end_one_to_one_leave_a_little_doubt() -> None:
    alike = np.full((2, 2), likeness([(1.0, 0.0), (0.0, 1.0)] * 50, by_seat=True))
    assert -1 < alike[0, 0] < -0.9
    low, high = rate(two((50, 0, 50), (50, 0, 50)), likeness=alike).interval(0)
    assert 2 < high - low < 40


def test_one_game_or_none_says_nothing_of_pairs() -> None:
    assert likeness([], True) == likeness([(1.0,)], True) == likeness([(1.0, 0.0)], True) == 0
    assert rate(two((1, 0, 0), (0, 0, 0)), likeness=np.ones((2, 2))).elo[0] > 0  # the other seat has no games


def test_agents_that_have_not_played_are_in_the_middle() -> None:
    found = rate(np.zeros((3, 3, 3), int))
    assert found.elo == [0, 0, 0] and found.advantage == 0
    assert found.interval(0)[1] > 200


def test_the_anchor_is_exactly_nothing_and_differences_stay() -> None:
    table = random_table(4, 9, 8)
    mean, first = rate(table), rate(table, anchor=0)
    assert np.mean(mean.elo) == pytest.approx(0, abs=1e-9)
    assert first.elo[0] == 0 and first.interval(0) == pytest.approx((0, 0), abs=1e-4)
    assert first.elo[2] - first.elo[1] == pytest.approx(mean.elo[2] - mean.elo[1])
    assert first.superiority(1, 2) == pytest.approx(mean.superiority(1, 2))
    assert first.superiority(1, 2) + first.superiority(2, 1) == pytest.approx(1)
    assert mean.superiority(1, 1) == 0.5
