"""UCT: the naive twin visit for visit, exact values, proofs, rewards."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import toys
from plyground import games, rules
from plyground.search.budget import Budget

TICTACTOE = games.make("tictactoe")


def moved(game, plies):
    """The state after so many plies, each the last of the legal actions or of the outcomes."""
    state = rules.new(game)
    for _ in range(plies):
        chance = game.player(state) == rules.CHANCE
        game.play(state, rules.outcomes(game, state)[-1][0] if chance else rules.legal(game, state)[-1])
    return state


@pytest.mark.parametrize(
    ("name", "plies", "spec", "simulations"),
    [
        ("tictactoe", 0, "uct", 300),
        ("tictactoe", 1, "uct(c=0.3, expand='all', solve=False)", 300),
        ("tictactoe", 0, "uct(count='root', rollouts=3, draw=0.4)", 100),
        ("tictactoe", 3, "uct(count='root', expand='all', win=2, loss=-3, draw=-0.5)", 300),
        ("tictactoe", 1, "uct(discount=0.9)", 300),
        ("tictactoe", 0, "uct(c=0)", 300),
        ("tictactoe", 0, "uct(rollout='win-block', rollouts=2)", 40),
        ("tictactoe", 1, "uct(rollout='win-block', expand='all', solve=False)", 60),
        ("connect-four", 0, "uct", 120),
        ("connect-four", 7, "uct(expand='all', count='root')", 100),
        ("connect-four", 9, "uct(rollout='win-block')", 30),
        ("connect-four", 8, "uct(rollout='win-block', expand='all', c=0.5)", 30),
        (toys.LINES, 0, "uct", 60),
        (toys.LINES, 1, "uct(expand='all', solve=False)", 60),
        ("dice", 0, "uct", 400),
        ("dice", 2, "uct(expand='all', count='root', draw=0.5)", 500),
        ("dice", 2, "uct(discount=0.8, rollouts=2)", 300),
        ("nim", 0, "uct", 400),
        ("nim", 1, "uct(expand='all', solve=False)", 400),
    ],
)
def test_kernel_equals_naive_twin_visit_for_visit(name, plies, spec, simulations):
    game = toys.make(name)
    state = moved(game, plies)
    kernel, twin = toys.search(game, state, spec, seed=7), naive.twin(game, state, spec, seed=7)
    assert kernel.run(Budget(simulations)) == twin.run(simulations)
    assert toys.held(kernel.nodes) == naive.held(twin.root)
    assert int(kernel.workspaces[0].rng) == twin.stream.word


TABLES = st.builds(
    toys.table,
    st.text("01c", min_size=3, max_size=3).map(lambda players: "0" + players) | st.sampled_from(["1010", "1c01"]),
    st.dictionaries(st.text("01", min_size=1, max_size=4), st.sampled_from([-1.0, 0.0, 1.0, 0.5]), max_size=16),
)


@given(TABLES, st.sampled_from(["", "expand='all', ", "count='root', "]), st.booleans(), st.sampled_from([0, 0.7, 3]))
@settings(derandomize=True, deadline=None, max_examples=80)
def test_kernel_equals_naive_twin_on_any_small_tree(game, options, solve, c):
    spec = f"uct({options}solve={solve}, c={c}, draw=0.25)"
    state = rules.new(game)
    kernel, twin = toys.search(game, state, spec, seed=3), naive.twin(game, state, spec, seed=3)
    assert kernel.run(Budget(60)) == twin.run(60)
    assert toys.held(kernel.nodes) == naive.held(twin.root)


# --- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5)])
def test_a_won_position_has_value_one_for_either_seat(diagram, best, solve):
    search = toys.search(TICTACTOE, TICTACTOE.read(diagram), f"uct(solve={solve}, c=0.5)")
    search.run(Budget(5000))
    assert 0.9 < search.value <= 1
    assert toys.best(search) == best


@pytest.mark.parametrize("diagram", ["XOX/.../X.O O", "OXO/..X/O.X X"])
def test_a_lost_position_has_value_minus_one_for_either_seat(diagram):
    search = toys.search(TICTACTOE, TICTACTOE.read(diagram), "uct(solve=False, c=0.5)")
    search.run(Budget(20_000))
    assert -1 <= search.value < -0.9


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize("seat", [0, 1])
def test_signs_do_not_assume_that_players_alternate(seat, solve):
    ends = {path: score * (1 - 2 * seat) for path, score in toys.TWICE.items()}
    game = toys.table("0011" if seat == 0 else "1100", ends)
    search = toys.search(game, rules.new(game), f"uct(solve={solve})")
    search.run(Budget(5000))
    assert search.line(toys.best(search)) == [0, 1]
    assert search.value > 0.9


@pytest.mark.parametrize("plies", [0, 2, 4, 6])
def test_values_converge_to_expectimax_in_a_game_with_chance(plies):
    game = toys.make("dice")
    state = moved(game, plies)
    search = toys.search(game, state, "uct(c=1)")
    search.run(Budget(400_000))
    sign = 1 - 2 * game.player(state)
    wanted = {action: sign * toys.exact(game, rules.after(game, state, action)) for action in rules.legal(game, state)}
    for child in search.children:
        assert child.value == pytest.approx(wanted.pop(child.action), abs=0.03 + 4 / child.visits**0.5)
    assert not wanted
    assert search.value == pytest.approx(sign * toys.exact(game, state), abs=0.005)
    best = rules.after(game, state, toys.best(search))
    assert toys.exact(game, best) == pytest.approx(toys.exact(game, state))


@given(TABLES, st.booleans())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_values_converge_to_the_exact_ones_on_any_small_tree(game, solve):
    state = rules.new(game)
    search = toys.search(game, state, f"uct(solve={solve}, c=0.7)")
    search.run(Budget(30_000))
    exact = toys.exact(game, state) * (1 - 2 * game.player(state))
    assert search.value == pytest.approx(exact, abs=0.05)
    if search.nodes[1].proof:
        assert search.value == exact


@pytest.mark.parametrize("spec", ["uct", "uct(expand='all', solve=False)", "rave"])
@pytest.mark.parametrize(("diagram", "value"), [("XOX/XOO/OX. X", 0), ("XOO/OXX/OX. X", 1)], ids=["draws", "wins"])
def test_the_last_cell_of_a_board(diagram, value, spec):
    search = toys.search(TICTACTOE, TICTACTOE.read(diagram), spec)
    search.run(Budget(50))
    (child,) = search.children
    assert search.value == child.value == value
    assert bool(child.proof) == (value == 1 and "solve=False" not in spec)


# --- proofs -------------------------------------------------------------------------------------------


def test_a_win_in_one_is_proven_and_ends_the_search():
    search = toys.search(TICTACTOE, TICTACTOE.read("XX./OO./... X"), "uct")
    assert search.run(Budget(10_000)) < 100
    assert search.value == 1
    assert {child.action: child.proof for child in search.children}[2] == 1


def test_a_forced_win_of_the_second_player_in_two_is_proven():
    game = toys.make("lost in two")
    search = toys.search(game, rules.new(game), "uct")
    assert search.run(Budget(10_000)) < 10_000
    assert search.value == -1
    assert [(child.proof, child.value) for child in search.children] == [(-1, -1.0)] * 2
    search.begin(rules.after(game, rules.new(game), 1))  # the same seen by the second player
    search.run(Budget(10_000))
    assert search.value == 1
    assert {child.action: child.proof for child in search.children}[1] == 1


def test_proofs_are_the_exact_values_of_tictactoe():
    known: dict = {}
    toys.exact(TICTACTOE, rules.new(TICTACTOE), known)
    positions = np.frombuffer(b"".join(known), rules.dtype(TICTACTOE))
    for state in positions[~np.isin(positions["winner"], (1, 2, 3))][::25]:
        search = toys.search(TICTACTOE, state, "uct")
        simulations = search.run(Budget(20_000))
        exact = known[state.tobytes()] * (1 - 2 * TICTACTOE.player(state))
        assert search.nodes[1].proof * (1 - 2 * TICTACTOE.player(state)) == exact
        if exact:
            assert simulations < 20_000
            assert search.value == exact


def test_misere_nim_is_solved_as_the_theory_says():
    for heaps in [(a, b, c) for a in range(4) for b in range(4) for c in range(4) if a + b + c]:
        game = toys.load("Nim")(*heaps)
        search = toys.search(game, rules.new(game), "uct")
        assert search.run(Budget(100_000)) < 100_000
        assert search.value == (1 if toys.mover_wins_nim(heaps) else -1)


@pytest.mark.parametrize("score", [-1.0, 0.0])
def test_a_proof_does_not_pass_a_chance_event(score):
    game = toys.table("0c00", {"00": 1.0, "01": score, "10": 1.0, "11": score})
    search = toys.search(game, rules.new(game), "uct")
    assert search.run(Budget(5000)) == 5000
    assert [child.proof for child in search.children] == [0, 0]
    assert search.value == pytest.approx((1 + score) / 2, abs=0.05)


def test_without_solve_nothing_is_proven():
    search = toys.search(TICTACTOE, TICTACTOE.read("XX./OO./... X"), "uct(solve=False)")
    assert search.run(Budget(2000)) == 2000
    assert not search.nodes["proof"].any()


# --- rewards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("draw", "best"), [(0.3, 0), (-0.3, 1)])
def test_the_reward_of_a_draw_decides_between_a_draw_and_a_gamble(draw, best, seat):
    game = toys.table(f"{seat}c00", {"0": 0.0, "10": 1.0, "11": -1.0})
    search = toys.search(game, rules.new(game), f"uct(draw={draw})")
    search.run(Budget(20_000))
    values = {child.action: child.value for child in search.children}
    assert values == pytest.approx({0: draw, 1: 0}, abs=0.1)
    assert values[0] == pytest.approx(draw)
    assert toys.best(search) == best


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("short", [0, 1])
def test_a_discount_prefers_the_shorter_win_and_the_longer_loss(short, seat):
    for score in (1.0, -1.0):
        result = score * (1 - 2 * seat)
        long = {f"{1 - short}{path:03b}": result for path in range(8)}
        game = toys.table(str(seat) * 4, {str(short): result} | long)
        values = {}
        for discount in (1.0, 0.9):
            search = toys.search(game, rules.new(game), f"uct(solve=False, discount={discount})")
            search.run(Budget(3000))
            values[discount] = [
                child.value for child in sorted(search.children, key=lambda child: child.action != short)
            ]
        assert values[1.0] == pytest.approx([score, score])
        assert values[0.9] == pytest.approx([score * 0.9, score * 0.9**4])
        assert toys.best(search) == (short if score > 0 else 1 - short)


def test_rules_that_contradict_themselves_do_not_hang_the_kernel():
    game = toys.make("tictactoe")
    cls = type(game)

    class Wrong(NamedTuple):
        m: int = 3
        n: int = 3
        k: int = 3
        exact: bool = False

    for name in cls._gives - {"wins", "wins_after"}:
        setattr(Wrong, name, vars(cls)[name])
    Wrong.still = lambda game, state, action: False
    search = toys.search(rules.adopt(Wrong)(), rules.new(game), "uct(solve=False)", seed=1)
    assert search.run(Budget(20)) == 20
