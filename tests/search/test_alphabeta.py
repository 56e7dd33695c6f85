"""Alpha-beta: the naive twin node for node; whatever is switched on, the values are those of minimax."""

import math
import random

import pytest

import naive_depth_first as naive
import toys
from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.search.depth_first.iterative_deepening import Deepening
from plyground.search.depth_first.stack import DEEPEST, WIN

PLAIN = {"threats": False, "memory": 0, "mirrors": False, "order": False}
MEMORY = 0.05  # megabytes: small, so that entries are replaced
ALL = {"memory": MEMORY, "hopes": True}
# Every switch is met with every other one both on and off, but for hopes; the others' table has no mirrors.
SWITCHES = {
    "nothing": PLAIN,
    "threats": PLAIN | {"threats": True},
    "mirrors": PLAIN | {"memory": MEMORY, "mirrors": True},
    "order": PLAIN | {"order": True},
    "everything": ALL,
}
BOARD = MNK(4, 3, 3)  # boards of one size share their kernels
VARIANTS = [BOARD, MNK(4, 3, 3, True), MNK(4, 3, 2, True), MNK(4, 3, 4), MNK(4, 3, 2), MNK(4, 3, 1)]
TICTACTOE, LINES = games.make("tictactoe"), games.make(toys.LINES)
CONNECT, CONNECT_ALL, CONNECT_TWO = (games.make(f"connect-four(4,4,{k})") for k in (3, 4, 2))


# --- the twin -----------------------------------------------------------------------------------------


def windows(rng):
    """A window, as the player to move sees it: whole, on one question, or anywhere."""
    low, high = sorted(rng.sample([-WIN + 2, -WIN + 3, -20, -5, -1, 0, 1, 4, 20, WIN - 4, WIN - 2], 2))
    return rng.choice([(-math.inf, math.inf), (0, 1), (-1, 0), (low, high), (low, math.inf), (-math.inf, high)])


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(
    ("game", "count", "deepest"),
    [(BOARD, 20, 4), (MNK(4, 3, 2, True), 20, 4), (CONNECT, 30, 5), (LINES, 4, 3), (toys.make("dice"), 8, 2)],
    ids=["mnk", "exact", "connect", "lines", "dice"],
)
def test_value_and_nodes_equal_the_naive_twin(game, count, deepest, hard):
    rng = random.Random(5)
    search = naive.for_game(game, hard=hard, **PLAIN)
    for state in naive.positions(game, rng, count):
        sign = 1 - 2 * int(game.player(state))
        search.start(state)
        for action in rng.sample(rules.legal(game, state), min(4, len(rules.legal(game, state)))):
            depth, (low, high) = rng.randint(1, deepest), windows(rng)
            found = search.search_action(action, depth, low, high)
            twin = naive.AlphaBeta(game, naive.points(game), hard)
            alpha, beta = (low, high) if sign > 0 else (-high, -low)
            wanted = sign * twin.bounded(rules.after(game, state, action), depth - 1, alpha, beta, 1)
            assert found.value == pytest.approx(wanted, rel=1e-12)
            assert found.nodes == twin.nodes
            assert found.bound == (found.value <= low)


def fits(found, value, low, high):
    """Is this the value if it lies in the window, else a bound on its side of the window?"""
    if low < value < high:
        return found == value
    return value <= found <= low if value <= low else high <= found <= value


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
def test_soft_bounds_and_hard_bounds_hold_the_value_of_minimax_between_them(hard):
    rng = random.Random(6)
    search, full = naive.for_game(BOARD, hard=hard, **PLAIN), naive.for_game(BOARD, full=True)
    for state in naive.positions(BOARD, rng, 150, low=2):
        depth, (low, high) = rng.randint(1, 4), windows(rng)
        action = rng.choice(rules.legal(BOARD, state))
        full.start(state)
        search.start(state)
        value = full.search_action(action, depth, -math.inf, math.inf).value
        found = search.search_action(action, depth, low, high).value
        assert fits(found, value, low, high)


# --- the switches -------------------------------------------------------------------------------------


