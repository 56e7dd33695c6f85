"""Minimax: the naive twin node for node, published counts, values by theory, limits."""

import json
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commands
import naive_depth_first as naive
import toys
from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.search.budget import Budget
from plyground.search.depth_first.iterative_deepening import Deepening
from plyground.search.depth_first.stack import DEEPEST, PROVEN, WIN, distance

TICTACTOE = games.make("tictactoe")
GAMES = {
    "tictactoe": (TICTACTOE, 20, 3),
    "three in a row on 4 x 3": (MNK(4, 3, 3), 8, 3),
    "just two in a row on 4 x 3": (MNK(4, 3, 2, True), 8, 3),
    "four in a row on 4 x 3": (MNK(4, 3, 4), 6, 3),
    "connect three on 4 x 4": (games.make("connect-four(4,4,3)"), 30, 4),
    "line-taking": (games.make(toys.LINES), 12, 2),
    "dice": (toys.make("dice"), 15, 2),
    "nim": (toys.make("nim"), 40, 4),
}


def values(search, state, depth, **options):
    """The value of every action, for player 0."""
    sign = 1 - 2 * int(search.game.player(state))
    return {move.action: sign * move.value for move in search.search(state, depth, every=True, **options).moves}


@pytest.mark.parametrize("name", GAMES)
def test_values_and_nodes_of_every_action_equal_the_naive_twin(name):
    game, count, deepest = GAMES[name]
    rng = random.Random(name)
    search = Deepening(game, naive.points(game), full=True)
    for state in naive.positions(game, rng, count):
        depth = rng.choice([1, 2, deepest, deepest])
        found = values(search, state, depth)
        twin = naive.Minimax(game, naive.points(game))
        wanted = {a: twin.value(rules.after(game, state, a), depth - 1, 1) for a in rules.legal(game, state)}
        assert found == pytest.approx(wanted, rel=1e-12)
        assert search.found.nodes == twin.nodes
        assert search.found.depth == depth


TABLES = st.builds(
    toys.table,
    st.sampled_from(["0101", "1010", "0011", "1100", "0c01", "1cc0", "01c0", "00c1", "0110"]),
    st.dictionaries(st.text("01", min_size=1, max_size=4), st.sampled_from([-1.0, 0.0, 1.0, 0.5]), max_size=16),
)


@given(TABLES)
@settings(derandomize=True, deadline=None, max_examples=40)
def test_both_searches_equal_the_naive_twin_on_any_small_tree(game):
    state = rules.new(game)
    twin = naive.Minimax(game, naive.points(game))
    for depth in (1, 2, 4):
        wanted = {a: twin.value(rules.after(game, state, a), depth - 1, 1) for a in (0, 1)}
        assert values(Deepening(game, naive.points(game), full=True), state, depth) == wanted
        assert values(Deepening(game, naive.points(game)), state, depth) == wanted
        found = Deepening(game, naive.points(game)).search(state, depth).best.value
        assert found * (1 - 2 * game.player(state)) == (max if game.player(state) == 0 else min)(wanted.values())


def test_the_whole_tree_of_tictactoe_has_549946_nodes():
    search = Deepening(TICTACTOE, naive.points(TICTACTOE), full=True)
    found = search.search(rules.new(TICTACTOE))
    assert found.nodes + 1 == 549_946
    assert found.best.value == 0 and found.exact


def test_every_position_of_tictactoe_has_its_exact_value_and_distance():
    search = Deepening(TICTACTOE, naive.points(TICTACTOE), full=True)
    known = naive.solved(TICTACTOE, rules.new(TICTACTOE))
    states = np.frombuffer(b"".join(known), rules.dtype(TICTACTOE))
    assert len(states) == 5478
    open_states = states[states["winner"] == 0].view(np.recarray)
    for state in random.Random(1).sample(list(open_states[open_states["stones"] > 2]), 120):
        children = {a: rules.after(TICTACTOE, state, a) for a in rules.legal(TICTACTOE, state)}
        wanted = {a: naive.from_root(known[child.tobytes()], 1) for a, child in children.items()}
        assert values(search, state, DEEPEST) == wanted


# --- choices ------------------------------------------------------------------------------------------


@pytest.fixture(params=["minimax", "alpha-beta"])
def best(request):
    """Searches to the end, and gives the best action with its value for the player to move."""

    def found(game, state):
        one = Deepening(game, naive.points(game), full=request.param == "minimax").search(state)
        assert one.exact
        return one.best.action, one.best.value

    return found


@pytest.mark.parametrize(
    ("diagram", "action", "value"),
    [
        ("XX./OO./... X", 2, WIN - 1),  # wins at once
        ("XX./OO./X.. O", 5, WIN - 1),  # so does the second player
        ("XX./.O./... O", 2, 0),  # blocks
        ("XOX/XOO/OX. X", 8, 0),  # the last cell, drawn
        ("XOX/.../X.O O", None, -(WIN - 2)),  # lost: one of two threats stands
    ],
)
def test_the_right_move_in_tictactoe(best, diagram, action, value):
    found, worth = best(TICTACTOE, TICTACTOE.read(diagram))
    assert worth == value
    assert found == action or action is None


