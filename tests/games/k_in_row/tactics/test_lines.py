"""How a win by threats goes on: legal to the end, which is a row, and won at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive_threats import random_position
from test_fours import GOMOKU

from plyground import position, rules
from plyground.exact.solve import solver
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.tactics.tactician import Tactician

MNK = rules.adopt(MNK)
DEEP = 8


def played(game: Any, state: Any, line: list[int]) -> list[Any]:
    """The positions after every move of a line, each of which is legal; the last is won by who began."""
    me, states = int(game.player(state)), []
    for action in line:
        assert not game.over(state) and action in rules.legal(game, state)
        state = rules.after(game, state, action)
        states.append(state)
    assert game.over(state) and game.score(state) == 1 - 2 * me
    return states


def test_the_exact_solver_calls_every_step_of_a_line_won() -> None:
    game = MNK(5, 5, 4)
    tactician, rng, judge, lines = Tactician(game), np.random.default_rng(3), solver(game, rules.new(MNK(5, 5, 4))), 0
    while lines < 30:
        state = random_position(game, rng, int(rng.integers(2, 9)))
        tactician.set(state)
        win = tactician.win(int(game.player(state)), DEEP)
        if win is None or win.depth == 0:
            continue
        lines += 1
        line = tactician.line(state, win)
        assert line[0] == win.action
        for then in played(game, state, line)[:-1:2]:
            assert judge.solve(then, distances=False).value == -1


def test_no_answer_at_all_gets_out_of_a_line_on_a_large_board() -> None:
    tactician, rng, lines = Tactician(GOMOKU), np.random.default_rng(5), 0
    while lines < 6:
        state = random_position(GOMOKU, rng, int(rng.integers(6, 12)))
        me = int(GOMOKU.player(state))
        tactician.set(state)
        win = tactician.win(me, DEEP)
        if win is None or win.depth < 2:
            continue
        lines += 1
        depths = []
        line = tactician.line(state, win)
        for then in played(GOMOKU, state, line)[: 2 * win.depth - 1 : 2]:
            after = []
            for reply in rules.legal(GOMOKU, then):
                tactician.set(rules.after(GOMOKU, then, reply))
                found = tactician.win(me, DEEP)
                assert found, f"{GOMOKU.diagram(then)}: {GOMOKU.name(reply)}"
                after.append(found.depth)
            depths.append(max(after))
        assert depths == sorted(depths, reverse=True) and depths[0] < win.depth and depths[-1] == 0


@pytest.mark.parametrize("limit", [0, 5])
def test_a_line_ends_early_where_no_more_stones_are_allowed(limit: int) -> None:
    tactician, state = Tactician(GOMOKU), position.read(GOMOKU, "i7 i8 k6 h8 k8 h9 k7 k9 l7")
    tactician.set(state)
    win = tactician.win(1, DEEP)
    assert win and win.depth > 1
    whole = tactician.line(state, win)
    played(GOMOKU, state, whole)
    tactician.allow(limit)
    part = tactician.line(state, win)
    assert part[0] == win.action and part == whole[: len(part)] and len(part) < len(whole)
