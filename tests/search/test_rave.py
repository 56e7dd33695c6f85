"""MC-RAVE: the naive twin visit for visit, Q~ recounted from recorded games, schedules, proofs."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import toys
from plyground import games, rules
from plyground.search.budget import Budget
from plyground.search.tree import ROOT

TICTACTOE = games.make("tictactoe")


@pytest.mark.parametrize(
    ("name", "moves", "spec", "simulations"),
    [
        ("tictactoe", [], "rave", 300),
        ("tictactoe", [4], "rave(k=20, c=0.4, draw=0.3)", 300),
        ("tictactoe", [0], "rave(schedule='mse', bias=0.3)", 300),
        ("tictactoe", [], "rave(schedule='mse', c=0.2, solve=False, discount=0.95)", 300),
        ("tictactoe", [], "rave(rollout='win-block')", 60),
        ("tictactoe", [4], "rave(rollout='win-block', schedule='mse', k=5)", 60),
        ("tictactoe", [4, 0], "rave(schedule='mse', c=0.3, loss=-2)", 200),
        ("connect-four", [], "rave", 100),
        ("connect-four", [3, 3, 3], "rave(schedule='mse', c=0.5)", 100),
        (toys.LINES, [], "rave", 60),
        (toys.LINES, [0], "rave(k=5, c=0.5, solve=False)", 60),
        ("dice", [], "rave", 400),
        ("dice", [1, 5], "rave(schedule='mse', draw=0.5, win=2)", 400),
    ],
)
def test_kernel_equals_naive_twin_visit_for_visit(name, moves, spec, simulations):
    game = toys.make(name)
    state = rules.new(game)
    for move in moves:
        game.play(state, move)
    kernel, twin = toys.search(game, state, spec, seed=11), naive.twin(game, state, spec, seed=11)
    assert kernel.run(Budget(simulations)) == twin.run(simulations)
    assert toys.held(kernel.nodes) == naive.held(twin.root)
    assert int(kernel.workspaces[0].rng) == twin.stream.word


@given(
    st.sampled_from(["0101", "0011", "1001", "0c01", "10c0"]),
    st.dictionaries(st.text("01", min_size=1, max_size=4), st.sampled_from([-1.0, 0.0, 1.0, 0.5]), max_size=16),
    st.sampled_from(["", "schedule='mse', "]),
    st.booleans(),
    st.sampled_from([0, 0.7]),
)
@settings(derandomize=True, deadline=None, max_examples=80)
def test_kernel_equals_naive_twin_on_any_small_tree(players, ends, schedule, solve, c):
    game = toys.table(players, ends)
    spec = f"rave({schedule}solve={solve}, c={c}, k=10)"
    state = rules.new(game)
    kernel, twin = toys.search(game, state, spec, seed=3), naive.twin(game, state, spec, seed=3)
    assert kernel.run(Budget(60)) == twin.run(60)
    assert toys.held(kernel.nodes) == naive.held(twin.root)


@pytest.mark.parametrize("name", ["tictactoe", "dice"])
def test_shared_values_are_the_means_over_all_recorded_games(name):
    """Q~(s,a) once more, from nothing but the games: those through s in which its player played a, there or later."""
    game = toys.make(name)
    search = toys.search(game, rules.new(game), "rave(k=50, solve=False, c=0.3)")
    through: dict = {}  # games by the nodes that they passed: each game goes one step beyond the nodes known before
    known = {()}
    for _ in range(300):
        record = toys.recorded(search)
        state, path = rules.new(game), ()
        for _, action in record:
            game.play(state, action)
        while path in known and len(path) < len(record):
            through.setdefault(path, []).append((record, game.score(state)))
            path = tuple(action for _, action in record[: len(path) + 1])
        known.add(path)
    checked = 0
    for (*parent, action), (_, _, _, shared_visits, shared_value) in list(toys.held(search.nodes).items())[1:]:
        passed = through[tuple(parent)]
        mover = passed[0][0][len(parent)][0]
        results = [score for record, score in passed if (mover, action) in record[len(parent) :]]
        assert shared_visits == (len(results) if mover != rules.CHANCE else 0)
        if shared_visits:
            checked += 1
            assert shared_value == pytest.approx(sum(results) / len(results))
    assert checked > 20


def test_a_child_never_tried_is_known_by_its_shared_value():
    search = toys.search(TICTACTOE, rules.new(TICTACTOE), "rave")
    search.run(Budget(1))
    children = [values for path, values in toys.held(search.nodes).items() if len(path) == 1]
    assert sorted(visits for visits, *_ in children) == [0] * 8 + [1]
    assert sum(shared > 0 for _, _, _, shared, _ in children) >= 3  # a game has at least three moves of X


def test_the_hand_schedule_trusts_the_shared_value_longer_the_larger_k():
    """Action 1 is bad now and good later, so that its shared value misleads."""
    game = toys.table("0000", {"1": -1.0, "01": 0.5, "00": -1.0})
    visits = {}
    for k in (1, 1e6):
        search = toys.search(game, rules.new(game), f"rave(k={k}, c=0.3, solve=False)")
        search.run(Budget(1000))
        visits[k] = {child.action: child.visits for child in search.children}[1]
    assert visits[1e6] > 3 * visits[1]


@pytest.mark.parametrize("spec", ["rave(solve=False, c=0.2)", "rave(solve=False, schedule='mse', c=0.2)", "rave"])
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5)])
def test_a_won_position_has_value_one_for_either_seat(diagram, best, spec):
    search = toys.search(TICTACTOE, TICTACTOE.read(diagram), spec)
    search.run(Budget(5000))
    assert 0.9 < search.value <= 1
    assert toys.best(search) == best


def test_proofs_are_exact():
    lost = toys.make("lost in two")
    search = toys.search(lost, rules.new(lost), "rave")
    assert search.run(Budget(10_000)) < 10_000
    assert search.value == -1
    for diagram, value in (("XX./OO./... X", 1), ("XOX/.../X.O O", -1), ("OXO/..X/O.X X", -1)):
        search = toys.search(TICTACTOE, TICTACTOE.read(diagram), "rave")
        assert search.run(Budget(10_000)) < 10_000
        assert search.value == value


@pytest.mark.parametrize("seat", [0, 1])
def test_signs_do_not_assume_that_players_alternate(seat):
    ends = {path: score * (1 - 2 * seat) for path, score in toys.TWICE.items()}
    game = toys.table("0011" if seat == 0 else "1100", ends)
    search = toys.search(game, rules.new(game), "rave(solve=False, k=10, c=0.2)")
    search.run(Budget(5000))
    assert search.line(toys.best(search)) == [0, 1]
    assert search.value > 0.9


@pytest.mark.parametrize("schedule", ["hand", "mse"])
def test_values_converge_to_expectimax_in_a_game_with_chance(schedule):
    game = toys.make("dice")
    search = toys.search(game, rules.new(game), f"rave(c=1, k=10, bias=1, schedule='{schedule}')")
    search.run(Budget(400_000))
    assert search.value == pytest.approx(toys.exact(game, rules.new(game)), abs=0.01)


def test_the_schedules_are_those_of_the_paper():
    """At the root of a grown tree, the next child is the argmax of (1 - b) Q + b Q~ with b by the formula."""
    k, bias = 30, 0.3
    for schedule in ("hand", "mse"):
        search = toys.search(
            TICTACTOE, rules.new(TICTACTOE), f"rave(schedule='{schedule}', k={k}, bias={bias}, solve=False)"
        )
        compared = 0
        for _ in range(300):
            nodes, root = search.nodes, search.nodes[ROOT]
            children = nodes[root.first : root.first + root.width].copy()
            total = int(root.visits)
            scores = {}
            for n, q, m, shared, action in children[
                ["visits", "value", "rave_visits", "rave_value", "action"]
            ].tolist():
                if n and m:
                    b = math.sqrt(k / (3 * total + k)) if schedule == "hand" else m / (n + m + 4 * n * m * bias**2)
                    scores[action] = (1 - b) * q + b * shared
                elif m:
                    scores[action] = shared
                elif n:
                    scores[action] = q
            record = toys.recorded(search)
            if len(scores) == 9:
                compared += 1
                assert scores[record[0][1]] == pytest.approx(max(scores.values()), abs=1e-12)
        assert compared > 200
