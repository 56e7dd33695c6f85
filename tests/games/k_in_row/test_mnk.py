"""The m,n,k-games: published counts, the naive twin, and positions whose answer everybody sees."""

import random

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from naive_games import NaiveMNK, by_name, check_symmetries, play_in_step, played, runs, wins
from plyground import games, rules
from plyground.spec import InputError

MNK = type(games.make("mnk"))


# --- counts -------------------------------------------------------------------------------------------


def count_games(position, diagram, children, found):
    """How many games follow from a position; `found` keeps that for every position by its diagram."""
    key = diagram(position)
    if key not in found:
        found[key] = sum(count_games(child, diagram, children, found) for child in children(position)) or 1
    return found[key]


@pytest.fixture(scope="module")
def positions():
    """Every position of tic-tac-toe by its diagram, with the number of games that follow from it."""
    game, found = games.make("tictactoe"), {}

    def children(state):
        return [] if game.over(state) else [rules.after(game, state, action) for action in rules.legal(game, state)]

    count_games(rules.new(game), game.diagram, children, found)
    return found


def test_tictactoe_has_255168_games_and_5478_positions(positions):
    assert positions[".../.../... X"] == 255_168
    assert len(positions) == 5_478


def test_tictactoe_has_765_positions_up_to_symmetry(positions):
    maps = [cells for _, cells in games.make("tictactoe").symmetries()]

    def canonical(diagram):
        board = np.array(list(diagram.split()[0].replace("/", "")))
        return min("".join(board[np.argsort(cells)]) for cells in maps)

    assert len({canonical(diagram) for diagram in positions}) == 765


def test_tictactoe_has_the_positions_and_games_of_the_naive_twin(positions):
    found = {}
    count_games(NaiveMNK(3, 3, 3), NaiveMNK.diagram, NaiveMNK.children, found)
    assert positions == found


# --- the naive twin -----------------------------------------------------------------------------------


BOARDS = [(3, 3, 3), (4, 3, 3), (5, 1, 3), (1, 5, 3), (5, 7, 4), (9, 6, 5), (30, 2, 4), (2, 30, 4)]


@pytest.mark.parametrize(("m", "n", "k"), BOARDS)
@pytest.mark.parametrize("exact", [False, True])
def test_random_games_agree_with_the_naive_twin(m, n, k, exact):
    rng = random.Random(1)
    scores = {play_in_step(MNK(m, n, k, exact), NaiveMNK(m, n, k, exact), rng) for _ in range(250 // (m * n))}
    assert len(scores) > 1


@settings(max_examples=60, deadline=None, derandomize=True, phases=[Phase.generate])  # a seed does not shrink
@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_a_random_game_on_any_small_board_agrees_with_the_naive_twin(m, n, data):
    k = data.draw(st.integers(1, max(m, n)), "k")
    exact = data.draw(st.booleans(), "exact")
    rng = random.Random(data.draw(st.integers(0, 2**32), "seed"))
    play_in_step(MNK(m, n, k, exact), NaiveMNK(m, n, k, exact), rng)


@pytest.mark.parametrize(("parameters", "count"), [((6, 4, 3), 20), ((7, 7, 5), 6)])
def test_games_with_overlines_agree_with_the_naive_twin(parameters, count):
    """Where both players fill rows up to more than k if they can, such games go on."""
    rng, overlines = random.Random(2), 0
    for _ in range(count):
        twin = NaiveMNK(*parameters, exact=True)

        def is_overline(action, twin=twin):
            return max(runs(twin.stones[twin.player()], twin.cell_of(action))) > twin.k

        play_in_step(MNK(*parameters, True), twin, rng, is_overline)
        overlines += any(stones * (twin.k + 1) in twin.diagram() for stones in "XO")
    assert overlines > 0


# --- ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "moves", "score"),
    [
        ("tictactoe", "a1 a3 b1 b3 c1", 1),
        ("tictactoe", "a1 a3 b1 b3 b2 c3", -1),
        ("tictactoe", "a3 a2 b3 b2 c2 b1 a1 c1 c3", 1),  # by the last stone of a full board
        ("mnk(4,3,3)", "d3 a3 a2 c3 b2 c2 d2 b1 a1 d1 c1 b3", -1),
    ],
)
def test_a_row_scores_plus_one_for_the_first_player_and_minus_one_for_the_second(spec, moves, score):
    game = games.make(spec)
    state = played(game, moves)
    assert game.over(state) and game.score(state) == score


def test_a_full_board_without_a_row_is_a_draw():
    game = games.make("tictactoe")
    state = played(game, "a3 b3 c3 b2 a2 c2 b1 a1")
    assert not game.over(state)
    assert [game.name(action) for action in rules.legal(game, state)] == ["c1"]
    game.play(state, 8)
    assert game.over(state) and game.score(state) == 0


@pytest.mark.parametrize("spec", ["mnk(1,1,1)", "mnk(3,2,1)", "tictactoe(1)"])
def test_with_k_of_one_the_first_stone_wins(spec):
    game = games.make(spec)
    assert wins(game, rules.new(game), 0) == {game.name(action) for action in range(game.actions())}
    for action in range(game.actions()):
        state = rules.after(game, rules.new(game), action)
        assert game.over(state) and game.score(state) == 1


@pytest.mark.parametrize(("spec", "line"), [("mnk(4,1,3)", "a1 b1 c1 d1"), ("mnk(1,4,3)", "a1 a2 a3 a4")])
def test_a_board_of_one_line_can_be_won_and_drawn(spec, line):
    game = games.make(spec)
    a, b, c, d = line.split()
    state = played(game, f"{a} {d} {b}")
    assert wins(game, state, 0) == {c} and wins(game, state, 1) == set()
    state = played(game, f"{a} {d} {b} {c}")
    assert game.over(state) and game.score(state) == 0
    assert game.score(played(games.make(spec.replace("3)", "2)")), f"{a} {d} {b}")) == 1


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("first", "step"), [(29 * 30, 1), (29, 30), (0, 31), (29, 29)])
def test_on_the_largest_board_a_row_a_column_and_both_diagonals_win(first, step, player):
    game = games.make("mnk(30,30,30)")
    winning = [first + i * step for i in range(30)]
    others = iter([action for action in range(900) if action not in winning and action % 7 < 2])
    state = rules.new(game)
    for action in winning:
        assert not game.over(state)
        if player == 1:
            game.play(state, next(others))
        assert game.player(state) == player
        if action == winning[-1]:
            assert wins(game, state, player) == {game.name(action)} and wins(game, state, 1 - player) == set()
        game.play(state, action)
        if player == 0 and not game.over(state):
            game.play(state, next(others))
    assert game.over(state) and game.score(state) == 1 - 2 * player