def same_to_the_end(game, states, full, search, within=0):
    """Every action has the value and the distance of minimax, and so has the best one without `every`."""
    for state in states:
        wanted = {move.action: move.value for move in full.search(state).moves}
        found = search.search(state, every=True)
        assert {move.action: move.value for move in found.moves} == pytest.approx(wanted, rel=1e-12, abs=within)
        assert all(move.exact for move in found.moves)
        assert [move.value for move in found.moves] == sorted((m.value for m in found.moves), reverse=True)
        found = search.search(state, window=1)
        assert found.best.value == pytest.approx(max(wanted.values()), rel=1e-12, abs=within)
        assert wanted[found.best.action] == pytest.approx(found.best.value, rel=1e-12, abs=within)
        assert found.exact


@pytest.mark.parametrize("name", SWITCHES)
def test_every_switch_leaves_values_and_distances_of_mnk(name):
    rng = random.Random(7)
    for game in VARIANTS:
        full = naive.for_game(game, full=True)
        late = naive.positions(game, rng, 10, low=6 if game.k > 2 else 0)
        same_to_the_end(game, late, full, naive.for_game(game, **SWITCHES[name]))


@pytest.mark.parametrize("name", ["nothing", "everything"])
def test_every_switch_leaves_values_and_distances_of_connect_four(name):
    rng = random.Random(8)
    for game in (CONNECT, CONNECT_ALL, CONNECT_TWO):
        full = naive.for_game(game, full=True)
        states = naive.positions(game, rng, 20, low=6 if game.k > 2 else 0)
        same_to_the_end(game, states, full, naive.for_game(game, **SWITCHES[name]))


@pytest.mark.parametrize(
    ("game", "count", "low"),
    [(TICTACTOE, 40, 2), (LINES, 10, 1), (toys.make("dice"), 8, 1), (toys.make("nim"), 40, 0)],
    ids=["tictactoe", "lines", "dice", "nim"],
)
def test_values_and_distances_are_right_in_other_games(game, count, low):
    """Without hopes.  A mean over nature's outcomes counts the plies to where it was first searched: the table may
    be off by them."""
    rng = random.Random(9)
    full = naive.for_game(game, full=True)
    for options in ({"memory": MEMORY}, {"memory": MEMORY, "hard": True}):
        states = naive.positions(game, rng, count, low=low)
        same_to_the_end(game, states, full, naive.for_game(game, **options), 5 if rules.gives(game, "chance") else 0)


@pytest.mark.parametrize("name", ["nothing", "mirrors", "order"])
def test_a_depth_is_searched_as_minimax_searches_it(name):
    """With a scoring, and a fresh table; where equal positions stand at equal depths, deepening changes nothing."""
    rng = random.Random(10)
    full, search = naive.for_game(BOARD, full=True), naive.for_game(BOARD, **SWITCHES[name])
    for state in naive.positions(BOARD, rng, 50):
        depth = rng.randint(1, 4)
        wanted = {move.action: move.value for move in full.search(state, depth).moves}
        for window in (math.inf, 1.0, 8.0):
            search.forget()
            found = search.search(state, depth, window=window)
            assert found.best.value == max(wanted.values()) == wanted[found.best.action]
        search.forget()
        assert {move.action: move.value for move in search.search(state, depth, every=True).moves} == wanted


def test_bounds_that_one_window_left_in_the_table_serve_any_other():
    rng = random.Random(15)
    full, search = naive.for_game(BOARD, full=True), naive.for_game(BOARD, **SWITCHES["mirrors"])
    for state in naive.positions(BOARD, rng, 30, low=1, high=6):
        depth = rng.randint(3, 5)
        full.start(state)
        search.start(state)
        search.forget()
        values = {a: full.search_action(a, depth, -math.inf, math.inf).value for a in rules.legal(BOARD, state)}
        for _ in range(30):
            action = rng.choice(list(values))
            low = rng.choice(list(values.values())) + rng.randint(-6, 5)
            high = low + rng.choice([1, 2, 10])
            assert fits(search.search_action(action, depth, low, high).value, values[action], low, high)


