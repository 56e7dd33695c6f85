"""Random games, move by move, beside OpenSpiel's rules of the same games."""

import random

import pyspiel
import pytest

from plyground import games, rules


def play_beside(game, theirs, rng):
    """Play one random game by both rules, which agree after every move; return its score."""
    state = rules.new(game)
    while True:
        assert game.over(state) == theirs.is_terminal()
        assert game.score(state) == theirs.returns()[0] == -theirs.returns()[1]
        if theirs.is_terminal():
            return game.score(state)
        assert game.player(state) == theirs.current_player()
        legal = theirs.legal_actions()
        assert rules.legal(game, state) == legal
        action = rng.choice(legal)
        game.play(state, action)
        theirs.apply_action(action)


def scores_of(ours, theirs, count):
    """The different scores of some random games."""
    game, other, rng = games.make(ours), pyspiel.load_game(theirs), random.Random(f"{ours} {count}")
    assert game.actions() == other.num_distinct_actions()
    return {play_beside(game, other.new_initial_state(), rng) for _ in range(count)}


def test_tictactoe_is_that_of_openspiel():
    assert scores_of("tictactoe", "tic_tac_toe", 800) == {1, 0, -1}


@pytest.mark.parametrize(
    ("m", "n", "k", "count", "scores"),
    [
        (4, 3, 3, 200, {1, 0, -1}),
        (3, 5, 3, 150, {1, -1}),
        (2, 6, 2, 150, {1, -1}),
        (7, 1, 3, 150, {1, 0, -1}),
        (1, 6, 2, 150, {1, 0, -1}),
        (6, 2, 5, 100, {1, 0, -1}),
        (5, 4, 4, 100, {1, 0, -1}),
        (6, 6, 4, 30, {1, -1}),
        (11, 8, 5, 6, {1, -1}),
    ],
)
def test_mnk_is_that_of_openspiel(m, n, k, count, scores):
    assert scores_of(f"mnk({m},{n},{k})", f"mnk(m={m},n={n},k={k})", count) >= scores


@pytest.mark.parametrize(("size", "count"), [(5, 100), (6, 40), (7, 25), (9, 10), (15, 6)])
def test_gomoku_is_that_of_openspiel(size, count):
    """OpenSpiel plays freestyle: see the next test."""
    assert scores_of(f"gomoku({size})", f"gomoku(size={size},connect=5)", count) >= {1, -1}


def test_six_in_a_row_win_in_openspiel_as_in_freestyle_but_not_in_exactly_five():
    theirs = pyspiel.load_game("gomoku(size=7,connect=5)").new_initial_state()
    free, exact = games.make("gomoku(7)"), games.make("gomoku(7, rule='exactly-five')")
    state, other = rules.new(free), rules.new(exact)
    for action in (0, 14, 1, 16, 2, 18, 4, 28, 5, 30, 3):  # 3 joins 0 1 2 and 4 5
        theirs.apply_action(action)
        free.play(state, action)
        exact.play(other, action)
    assert theirs.is_terminal() and theirs.returns() == [1, -1]
    assert free.over(state) and free.score(state) == 1
    assert not exact.over(other)


@pytest.mark.parametrize(
    ("cols", "rows", "k", "count", "scores"),
    [(7, 6, 4, 300, {1, -1}), (4, 4, 3, 150, {1, -1}), (5, 4, 4, 150, {1, 0, -1}), (3, 8, 3, 100, {1, -1})],
)
def test_connect_four_is_that_of_openspiel(cols, rows, k, count, scores):
    theirs = f"connect_four(columns={cols},rows={rows},x_in_row={k})"
    assert scores_of(f"connect-four({cols},{rows},{k})", theirs, count) >= scores
