"""Quick moves in plain Python: wins, blocks, open threes, edges, longer rows; and how long an engine may think."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyground import games, rules
from plyground.games.k_in_row.gomocup.brain import position
from plyground.games.k_in_row.gomocup.clock import UNLIMITED, Clock
from plyground.games.k_in_row.gomocup.instant import BLOCKED, OTHER, OWN, Board, quick


def board(own: str = "", other: str = "", size: int = 15, exact: bool = False, blocked: str = "") -> Board:
    """A board of cells written like `3,4 5,6`."""
    made = Board(size, size, exact)
    for who, cells in ((OWN, own), (OTHER, other), (BLOCKED, blocked)):
        for cell in cells.split():
            x, y = cell.split(",")
            made.stones[int(x), int(y)] = who
    return made


def test_the_middle_of_an_empty_board() -> None:
    assert quick(Board(15, 15)) == (7, 7) and quick(Board(20, 6)) == (10, 3)


@pytest.mark.parametrize(
    "own, other, best",
    [
        ("3,3 4,3 5,3 6,3", "2,3", {(7, 3)}),  # win
        ("3,3 4,4 6,6 7,7", "9,9 9,8 9,7 9,6", {(5, 5)}),  # win rather than block
        ("0,0 0,2 0,3 0,4", "5,5", {(0, 1)}),  # in a gap, at the edge
        ("5,5", "9,9 9,8 9,7 9,6", {(9, 5), (9, 10)}),  # block one end
        ("9,5 5,5", "9,9 9,8 9,7 9,6", {(9, 10)}),  # block the only end
        ("5,5 12,2", "3,12 2,13 1,14 5,10", {(4, 11)}),  # anti-diagonal with a gap, in the corner
        ("7,7 8,7 9,7", "3,3 3,4", {(6, 7), (10, 7), (5, 7), (11, 7)}),  # an open four of our own
        ("1,1 13,13", "7,7 8,7 9,7", {(6, 7), (10, 7), (5, 7), (11, 7)}),  # keep the opponent from one
        ("7,7 8,7 9,7 1,1", "3,3 3,4 3,5", {(6, 7), (10, 7), (5, 7), (11, 7)}),  # ours comes first
    ],
)
def test_what_has_to_be_played_is_played(own: str, other: str, best: set) -> None:
    assert quick(board(own, other)) in best


def test_six_in_a_row_do_not_win_where_exactly_five_do() -> None:
    stones = "2,7 3,7 4,7 6,7 7,7"
    assert quick(board(stones, "12,12")) == (5, 7)
    assert quick(board(f"{stones} 9,2 9,3 9,4 9,5", "12,12 9,1", exact=True)) == (9, 6)
    assert quick(board("9,2 9,3 9,5", f"{stones} 9,1", exact=True)) != (5, 7)


def test_a_row_that_was_won_counts_no_more() -> None:
    assert quick(board("2,0 5,5", "9,9", blocked="3,0 4,0 5,0 6,0")) not in {(1, 0), (7, 0)}
    assert not board(blocked="3,0 4,0 5,0 6,0 7,0").won()


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6)), unique=True, max_size=62),
    stones=st.lists(st.sampled_from([OWN, OTHER, BLOCKED]), min_size=63, max_size=63),
    exact=st.booleans(),
)
def test_a_free_cell_is_chosen_whatever_lies_on_the_board(cells: list, stones: list, exact: bool) -> None:
    made = Board(9, 7, exact, dict(zip(cells, stones, strict=False)))
    assert made.free(quick(made))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.randoms(use_true_random=False),
    count=st.integers(1, 60),
    exact=st.booleans(),
    lean=st.sampled_from([2, 3, 9]),
)
def test_wins_are_those_of_the_rules(seed, count: int, exact: bool, lean: int) -> None:
    """Any stones, however many of either side: the state lets us move, and agrees about every win."""
    game = games.make('gomoku(9, rule="exactly-five")' if exact else "gomoku(9)")
    cells = [(n % 9, n // 9) for n in seed.sample(range(81), count)]
    made = Board(9, 9, exact, {cell: OTHER if seed.randrange(lean) else OWN for cell in cells})
    if made.won():
        return
    same, state = position(made)
    assert same == game and not game.over(state)
    me = int(game.player(state))
    assert [int(c) for c in state.cells] == [
        0 if made.free((n % 9, n // 9)) else 1 + (me if made.stones[n % 9, n // 9] == OWN else 1 - me)
        for n in range(81)
    ]
    wins = [rules.winning(game, state, player) for player in (me, 1 - me)]
    best = quick(made)
    if wins[0]:
        assert best[1] * 9 + best[0] in wins[0]
    elif wins[1]:
        assert best[1] * 9 + best[0] in wins[1]
    for action in wins[0]:
        made.stones[action % 9, action // 9] = OWN
        assert made.won()
        del made.stones[action % 9, action // 9]


# --- the clock ------------------------------------------------------------------------------------------------


def clock(late: float = 0.0, **told: int) -> Clock:
    made = Clock()
    made.late = late
    for key, value in told.items():
        made.set_info(key, value)
    return made


@settings(max_examples=200)
@given(
    turn=st.integers(0, 10**6), left=st.one_of(st.just(UNLIMITED), st.integers(-(10**5), 10**7)), late=st.floats(0, 5)
)
def test_no_more_is_planned_than_is_allowed(turn: int, left: int, late: float) -> None:
    planned = clock(late, timeout_turn=turn, time_left=left).plan()
    assert planned >= 0
    if turn:
        assert planned <= max(0.0, turn / 1000 - 0.05)
    else:
        assert planned <= 0.05
    if left != UNLIMITED:
        assert planned <= max(0.0, left / 1000 - 0.05) and planned <= max(0.0, left / 1000 / 20)


def test_most_of_a_move_is_used_and_a_match_is_shared_out() -> None:
    assert clock(timeout_turn=1000).plan() > 0.9
    assert clock(timeout_turn=30_000, time_left=UNLIMITED).plan() > 29
    assert clock(timeout_turn=30_000, time_left=180_000).plan() == pytest.approx(7.2)
    assert clock(timeout_turn=1000, timeout_match=0).plan() > 0.9  # nought is no limit
    assert clock(timeout_turn=1000, time_left=100).plan() < 0.01
    assert clock(timeout_turn=1000, time_left=-5).plan() == 0


def test_a_driver_that_tells_only_the_time_of_the_match_is_believed() -> None:
    made = clock(timeout_turn=5000, timeout_match=10_000)
    assert made.plan() == pytest.approx(0.4)
    made.used = 9.99
    assert made.plan() == 0
    made.new_game()
    assert made.plan() == pytest.approx(0.4)
    made.set_info("time_left", 2500)
    assert made.plan() == pytest.approx(0.1)


def test_moves_that_came_late_shorten_the_next_ones() -> None:
    assert clock(late=0.2, timeout_turn=1000).plan() == pytest.approx(clock(timeout_turn=1000).plan() - 0.2)
