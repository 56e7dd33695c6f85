"""Exact odds: the figures of the studies, enumeration without a memo, all strategies one by one, games played."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_odds as naive
import toys
from plyground import agents, games, rules
from plyground.exact import odds
from plyground.spec import InputError

TICTACTOE, FOUR = games.make("tictactoe"), games.make("tictactoe(4)")
STUDY = ".O./XXO/... X"


def by_move(of, player=0, part=0):
    return [odds.chances(distribution, player)[part] for distribution in of.moves.values()]


# --- the studies --------------------------------------------------------------------------------------


def test_random_against_random_on_the_empty_board():
    of = naive.found("tictactoe", "random", "random")
    assert of.exact and of.positions == 4520  # 5478 in all, less the 958 in which the game is over
    assert of.total == {1.0: Fraction(737, 1260), 0.0: Fraction(8, 63), -1.0: Fraction(121, 420)}
    assert [round(100 * float(p), 2) for p in odds.chances(of.total)] == [58.49, 12.70, 28.81]


@pytest.mark.parametrize(
    ("opponent", "first", "second"),
    [
        ("random", (Fraction(191, 192), Fraction(1, 192), 0), (Fraction(887, 945), Fraction(43, 945), Fraction(1, 63))),
        ("win-block", (Fraction(89, 96), Fraction(7, 96), 0), (Fraction(7, 15), Fraction(26, 63), Fraction(38, 315))),
        ("win-block-middle", (Fraction(5, 6), Fraction(1, 6), 0), (Fraction(3, 35), Fraction(2, 5), Fraction(18, 35))),
    ],
)
def test_most_wins_possible_against_the_opponents_of_the_study(opponent, first, second):
    other = naive.seat(opponent)
    assert odds.chances(naive.found("tictactoe", "most-wins", other).total, 0) == first
    assert odds.chances(naive.found("tictactoe", other, "most-wins").total, 1) == second


def test_never_losing_against_random_wins_91_64_percent_moving_second():
    win, draw, loss = odds.chances(naive.found("tictactoe", "random", "never-lose").total, 1)
    assert (win, draw, loss) == (Fraction(866, 945), Fraction(79, 945), 0)
    assert round(100 * float(win), 2) == 91.64


def test_tables_of_the_minimax_study():
    of = naive.found("tictactoe", "random", "random", STUDY)
    assert list(of.moves) == [0, 2, 6, 7, 8]
    assert by_move(of) == [Fraction(3, 4), Fraction(2, 3), Fraction(3, 4), Fraction(1, 3), Fraction(2, 3)]
    assert by_move(of, part=1) == [Fraction(1, 6), Fraction(1, 3), 0, Fraction(1, 3), Fraction(1, 6)]
    both_optimal = naive.found("tictactoe", "optimal", "optimal", STUDY)
    assert [list(d) for d in both_optimal.moves.values()] == [[1.0], [0.0], [1.0], [-1.0], [0.0]]


def test_the_studys_optimal_x_against_random_is_a_best_response_and_not_minimax():
    best = [1, Fraction(7, 8), 1, Fraction(1, 2), Fraction(7, 8)]
    assert by_move(naive.found("tictactoe", "most-wins", "random", STUDY)) == best
    assert by_move(naive.found("tictactoe", "never-lose", "random", STUDY)) == best
    assert by_move(naive.found("tictactoe", "optimal", "random", STUDY)) == [
        1,
        Fraction(5, 6),
        1,
        Fraction(5, 12),
        Fraction(7, 8),
    ]


# --- oracles ------------------------------------------------------------------------------------------


def table(players, scores, early):
    """Three plies, so that all strategies can be tried; some games end early."""
    ends = {"".join(path): score for path, score in zip(product("01", repeat=3), scores, strict=True)}
    return toys.table(players + "0", ends | early)


SCORES = st.sampled_from([-1.0, 0.0, 1.0])
TABLES = st.builds(
    table,
    st.text("01c", min_size=3, max_size=3),
    st.lists(SCORES, min_size=8, max_size=8),
    st.dictionaries(st.text("01", min_size=1, max_size=2), SCORES, max_size=2),
)


@given(TABLES, st.sampled_from(["random", "optimal"]), st.sampled_from(["most-wins", "never-lose"]), st.integers(0, 1))
@settings(derandomize=True, deadline=None, max_examples=80)
def test_a_best_response_is_the_best_of_all_strategies(game, fixed, response, player):
    state = rules.new(game)
    seats = [fixed, fixed]
    seats[player] = response
    of = odds.distribution(game, state, *seats)
    win, _, loss = odds.chances(of.total, player)
    result = (win, -loss) if response == "most-wins" else (-loss, win)
    assert result == naive.best_of_all_strategies(game, state, player, naive.policy(game, fixed), response)
    floats = odds.distribution(game, state, *seats, exact=False)
    assert odds.chances(floats.total) == pytest.approx([float(p) for p in odds.chances(of.total)])


@given(TABLES, st.sampled_from(["random", "optimal"]), st.sampled_from(["random", "optimal"]))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_fixed_policies_agree_with_enumeration_on_any_small_tree(game, first, second):
    state = rules.new(game)
    of = odds.distribution(game, state, first, second)
    policies = [naive.policy(game, first), naive.policy(game, second)]
    assert of.total == naive.enumerated(game, state, policies)
    assert of.moves == {a: naive.enumerated(game, rules.after(game, state, a), policies) for a in (0, 1)}


@pytest.mark.parametrize(
    ("name", "diagram", "first", "second"),
    [
        ("tictactoe", STUDY, "random", "win-block"),
        ("tictactoe", "X.O/.../... X", "win-block", "optimal"),
        ("tictactoe", "X../.O./... X", "win-block-middle", "random"),
        ("mnk(4,2,3)", "XO../.... X", "optimal", "random"),
        ("dice", "", "random", "optimal"),
        ("nim", "", "optimal", "random"),
    ],
)
def test_games_agree_with_enumeration(name, diagram, first, second):
    game = toys.make(name) if name != "dice" else toys.load("Dice")(1)
    state = game.read(diagram) if diagram else rules.new(game)
    of = odds.distribution(game, state, naive.seat(first), second)
    assert of.total == naive.enumerated(game, state, [naive.policy(game, first), naive.policy(game, second)])


@pytest.mark.parametrize(("first", "second"), [("win-block", "random"), ("win-block-middle", "win-block")])
def test_games_played_come_out_as_the_odds_say(first, second):
    players = agents.make(first, 1), agents.make(second, 2)
    count, scores = 300, []
    for _ in range(count):
        state = rules.new(TICTACTOE)
        while not TICTACTOE.over(state):
            TICTACTOE.play(state, players[TICTACTOE.player(state)].think(TICTACTOE, state).action)
        scores.append(TICTACTOE.score(state))
    for score, p in naive.found("tictactoe", *players).total.items():
        assert abs(scores.count(score) - count * p) < 4 * float(count * p * (1 - p)) ** 0.5


# --- edges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exact", [True, False, None])
def test_a_game_that_is_over_has_one_result(exact):
    for diagram, score in (("XXX/OO./... O", 1.0), ("XOX/XOO/OXX O", 0.0)):  # won; a full board
        of = naive.found("tictactoe", "random", "most-wins", diagram, exact=exact)
        assert of.total == {score: 1} and of.moves == {} and of.positions == 0


@pytest.mark.parametrize("exact", [True, False])
def test_one_legal_move_leaves_no_choice(exact):
    for seats in (("random", "optimal"), ("optimal", "never-lose")):
        of = naive.found("corridor", *seats, exact=exact)
        assert odds.chances(of.total) == (1, 0, 0) and list(of.moves) == [0]
        last = naive.found("tictactoe", *seats, "XOX/XOO/OX. X", exact=exact)
        assert odds.chances(last.total) == (0, 1, 0) and list(last.moves) == [8]


@pytest.mark.parametrize("exact", [True, False])
def test_a_board_on_which_nobody_can_win_is_drawn(exact):
    for seats in (("random", "random"), ("most-wins", "random"), ("optimal", "never-lose")):
        for name, diagram in (("tictactoe", "XOX/O.X/.XO O"), ("mnk(2,1,2)", ".. X"))[: 1 + exact]:
            of = naive.found(name, *seats, diagram, exact=exact)
            assert [odds.chances(d) for d in (of.total, *of.moves.values())] == 3 * [(0, 1, 0)]


@pytest.mark.parametrize("exact", [True, False])
def test_the_second_player_takes_its_own_wins(exact):
    diagram = "XX./OO./X.. O"
    for second in ("win-block", "optimal", "most-wins", "never-lose"):
        of = naive.found("tictactoe", "random", second, diagram, exact=exact)
        assert odds.chances(of.total, 1) == (1, 0, 0) and odds.chances(of.total, 0) == (0, 0, 1)
        assert odds.chances(of.moves[5], 1) == (1, 0, 0)
        assert len(of.moves) == 4


def test_every_legal_move_has_its_row_though_the_policy_plays_but_one():
    of = naive.found("tictactoe", naive.seat("win-block"), "random", "XX./OO./... X")
    assert list(of.moves) == [2, 5, 6, 7, 8]
    assert of.total == of.moves[2] == {1.0: 1} and of.moves[6] != {1.0: 1}


def test_chance_events_are_averaged_by_the_fractions_that_their_floats_mean():
    assert [odds.fraction(x) for x in (1 / 6, 0.3, 2 / 7, 1e-12)] == [
        Fraction(1, 6),
        Fraction(3, 10),
        Fraction(2, 7),
        Fraction(1e-12),
    ]
    of = odds.distribution(dice := toys.load("Dice")(1), rules.new(dice))
    assert sum(of.total.values()) == 1 and all(p.denominator < 10**5 for p in of.total.values())


def test_a_position_in_which_nature_moves_has_a_row_for_every_outcome():
    game = toys.table("c000", {"00": 1.0, "01": -1.0, "10": 0.0, "11": -1.0})
    of = odds.distribution(game, rules.new(game), "optimal", "random")
    assert of.total == {1.0: Fraction(1, 2), 0.0: Fraction(1, 2)} and of.moves == {0: {1.0: 1}, 1: {0.0: 1}}


def test_scores_between_are_kept_apart_by_fractions_and_refused_by_floating_point():
    game = toys.table("0000", {"0": 0.5, "1": -1.0})
    state = rules.new(game)
    assert odds.distribution(game, state).total == {0.5: Fraction(1, 2), -1.0: Fraction(1, 2)}
    assert odds.distribution(game, state, "optimal").total == {0.5: 1}
    with pytest.raises(InputError, match="take fractions"):
        odds.distribution(game, state, exact=False)


def test_most_wins_and_never_lose_part_where_a_risk_pays():
    game = toys.table("0c00", {"00": 1.0, "01": -1.0, "10": 0.0, "11": 0.0})
    state = rules.new(game)
    for exact in (True, False):
        assert odds.chances(odds.distribution(game, state, "most-wins", exact=exact).total) == (0.5, 0, 0.5)
        assert odds.chances(odds.distribution(game, state, "never-lose", exact=exact).total) == (0, 1, 0)


def test_a_policy_may_be_a_function():
    def first_cell(game, state):
        return {rules.legal(game, state)[0]: 1}

    of = odds.distribution(TICTACTOE, rules.new(TICTACTOE), first_cell, first_cell)
    assert of.total == {1.0: 1} and list(of.moves) == list(range(9))  # X gets 0, 2, 4 and 6


# --- refusals, interruptions --------------------------------------------------------------------------


def test_two_best_responses_are_refused():
    with pytest.raises(InputError, match="best response"):
        naive.found("tictactoe", "most-wins", "never-lose")


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("most-win", "did you mean most-wins"),
        (3, "tells no probabilities"),
        (lambda game, state: {9: Fraction(1)}, "not legal"),
        (lambda game, state: {4: Fraction(1, 2)}, "add up to 1"),
        (lambda game, state: {4: Fraction(3, 2), 5: Fraction(-1, 2)}, "add up to 1"),
        (lambda game, state: {}, "add up to 1"),
    ],
)
def test_what_is_no_policy_is_refused(first, message):
    with pytest.raises(InputError, match=message):
        naive.found("tictactoe", first, "random")


def test_what_floating_point_does_not_know_is_refused():
    with pytest.raises(InputError, match="take fractions"):
        naive.found("tictactoe", naive.seat("win-block-middle"), "random", exact=False)
    with pytest.raises(InputError, match="lists its wins"):
        naive.found("nim", "win-block", "random")


@pytest.mark.parametrize("exact", [True, False])
def test_games_without_end_are_refused(exact):
    endless = toys.load("Corridor")(100_000)
    with pytest.raises(InputError, match="10,000 moves"):
        odds.distribution(endless, rules.new(endless), exact=exact, limit=10**6)


@pytest.mark.parametrize("exact", [True, False])
def test_the_watcher_can_end_the_work(exact):
    seen = []

    def watch(positions):
        seen.append(positions)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        odds.distribution(FOUR, rules.new(FOUR), exact=exact, watch=watch)
    assert len(seen) == 1 and seen[0] < 300_000


@pytest.mark.parametrize("exact", [True, False])
def test_the_limit_is_the_number_of_positions(exact):
    count = naive.found("tictactoe", "random", "random", STUDY, exact=exact).positions
    assert naive.found("tictactoe", "random", "random", STUDY, exact=exact, limit=count).positions == count
    with pytest.raises(InputError, match=f"more than {count - 1} positions"):
        naive.found("tictactoe", "random", "random", STUDY, exact=exact, limit=count - 1)