@pytest.mark.parametrize("seat", [0, 1])
def test_wins_fast_and_loses_slowly(best, seat):
    for score in (1.0, -1.0):
        result = score * (1 - 2 * seat)
        ends = {"0": result} | {f"1{path:03b}": result for path in range(8)}
        game = toys.table(str(seat) * 4, ends)
        assert best(game, rules.new(game)) == ((0, WIN - 1) if score > 0 else (1, -(WIN - 4)))


@pytest.mark.parametrize("seat", [0, 1])
def test_players_need_not_alternate(best, seat):
    ends = {path: score * (1 - 2 * seat) for path, score in toys.TWICE.items()}
    game = toys.table("0011" if seat == 0 else "1100", ends)
    assert best(game, rules.new(game)) == (0, WIN - 2)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_score_between_is_worth_its_part_of_a_win_and_has_no_distance(best, seat):
    sign = 1 - 2 * seat
    game = toys.table(f"{seat}000", {"0": 0.25 * sign, "10": 0.5 * sign, "11": 0.5 * sign})
    assert best(game, rules.new(game)) == (1, 0.5 * WIN)


def test_a_likely_win_is_not_a_proven_one(best):
    game = toys.table("0c00", {"00": 1.0, "01": 0.9, "10": 1.0, "11": 0.8})
    assert best(game, rules.new(game)) == (0, pytest.approx(0.95 * WIN, abs=2))
    assert distance(best(game, rules.new(game))[1]) is None
    for high in (0.9999, 1.0):
        game = toys.table("0c00", {"00": 1.0, "01": high, "10": -1.0, "11": -1.0})
        assert distance(best(game, rules.new(game))[1]) == (2 if high == 1 else None)


def test_misere_nim_is_solved_as_the_theory_says(best):
    for heaps in [(1, 1, 1), (2, 2, 1), (3, 2, 1), (3, 3, 0), (2, 0, 0), (3, 1, 1)]:
        game = toys.load("Nim")(*heaps)
        assert (best(game, rules.new(game))[1] > PROVEN) == toys.mover_wins_nim(heaps)


@pytest.mark.parametrize("full", [True, False])
def test_a_position_in_which_no_player_moves_is_refused(full):
    nature = toys.table("c000", {})
    for game, state in ((TICTACTOE, TICTACTOE.read("XOX/XOO/OXX O")), (nature, rules.new(nature))):
        with pytest.raises(ValueError, match="no player is to move"):
            naive.for_game(game, full=full).search(state)


# --- limits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("full", [True, False])
def test_a_game_longer_than_the_search_can_look_is_a_guess_not_a_crash(full):
    game = toys.load("Corridor")(5000)
    found = Deepening(game, naive.points(game), full=full).search(rules.new(game))
    assert found.depth == DEEPEST and not found.exact and abs(found.best.value) < PROVEN
    nearer = toys.load("Corridor")(DEEPEST - 1)
    found = Deepening(nearer, naive.points(game), full=full).search(rules.new(nearer))
    assert found.exact and found.best.value == WIN - (DEEPEST - 1)


def big(full):
    return Deepening(MNK(4, 3, 4), naive.points(MNK(4, 3, 4)), full=full, threats=False, memory=0, order=False)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("nodes", [1, 2, 50, 1000, 30_000])
def test_the_limit_of_nodes_is_kept(nodes, full):
    found = big(full).search(rules.new(MNK(4, 3, 4)), budget=Budget(nodes))
    assert found.nodes == nodes
    assert len(found.moves) == 12


@pytest.mark.parametrize("full", [True, False])
def test_time_and_stop_end_a_search(full):
    search = big(full)
    for limits in ({"seconds": 0.05}, {"stop": lambda: True}):
        begun = time.perf_counter()
        found = search.search(rules.new(search.game), budget=Budget(**limits))
        assert time.perf_counter() - begun < 60
        assert not found.exact and found.seconds > 0 and sorted(m.action for m in found.moves) == list(range(12))


def test_an_interruption_leaves_what_was_found():
    search = big(False)

    def interrupt():
        if search.found.depth > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.search(rules.new(search.game), budget=Budget(watch=interrupt))
    assert search.found.depth > 2 and search.found.nodes > 0 and len(search.found.moves) == 12
    assert search.search(rules.new(search.game), 2).depth == 2


# --- the compiler -------------------------------------------------------------------------------------

CASES = [(name, full, depth) for name, depth in (("three in a row on 4 x 3", 2), ("dice", 1)) for full in (True, False)]


def results(name, full, depth):
    """Values, nodes and depth of a search of some positions."""
    game = GAMES[name][0]
    search = naive.for_game(game, full=full, memory=0.01, hopes=True)
    found = []
    for state in naive.positions(game, random.Random(3), 3, low=1):
        one = search.search(state, depth)
        found.append(
            [
                [[m.action, float(m.value), m.nodes, bool(m.exact), bool(m.bound)] for m in one.moves],
                one.nodes,
                one.depth,
            ]
        )
    return found


def test_interpreted_equals_compiled():
    assert commands.interpreted(__file__) == [results(*case) for case in CASES]


if __name__ == "__main__":
    with np.errstate(over="ignore"):
        print(json.dumps([results(*case) for case in CASES]))
