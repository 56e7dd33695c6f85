"""Sampled minimax: expectations by enumeration of all samples, the limits of few and of many trajectories."""

from itertools import product

import numpy as np
import pytest

import toys
from plyground import games, rules
from plyground.exact import sampled
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")
STUDY = sampled.unfold(TICTACTOE, TICTACTOE.read(".O./XXO/... X"))
MINIMAX = [1, 0, 1, -1, 0]
WON = np.array([12 / 18, 13 / 21, 12 / 18, 8 / 24, 13 / 21])  # of the trajectories after each action
RISK = toys.table("01c0", {"00": 1.0, "01": -1.0, "1000": 1.0, "1001": -1.0, "101": 0.5, "11": 0.25})


def trajectories(game, state, path=()):
    """Every way in which the game can go on: its actions and its score."""
    if game.over(state):
        return [(path, float(game.score(state)))]
    chance = game.player(state) == rules.CHANCE
    actions = [a for a, _ in rules.outcomes(game, state)] if chance else rules.legal(game, state)
    return [one for a in actions for one in trajectories(game, rules.after(game, state, a), (*path, a))]


def minimax(game, state, paths, zero):
    """The value of a state by the definition, on the tree of these paths; with `zero` the rest counts 0."""
    if game.over(state):
        return float(game.score(state))
    chance = game.player(state) == rules.CHANCE
    moves = dict(rules.outcomes(game, state)) if chance else dict.fromkeys(rules.legal(game, state), 1.0)
    values, shares = [], []
    for action, p in moves.items():
        below = [path[1:] for path in paths if path[0] == action]
        if below or zero:
            values.append(minimax(game, rules.after(game, state, action), below, zero) if below else 0.0)
            shares.append(p)
    if chance:
        return sum(p * v for p, v in zip(shares, values, strict=True)) / sum(shares)
    return max(values) if game.player(state) == 0 else min(values)


def expected(game, size, zero=False, replace=True):
    """The mean of the root's values over all samples there are."""
    state = rules.new(game)
    paths = [path for path, _ in trajectories(game, state)]
    rows = []
    for drawn in product(range(len(paths)), repeat=size):
        if replace or len(set(drawn)) == size:
            row = []
            for action in rules.legal(game, state):
                below = [paths[i][1:] for i in drawn if paths[i][0] == action]
                row.append(minimax(game, rules.after(game, state, action), below, zero) if below else 0.0)
            rows.append(row)
    return np.mean(rows, axis=0), np.std(rows, axis=0)


def test_the_whole_tree_has_all_trajectories():
    state = TICTACTOE.read(".O./XXO/... X")
    wanted = trajectories(TICTACTOE, state)
    assert len(STUDY.leaves) == len(wanted) == 102
    assert STUDY.scores[STUDY.leaves].tolist() == [score for _, score in wanted]
    assert [STUDY.actions[top] for top in STUDY.tops[STUDY.leaves]] == [path[0] for path, _ in wanted]
    assert STUDY.odds.sum() == pytest.approx(1)
    won = STUDY.odds[STUDY.scores[STUDY.leaves] == 1].sum()
    assert won == pytest.approx(19 / 30)  # both at random, the mean of 3/4, 2/3, 3/4, 1/3, 2/3


@pytest.mark.parametrize("missing", sampled.MISSING)
def test_all_trajectories_give_the_minimax_values_in_every_iteration(missing):
    for size in (102, 5000):
        of = sampled.sample(STUDY, size, 5, replace=False, missing=missing)
        assert (of.values == MINIMAX).all() and (of.wins == [1, 0, 1, 0, 0]).all()
        assert of.shares == pytest.approx(np.tile(WON, (5, 1)))


@pytest.mark.parametrize("draw", sampled.DRAWS)
def test_far_more_draws_than_trajectories_find_the_minimax_values(draw):
    of = sampled.sample(STUDY, 3000, 200, draw=draw)
    assert of.values[-1] == pytest.approx(MINIMAX) and of.shares[-1] == pytest.approx(WON)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(("missing", "replace"), [("left-out", True), ("zero", True), ("left-out", False)])
def test_means_approach_the_expectation_over_all_samples(size, missing, replace):
    tree = sampled.unfold(RISK, rules.new(RISK))
    mean, spread = expected(RISK, size, missing == "zero", replace)
    of = sampled.sample(tree, size, 4000, missing=missing, replace=replace, seed=3)
    assert (abs(of.values[-1] - mean) <= 4 * spread / 4000**0.5).all()


