"""Connect Four: published counts, the naive twin, and positions whose answer everybody sees."""

import random

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numba import njit

from naive_games import NaiveConnectFour, check_symmetries, encoded, play_in_step, played, wins
from plyground import games, rules
from plyground.spec import InputError

PERFT = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]  # published: sequences of 0, 1, ... moves
POSITIONS = [1, 7, 49, 238, 1120, 4263]  # OEIS A212693: different positions after 0, 1, ... moves
ConnectFour = type(games.make("connect-four"))


# --- counts -------------------------------------------------------------------------------------------


@njit(error_model="numpy")
def sequences(game, states, moves, ply):
    """How many sequences of moves lead from states[ply] to the depth of the last state."""
    if ply == len(states) - 1:
        return 1
    if game.over(states[ply]):
        return 0
    total = 0
    for i in range(game.legal(states[ply], moves[ply])):
        states[ply + 1] = states[ply]
        game.play(states[ply + 1], moves[ply, i])
        total += sequences(game, states, moves, ply + 1)
    return total


def test_compiled_rules_give_the_published_number_of_move_sequences():
    game = games.make("connect-four")
    for depth, count in enumerate(PERFT):
        states = np.zeros(depth + 1, rules.dtype(game))
        game.start(states[0])
        assert sequences(game, states, np.zeros((depth + 1, 7), np.int32), 0) == count


def test_interpreted_rules_give_the_published_number_of_positions():
    game = games.make("connect-four")
    positions = {b"": rules.new(game)}
    for count in POSITIONS[1:]:
        children = [rules.after(game, state, col) for state in positions.values() for col in rules.legal(game, state)]
        positions = {state.tobytes(): state for state in children}
        assert len(positions) == count


# --- the naive twin -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "count"), [((7, 6, 4), 40), ((4, 4, 3), 60), ((5, 1, 3), 30), ((1, 5, 3), 5), ((4, 4, 4), 30)]
)
def test_random_games_agree_with_the_naive_twin(parameters, count):
    rng = random.Random(1)
    scores = {play_in_step(ConnectFour(*parameters), NaiveConnectFour(*parameters), rng) for _ in range(count)}
    assert len(scores) > 1 or parameters[0] == 1


@settings(max_examples=60, deadline=None, derandomize=True, phases=[Phase.generate])  # a seed does not shrink
@given(st.integers(1, 8), st.integers(1, 6), st.data())
def test_a_random_game_on_any_board_agrees_with_the_naive_twin(cols, rows, data):
    k = data.draw(st.integers(1, max(cols, rows)), "k")
    game = ConnectFour(cols, rows, k)
    game.limits()
    play_in_step(game, NaiveConnectFour(cols, rows, k), random.Random(data.draw(st.integers(0, 2**32), "seed")))


# --- ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("a b a b a b a", 1),  # up
        ("a a b b c c d", 1),  # across
        ("a b b c c d c d d g d", 1),  # rising
        ("g f f e e d e d d a d", 1),  # falling
        ("a b a b a b c b", -1),
        ("g a a b b c c d", -1),
    ],
)
def test_four_in_a_row_score_plus_one_for_the_first_player_and_minus_one_for_the_second(moves, score):
    game = games.make("connect-four")
    state = played(game, moves)
    assert game.over(state) and game.score(state) == score


def test_a_row_does_not_go_on_from_the_top_of_a_column_to_the_foot_of_the_next():
    game = games.make("connect-four")
    state = played(game, "a c c a b a b b a b a c a")
    assert game.diagram(state) == "X....../X....../XO...../OOO..../OXX..../XXO.... O"
    assert not game.over(state)


def test_a_full_board_without_a_row_is_a_draw():
    game = games.make("connect-four(3,2,3)")
    state = played(game, "a b c a b")
    assert not game.over(state)
    assert [game.name(col) for col in rules.legal(game, state)] == ["c"]
    game.play(state, 2)
    assert [col for col in range(3) if game.still(state, col)] == []
    assert game.over(state) and game.score(state) == 0


@pytest.mark.parametrize(
    ("spec", "moves", "score"),
    [("connect-four(3,3,3)", "a c c a b c b a b", 1), ("connect-four(4,2,3)", "c c d d a b a b", -1)],
)
def test_a_row_made_by_the_last_stone_of_a_full_board_wins(spec, moves, score):
    game = games.make(spec)
    state = played(game, moves)
    assert rules.legal(game, state) == []
    assert game.over(state) and game.score(state) == score


@pytest.mark.parametrize("spec", ["connect-four(1,1,1)", "connect-four(3,2,1)"])
def test_with_k_of_one_the_first_stone_wins(spec):
    game = games.make(spec)
    for col in range(game.cols):
        state = rules.after(game, rules.new(game), col)
        assert game.over(state) and game.score(state) == 1


