"""Wins by threes and fours: none is claimed that the exact solver denies, and puzzles by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive_threats import Naive, random_position, sides
from test_fours import GOMOKU, in_a_corner

from plyground import rules
from plyground.exact.solve import solver
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.tactics.tactician import Tactician

MNK = rules.adopt(MNK)
FOUR = MNK(5, 5, 4)
DEEP = 8


@pytest.fixture(scope="module")
def on_15() -> Tactician:
    return Tactician(GOMOKU)


def quiet(game: Any, tactician: Tactician, rng: np.random.Generator) -> Any:
    """A random position without a win by fours, in which fives were blocked; the tactician looks at it."""
    while True:
        state = rules.new(game)
        for _ in range(int(rng.integers(2, 12))):
            me = int(game.player(state))
            wins, blocks = (rules.winning(game, state, player) for player in (me, 1 - me))
            free = [action for action in blocks or rules.legal(game, state) if action not in wins]
            if free:
                game.play(state, int(rng.choice(free)))
        tactician.set(state)
        if tactician.win(int(game.player(state))) is None:
            return state


@pytest.mark.parametrize("game", [FOUR, MNK(5, 5, 4, True)], ids=str)
def test_every_win_that_is_claimed_is_one_by_the_exact_solver(game: Any) -> None:
    tactician, rng, claims = Tactician(game), np.random.default_rng(13), 0
    judge = solver(game, rules.new(game))
    for _ in range(100):
        state = quiet(game, tactician, rng)
        win = tactician.win(int(game.player(state)), DEEP)
        if win:
            claims += 1
            then = rules.after(game, state, win.action)
            assert judge.solve(then, distances=False).value == -1, game.diagram(state)
    assert claims > 8


def test_a_stone_elsewhere_may_become_a_four_by_the_answers_to_come() -> None:
    """O blocks with b3, and loses its attack to a stone that makes a four only when X has answered: it is a draw."""
    state = FOUR.read("...O./...../..XXX/..O.O/..X.. O")
    assert solver(FOUR, state).solve(state, distances=False).value == 0
    tactician = Tactician(FOUR)
    tactician.set(state)
    assert tactician.win(1, DEEP) is None


def test_what_is_won_at_one_depth_is_won_at_every_greater_one() -> None:
    tactician, rng, found = Tactician(FOUR), np.random.default_rng(6), []
    for _ in range(60):
        state = random_position(FOUR, rng, int(rng.integers(2, 12)), 0.3)
        tactician.set(state)
        player = int(FOUR.player(state))
        wins = [tactician.win(player, depth) for depth in range(5)]
        first = next((depth for depth, win in enumerate(wins) if win), 5)
        assert all(win is not None and win.depth == first for win in wins[first:])
        found.append(first)
    assert len(set(found)) > 3


def test_a_search_ends_near_its_limit_claims_no_more_and_takes_nothing_for_refuted() -> None:
    tactician, rng, cut = Tactician(FOUR), np.random.default_rng(8), 0
    for _ in range(40):
        state = quiet(FOUR, tactician, rng)
        player = int(FOUR.player(state))
        limited = []
        for limit in (0, 1, 5, 25, 125):
            limited.append(tactician.win(player, DEEP, limit))
            assert tactician.board.nodes < limit + 60
        won = tactician.win(player, DEEP) is not None
        fresh = Tactician(FOUR)
        fresh.set(state)
        assert won == (fresh.win(player, DEEP) is not None)
        assert won or not any(limited)
        cut += won and limited[0] is None and limited[-1] is not None
    assert cut > 2


# --- by hand ------------------------------------------------------------------------------------------

CROSS = ".........\n.........\n.........\n.....X...\n.....X...\n...XX....\n"  # two open threes with f10
WON = {
    "two threes": CROSS,
    "a three beside a closed three": ".......\n.OXXX..\n.......\n..XX...\n.....X.",
    "a two of the other": CROSS + "......O..\n......O..\n.........\n......X..",
}


@pytest.mark.parametrize("diagram", WON.values(), ids=WON.keys())
def test_wins_that_players_know(on_15: Tactician, diagram: str) -> None:
    """Whatever the other answers, on any cell of the board: the naive twin goes on to win by fours."""
    state = in_a_corner(diagram)
    on_15.set(state)
    assert on_15.win(0) is None
    win = on_15.win(0, 1)
    assert win and win.depth == 1
    twin, (own, foe) = Naive(*GOMOKU), sides(state, 0)
    own |= {win.action}
    assert all(twin.fours(own, foe | {reply}) for reply in range(225) if reply not in own | foe)


def test_a_three_of_the_other_that_becomes_a_four_stops_two_threes_for_a_while(on_15: Tactician) -> None:
    state = in_a_corner(CROSS + "......O..\n......O..\n......O..\n......X..")
    on_15.set(state)
    assert on_15.win(0, 2) is None
    won = on_15.win(0, 4)
    assert won and GOMOKU.name(won.action) == "f10" and won.depth == 3  # after g10, a four, g11 blocks and helps


def test_two_threes_come_too_late_if_the_other_wins_by_fours(on_15: Tactician) -> None:
    fours = "..........\n.XOOO.....\n.....O....\n.....O....\n.....O....\n.....X...."
    state = in_a_corner(CROSS + fours)
    on_15.set(state)
    assert on_15.win(1) is not None and on_15.win(0, DEEP) is None


def test_an_open_three_does_not_win_by_itself_nor_does_a_five_to_come_of_the_other(on_15: Tactician) -> None:
    on_15.set(in_a_corner(".......\n.......\n.......\n..XX...\n......."))
    assert on_15.win(0, 3) is None
    on_15.set(in_a_corner("OOOO.X.\n.......\n" + CROSS))
    assert on_15.win(0, 3) is None