def test_what_shallow_searches_left_in_the_table_misleads_no_deep_one():
    rng = random.Random(16)
    for game, hopes in ((BOARD, True), (MNK(4, 3, 3, True), True), (CONNECT, True), (TICTACTOE, False)):
        full, search = naive.for_game(game, full=True), naive.for_game(game, memory=MEMORY, hopes=hopes)
        for state in naive.positions(game, rng, 30, low=4 if game != TICTACTOE else 2):
            full.start(state)
            search.start(state)
            search.forget()
            values = {a: full.search_action(a, DEEPEST, -math.inf, math.inf).value for a in rules.legal(game, state)}
            for _ in range(20):
                action, depth = rng.choice(list(values)), rng.choice([1, 2, 3, 4, 6, DEEPEST])
                low = rng.choice(list(values.values())) + rng.randint(-4, 3)
                high = low + rng.choice([1, 2, 5, 2 * WIN])
                found = search.search_action(action, depth, low, high)
                if depth == DEEPEST:
                    assert fits(found.value, values[action], low, high)
                assert found.value == values[action] or not found.exact


def test_a_table_that_is_kept_serves_only_searches_that_look_no_further():
    """All searches look as far as one number of stones, from early positions or late ones, then to one stone more: an
    entry that serves has been searched just as far, and shallower ones are there of every position."""
    for game in (BOARD, MNK(4, 3, 3, True), MNK(4, 3, 4)):
        rng = random.Random(17)
        full, search = naive.for_game(game, full=True), naive.for_game(game, **SWITCHES["mirrors"] | {"memory": 1})
        for stones in range(2, 10):
            for state in naive.positions(game, rng, 15, low=max(0, stones - 5), high=stones - 1):
                depth, action, (low, high) = (
                    stones - int(state.stones),
                    rng.choice(rules.legal(game, state)),
                    windows(rng),
                )
                full.start(state)
                search.start(state)
                value = full.search_action(action, depth, -math.inf, math.inf).value
                assert fits(search.search_action(action, depth, low, high).value, value, low, high)


@pytest.mark.parametrize(("action", "depth"), [(5, 3), (7, 2), (10, 2), (11, 2)])
def test_a_slow_win_that_forced_answers_show_early_hides_no_sooner_one(action, depth):
    """These answers to a stone in the corner lose, but a shallow search sees only how that takes two plies more."""
    full, search = naive.for_game(BOARD, full=True), naive.for_game(BOARD, **ALL)
    state = rules.after(BOARD, rules.new(BOARD), 0)
    full.start(state)
    search.start(state)
    value = full.search_action(action, DEEPEST, -math.inf, math.inf).value
    slow = search.search_action(action, depth, -math.inf, math.inf).value
    assert slow == value + 2 < -WIN + 12
    for low in range(int(value) - 3, int(slow) + 3):
        for high in (value, slow, slow + 3, math.inf):
            search.forget()
            search.search_action(action, depth, low, low + 3)
            assert fits(search.search_action(action, DEEPEST, -math.inf, high).value, value, -math.inf, high)


def test_a_depth_of_line_taking_is_searched_as_minimax_searches_it_without_a_table():
    rng = random.Random(11)
    full, search = naive.for_game(LINES, full=True), naive.for_game(LINES, **PLAIN)
    for state in naive.positions(LINES, rng, 40):
        depth = rng.randint(1, 4)
        wanted = {move.action: move.value for move in full.search(state, depth).moves}
        assert {move.action: move.value for move in search.search(state, depth, every=True).moves} == wanted


@pytest.mark.parametrize("most", [0, 3, 20])
def test_a_search_says_exact_only_of_the_true_value(most):
    rng = random.Random(12)
    full = naive.for_game(BOARD, full=True)
    search = Deepening(BOARD, naive.points(BOARD)._replace(most=most), **ALL)
    for state in naive.positions(BOARD, rng, 50, low=5):
        value = full.search(state).best.value
        for depth in (1, 2, 3, 5):
            search.forget()
            found = search.search(state, depth)
            assert found.best.value == value or not found.exact


def test_a_draw_that_is_certain_does_not_hide_a_win_that_is_far():
    game = toys.table("0101", {"0": 0.0} | {f"1{path:03b}": 1.0 for path in range(8)})
    for options in ({}, {"hard": True}):
        found = naive.for_game(game, **options).search(rules.new(game))
        assert (found.best.action, found.best.value, found.depth) == (1, WIN - 4, 4)