@pytest.mark.parametrize("spec", ["connect-four(1,61,2)", "connect-four(31,1,2)", "connect-four(31,1,22)"])
def test_the_longest_columns_and_rows_fill_up_to_a_draw(spec):
    game = games.make(spec)
    state = rules.new(game)
    for ply in range(game.cols * game.rows):
        assert not game.over(state)
        game.play(state, ply % game.cols)
    assert game.over(state) and game.score(state) == 0
    assert rules.legal(game, state) == []


@pytest.mark.parametrize("player", [0, 1])
def test_a_row_in_the_last_columns_of_a_wide_board_wins(player):
    game = games.make("connect-four(31,1,4)")
    state = rules.new(game)
    others = iter(range(0, 31, 2))
    for col in (27, 28, 29, 30):
        if player == 1:
            game.play(state, next(others))
        assert not game.over(state)
        game.play(state, col)
        if player == 0 and not game.over(state):
            game.play(state, next(others))
    assert game.over(state) and game.score(state) == 1 - 2 * player


def test_wins_are_the_columns_where_the_stone_would_land_in_a_row():
    game = games.make("connect-four")
    state = game.read("......./......./......./......./O....../OOXXX.. X")
    assert wins(game, state, 0) == {"f"}
    assert wins(game, state, 1) == set()
    state = game.read("......./......./......./O..X.../O..X..O/O.XX..X O")
    assert wins(game, state, 0) == {"d"}
    assert wins(game, state, 1) == {"a"}


def test_an_action_may_be_a_numpy_integer_as_legal_writes_it():
    game = games.make("connect-four")
    out = np.zeros(7, np.int32)
    for action in out[: game.legal(rules.new(game), out)]:
        assert game.diagram(rules.after(game, rules.new(game), action)).count("X") == 1


# --- what people read and write -----------------------------------------------------------------------


def test_the_text_shows_the_board_with_its_columns():
    game = games.make("connect-four(4,3,3)")
    assert game.text(played(game, "b b d")) == " 3 . . . .\n 2 . O . .\n 1 . X . X\n   a b c d"


@pytest.mark.parametrize("spec", ["connect-four", "connect-four(31,1,4)"])
def test_every_column_has_a_name_of_its_own(spec):
    game = games.make(spec)
    names = [game.name(col) for col in range(game.actions())]
    assert len(set(names)) == game.cols
    assert all(name and name == "".join(name.split()) for name in names)


def test_the_first_plane_shows_the_stones_of_the_player_to_move():
    game = games.make("connect-four(3,2,3)")
    state = played(game, "a c a")
    assert encoded(game, state).tolist() == [[[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 0]]]
    game.play(state, 1)
    assert encoded(game, state).tolist() == [[[1, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 1]]]


@pytest.mark.parametrize(
    ("diagram", "score"),
    [
        ("......./......./......./......./OOO..../XXXX... O", 1),
        ("......./......./O....../O....../O....../OXXX..X X", -1),
    ],
)
def test_an_ended_game_is_read_with_its_score(diagram, score):
    game = games.make("connect-four")
    state = game.read(diagram)
    assert game.over(state) and game.score(state) == score


@pytest.mark.parametrize(
    ("diagram", "why"),
    [
        ("", "6 rows of 7"),
        ("......./......./......./......./....... X", "6 rows of 7"),
        ("......./......./......./......./......./........ X", "6 rows of 7"),
        ("......./......./......./......./......./...Y... O", "'Y'"),
        ("......./......./......./......./......./XX..... O", "2 X and 0 O"),
        ("......./......./......./......./......./XO..... O", "X's turn"),
        ("......./......./......./......./X....../....... O", "hangs"),
        ("......./......./......./X....../......O/O.....X X", "hangs"),
        ("......./......./......./......./OOOO.../XXXX... X", "over before"),  # two winners
        ("......./......./......./......./OOO..../XXXX..O X", "over before"),
        ("......./......./......./XXXX.../OOOXOO./XXXXOOO O", "no single last move"),
        ("......./......./......./..O..../OOXO.../XXXX... O", "no single last move"),
    ],
)
def test_a_diagram_that_makes_no_sense_is_refused_in_one_line(diagram, why):
    with pytest.raises(ValueError, match=rf"\A[^\n]*{why}[^\n]*\Z"):
        games.make("connect-four").read(diagram)


@pytest.mark.parametrize("spec", ["connect-four", "connect-four(4,4,3)", "connect-four(2,5,3)"])
def test_the_board_and_its_mirror_image_are_the_only_symmetries(spec):
    check_symmetries(games.make(spec), 2, random.Random(3))


NO_GAMES = """
    connect-four(0) connect-four(7,0) connect-four(7,6,0) connect-four(-1) connect-four(1000) connect-four(7,1000)
    connect-four(10,10) connect-four(3,3,4) connect-four(1,1,2) connect-four(7.0) connect-four('7')
    connect-four(7,6,4,2) connect-four(width=7)"""


@pytest.mark.parametrize("spec", NO_GAMES.split())
def test_parameters_that_make_no_game_are_refused_in_one_line(spec):
    with pytest.raises(InputError, match=r"\A[^\n]+\Z"):
        games.make(spec)