# --- wins, and exactly five ---------------------------------------------------------------------------

EXACT = "gomoku(9, rule='exactly-five')"


def test_wins_lists_both_ends_and_the_gap_of_fours():
    game = games.make("gomoku(9)")
    state = game.read("........./.XXXX..../........./OOO.O..../........./........./........./........./......... X")
    assert wins(game, state, 0) == {"a8", "f8"}
    assert wins(game, state, 1) == {"d6"}


@pytest.mark.parametrize(("spec", "score"), [("gomoku(9)", 1), (EXACT, 0)])
def test_six_in_a_row_win_only_in_freestyle(spec, score):
    game = games.make(spec)
    state = played(game, "a1 a9 b1 c9 c1 e9 e1 g9 f1 i9")
    assert wins(game, state, 0) == ({"d1"} if score else set())
    game.play(state, by_name(game, "d1"))
    assert game.over(state) == bool(score) and game.score(state) == score


def test_exactly_five_wins_though_the_same_stone_makes_six_elsewhere():
    game = games.make(EXACT)
    state = game.read("..X....../..X....../..X....../..X....../XX.XXX.../........./O.O.O.O.O/O.O.O.O../......... X")
    assert wins(game, state, 0) == {"c5"}
    assert game.score(rules.after(game, state, by_name(game, "c5"))) == 1


def test_a_stone_beside_four_takes_a_win_of_exactly_five_away():
    game = games.make(EXACT)
    state = played(game, "b1 a9 c1 c9 d1 e9 e1 g9")
    assert wins(game, state, 0) == {"a1", "f1"}
    out = np.zeros(game.actions(), np.int32)
    count = game.wins(state, 0, out)
    for name in ("g1", "i9"):
        game.play(state, by_name(game, name))
        count = game.wins_after(state, by_name(game, name), 0, out, count)
    assert [game.name(action) for action in out[:count]] == ["a1"]


# --- what people read and write -----------------------------------------------------------------------


def test_the_text_shows_the_board_with_its_coordinates():
    game = games.make("mnk(4,3,3)")
    assert game.text(played(game, "a3 c2 d1")) == " 3 X . . .\n 2 . . O .\n 1 . . . X\n   a b c d"


