"""Odds in floating point: the figures of the studies, and whatever fractions say."""

import pytest

import naive_odds as naive
import toys
from plyground import games, rules
from plyground.exact import odds
from plyground.exact.odds_kernel import POLICIES, Walk
from plyground.spec import InputError

TICTACTOE, FOUR = games.make("tictactoe"), games.make("tictactoe(4)")
STUDY = ".O./XXO/... X"
FIXED = ("random", "win-block", "optimal")
PAIRS = [(a, b) for a in POLICIES for b in POLICIES if a in FIXED or b in FIXED]


@pytest.mark.parametrize(
    ("first", "second", "player", "wanted"),
    [
        ("random", "random", 0, (31.66, 41.62, 26.72)),
        ("most-wins", "random", 0, (99.38, 0.47, 0.15)),
        ("random", "most-wins", 1, (97.79, 1.83, 0.38)),
    ],
)
def test_four_by_four_in_floating_point(first, second, player, wanted):
    seen = []
    of = naive.found("tictactoe(4)", first, second, exact=False, watch=seen.append)
    assert not of.exact and len(of.moves) == 16
    assert tuple(round(100 * p, 2) for p in odds.chances(of.total, player)) == wanted
    assert seen == sorted(seen) and len(seen) > 5 and seen[-1] == of.positions
    assert len({round(of.moves[corner][1.0], 12) for corner in (0, 3, 12, 15)}) == 1


def agree(of, other):
    assert odds.chances(of.total) == pytest.approx([float(p) for p in odds.chances(other.total)], abs=1e-12)
    assert of.moves.keys() == other.moves.keys()
    for action, distribution in of.moves.items():
        exact = [float(p) for p in odds.chances(other.moves[action])]
        assert odds.chances(distribution) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_floating_point_agrees_with_fractions_on_tictactoe(first, second):
    for diagram in (STUDY, "X../.O./..X O"):
        agree(*(naive.found("tictactoe", first, second, diagram, exact=exact) for exact in (False, True)))


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("dice", [("optimal", "random"), ("random", "most-wins")]),
        ("nim", [("optimal", "random"), ("never-lose", "random")]),
        (toys.LINES, [("random", "most-wins")]),
        ("connect-four(3,3,3)", [("most-wins", "win-block"), ("win-block", "optimal")]),
    ],
)
def test_floating_point_agrees_with_fractions_on_other_games(name, seats):
    for first, second in seats:
        agree(*(naive.found(name, first, second, exact=exact, limit=10**5) for exact in (False, True)))


def test_symmetric_positions_are_walked_once_and_change_nothing():
    state = rules.new(TICTACTOE)
    whole, mirrored = (Walk(TICTACTOE, state, ("random", "optimal"), symmetry) for symmetry in (False, True))
    for walk in (whole, mirrored):
        walk.run(10**6)
    assert (whole.positions, mirrored.positions) == (4520, 627)  # 765 up to symmetry, less 138 that are over
    assert whole.total == pytest.approx(mirrored.total)


def test_a_walk_outgrows_its_first_table_and_its_first_stack():
    walk = Walk(TICTACTOE, rules.new(TICTACTOE), ("random", "most-wins"))
    walk.table, walk.stack = walk.table[:64].copy(), walk.stack[:3].copy()
    walk.run(10**6)
    assert walk.positions == 627 and walk.table.size == 1024 and walk.stack.size == 12
    assert walk.total[-1.0] == pytest.approx(887 / 945)


def test_many_positions_are_left_to_floating_point_unless_fractions_are_asked_for(monkeypatch):
    monkeypatch.setattr(odds, "FEW", 1000)
    late = FOUR.read("XO../.X../..O./..X. O")
    assert not odds.distribution(FOUR, late).exact
    for exact in (True, False):
        with pytest.raises(InputError, match="more than 2,000 positions"):
            odds.distribution(FOUR, late, exact=exact, limit=2000)