def test_won_shares_come_out_lower_by_the_share_of_trajectories_drawn():
    for size in (10, 25, 51, 76):
        of = sampled.sample(STUDY, size, 2000, replace=False)
        assert of.shares[-1] == pytest.approx(WON * size / 102, abs=0.01)
        again = sampled.sample(STUDY, size, 2000)
        assert again.shares[-1] == pytest.approx(WON * (1 - (1 - 1 / 102) ** size), abs=0.01)


def test_one_random_game_an_iteration_wins_as_often_as_random_play():
    of = sampled.sample(STUDY, 1, 20_000, draw="play")
    assert of.wins[-1] == pytest.approx(np.array([3 / 4, 2 / 3, 3 / 4, 1 / 3, 2 / 3]) / 5, abs=0.012)
    assert of.values[-1] == pytest.approx(np.array([2 / 3, 2 / 3, 1 / 2, 0, 1 / 2]) / 5, abs=0.014)


def test_rows_are_running_means():
    short, long = (sampled.sample(STUDY, 20, iterations, seed=5) for iterations in (60, 100))
    for few, many in zip((short.values, short.wins, short.shares), (long.values, long.wins, long.shares), strict=True):
        assert few.shape == (60, 5) and (many[:60] == few).all()
        each = many * np.arange(1, 101)[:, None]
        assert each[0] == pytest.approx(many[0])
    steps = np.diff(long.values * np.arange(1, 101)[:, None], axis=0)
    assert set(steps.round(9).ravel() + 0.0) <= {-1.0, 0.0, 1.0}


def test_a_seed_fixes_the_draws():
    first, same, other = (sampled.sample(STUDY, 20, 50, seed=seed).values for seed in (1, 1, 2))
    assert (first == same).all() and (first != other).any()


def test_values_are_those_of_the_player_to_move():
    tree = sampled.unfold(TICTACTOE, TICTACTOE.read("XX./OO./X.. O"))
    of = sampled.sample(tree, len(tree.leaves), 3, replace=False)
    assert of.actions == [2, 5, 7, 8]
    assert of.values[-1].tolist() == [0, 1, -1, -1]  # a block, a win, and two moves after which X wins
    assert of.wins[-1].tolist() == [0, 1, 0, 0] and of.shares[-1][1] == 1


def test_chance_events_are_averaged_over_what_was_drawn_of_them():
    game = toys.table("0c00", {"00": 1.0, "01": -1.0, "1": 0.25})
    tree = sampled.unfold(game, rules.new(game))
    assert sampled.sample(tree, 3, 10, replace=False).values[-1].tolist() == [0, 0.25]
    one = sampled.sample(tree, 1, 3000, seed=2)
    assert one.values[-1] == pytest.approx([0, 0.25 / 3], abs=0.03)
    assert one.wins[-1] == pytest.approx([1 / 3, 1 / 3], abs=0.04)


def test_one_legal_move_has_one_trajectory():
    corridor = toys.make("corridor")
    of = sampled.sample(sampled.unfold(corridor, rules.new(corridor)), 1, 3)
    assert of.trajectories == 1 and of.values.tolist() == [[1.0]] * 3


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        (0, {}, "at least one trajectory"),
        (1, {"iterations": 0}, "at least one trajectory"),
        (1, {"draw": "leafs"}, "did you mean leaves"),
        (1, {"missing": "nought"}, "missing"),
        (1, {"draw": "play", "replace": False}, "replace=False"),
    ],
)
def test_what_makes_no_sense_is_refused(size, options, message):
    with pytest.raises(InputError, match=message):
        sampled.sample(STUDY, size, **options)


def test_positions_without_a_tree_are_refused():
    with pytest.raises(InputError, match="nothing to sample"):
        sampled.unfold(TICTACTOE, TICTACTOE.read("XXX/OO./... O"))
    nature = toys.table("c000", {})
    with pytest.raises(InputError, match="nothing to sample"):
        sampled.unfold(nature, rules.new(nature))
    with pytest.raises(InputError, match="more than 1,000 nodes"):
        sampled.unfold(TICTACTOE, rules.new(TICTACTOE), limit=1000)


def test_the_watcher_is_told_and_can_end_the_work():
    seen = []
    sampled.sample(STUDY, 5, 30, watch=seen.append)
    assert seen == list(range(1, 31))

    def watch(nodes):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sampled.unfold(TICTACTOE, rules.new(TICTACTOE), watch=watch)