@pytest.mark.parametrize("spec", ["tictactoe", "mnk(30,7,5)", "gomoku(30)"])
def test_every_action_has_a_name_of_its_own(spec):
    game = games.make(spec)
    names = [game.name(action) for action in range(game.actions())]
    assert len(set(names)) == game.m * game.n
    assert all(name == "".join(name.split()) and name for name in names)
    assert names[0] == f"a{game.n}" and names[-1].endswith("1")


@pytest.mark.parametrize(
    ("spec", "diagram", "score"),
    [
        ("tictactoe", "xxx/oo./...", 1),
        ("tictactoe", "OOO/XX./X..", -1),
        ("tictactoe", "XXX/XOO/XOO", 1),  # two rows that cross: the last stone was in the corner
        ("mnk(5,5,3)", "XXXXX/OO.O./...../..O../.....", 1),  # the last stone was in the middle
        ("tictactoe", "XOX/XOO/OXX", 0),
    ],
)
def test_an_ended_game_is_read_with_its_score(spec, diagram, score):
    game = games.make(spec)
    state = game.read(diagram)
    assert game.over(state) and game.score(state) == score


@pytest.mark.parametrize(
    ("spec", "diagram", "why"),
    [
        ("tictactoe", "", "3 rows of 3"),
        ("tictactoe", "X.O/.X. O", "3 rows of 3"),
        ("tictactoe", "X.O/.X.O/O.. X", "3 rows of 3"),
        ("tictactoe", "X.O/.#./O.. X", "'#'"),
        ("tictactoe", "X.O/.\n./O.. X", "written with"),
        ("tictactoe", "XX./X../O.. O", "3 X and 1 O"),
        ("tictactoe", "OO./X../... X", "1 X and 2 O"),
        ("tictactoe", "X../.../... X", "O's turn"),
        ("tictactoe", "X../.../... Z", "O's turn"),
        ("tictactoe", "XXX/OOO/... X", "over before"),
        ("tictactoe", "XXX/OO./O.. X", "over before"),
        ("tictactoe", "OOO/XX./X.X O", "over before"),
        ("mnk(4,4,3)", "XXX./OO.O/XXX./OO.. O", "no single last move"),
        ("mnk(6,3,3)", "XXXXXX/OO.OO./O..... O", "no single last move"),
    ],
)
def test_a_diagram_that_makes_no_sense_is_refused_in_one_line(spec, diagram, why):
    with pytest.raises(ValueError, match=rf"\A[^\n]*{why}[^\n]*\Z"):
        games.make(spec).read(diagram)


@pytest.mark.parametrize(("spec", "count"), [("tictactoe", 8), ("gomoku(5)", 8), ("mnk(4,3,3)", 4), ("mnk(2,5,3)", 4)])
def test_symmetries_map_games_to_games(spec, count):
    check_symmetries(games.make(spec), count, random.Random(3))


NO_GAMES = """
    mnk(0,3,3) mnk(3,0,3) mnk(3,3,0) mnk(-3,3,3) mnk(1000,3,3) mnk(3,1000,3) mnk(31,3,3) mnk(3,3,4) mnk(2,4,5)
    mnk(1,1,2) mnk(3.0,3,3) mnk('3',3,3) mnk(True,3,3) mnk(3,3,3,3) mnk(q=3) tictactoe(0) tictactoe(1000)
    gomoku(0) gomoku(1) gomoku(4) gomoku(1000) gomoku(rule='renju') mnk(3,3, tictactoo"""


@pytest.mark.parametrize("spec", [*NO_GAMES.split(), pytest.param("mnk(3,\n3, 4)")])
def test_parameters_that_make_no_game_are_refused_in_one_line(spec):
    with pytest.raises(InputError, match=r"\A[^\n]+\Z"):
        games.make(spec)


@pytest.mark.parametrize("integer", [pytest.param(np.int16), np.int32, np.int64])
def test_lists_of_wins_may_be_of_any_integer_type(integer):
    """Kernels keep them as 16 bits."""
    game = games.make(EXACT)
    state = played(game, "b1 a9 c1 c9 d1 e9 e1")
    out = np.zeros(game.actions(), integer)
    count = game.wins(state, 0, out)
    game.play(state, 4)
    count = game.wins_after(state, 4, 0, out, count)
    assert {game.name(action) for action in out[:count].tolist()} == {"a1", "f1"}


def test_a_row_of_exactly_k_that_had_to_follow_another_is_refused():
    """Every stone of the column of three ends a row of four, which was one of three before."""
    diagram = "XXXX.../...XXXX/XXXX.../......./OO.OO.O/......./OO.OO.O/......./O......"
    with pytest.raises(ValueError, match="last move"):
        MNK(7, 9, 3, exact=True).read(diagram)
