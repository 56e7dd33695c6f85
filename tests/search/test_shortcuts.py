"""Alpha-beta's shortcuts: who has no hope, what threats force, which moves go first; and the line of best play."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest

import naive_depth_first as naive
from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.search.depth_first.stack import DEEPEST, PROVEN, WIN

PLAIN = {"threats": False, "memory": 0, "mirrors": False, "order": False}
ALL = {"memory": 0.05, "hopes": True}
BOARD = games.make("mnk(4,3,3)")  # boards of one size share their kernels

# --- hope ---------------------------------------------------------------------------------------------

HOPEFUL = [BOARD, *(MNK(4, 3, k, exact) for k, exact in ((3, True), (2, True), (4, False), (2, False), (1, False)))]
HOPEFUL += [MNK(4, 3, 4, True), games.make("connect-four(4,4,3)"), games.make("connect-four(4,4,4)")]


@pytest.mark.parametrize("game", HOPEFUL, ids=str)
def test_windows_on_one_question_agree_with_minimax(game):
    rng = random.Random(13)
    full, search = naive.for_game(game, full=True), naive.for_game(game, **ALL)
    for state in naive.positions(game, rng, 30, low=5 if game.k > 2 else 0):
        full.start(state)
        search.start(state)
        for action in rules.legal(game, state):
            value = full.search_action(action, DEEPEST, -math.inf, math.inf).value
            assert (search.search_action(action, DEEPEST, 0, 1).value > 0) == (value > 0)
            assert (search.search_action(action, DEEPEST, -1, 0).value < 0) == (value < 0)
            assert search.search_action(action, DEEPEST, -math.inf, math.inf).value == value


SMALL = [MNK(3, 3, 3), MNK(3, 3, 2, True), MNK(3, 3, 1), MNK(4, 2, 3), MNK(2, 4, 3), MNK(4, 2, 4), MNK(5, 1, 2, True)]
SMALL += [
    MNK(8, 1, 3),
    MNK(1, 8, 3, True),
    *(games.make(f"connect-four{size}") for size in ("(3,3,3)", "(4,2,3)", "(2,4,2)")),
]


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_no_hope_is_said_only_of_a_player_who_cannot_win(game):
    known = naive.solved(game, rules.new(game))
    none = 0
    for key, (result, _) in known.items():
        state = np.frombuffer(key, rules.dtype(game)).view(np.recarray)[0]
        if not game.over(state):
            for player, wanted in ((0, 1), (1, -1)):
                if not game.hope(state, player):
                    assert result != wanted
                    none += 1
    assert none or game.k <= 2


# --- threats and order --------------------------------------------------------------------------------


def test_moves_are_looked_at_in_the_order_of_their_promise():
    """The last first.  O lets X win with its last action but one, and what X tries before that is all that is tried."""
    state = BOARD.read("O.../..../XX.. O")
    for order, nodes in ((True, 1 + 2), (False, 1 + 7)):
        search = naive.for_game(BOARD, **PLAIN | {"order": order})
        search.start(state)
        found = search.search_action(3, 2, -1000, -900)
        assert (found.value, found.nodes) == (2 - WIN, nodes)
    few = naive.for_game(BOARD, **PLAIN | {"order": True}).search(rules.new(BOARD), 4).nodes
    assert few < naive.for_game(BOARD, full=True).search(rules.new(BOARD), 4).nodes / 5


def test_threats_see_a_double_threat_beyond_the_depth_but_call_it_exact_only_when_all_is_seen():
    state = BOARD.read("X.../..O./.... X")
    full = naive.for_game(BOARD, full=True).search(state, 8).best.value
    search = naive.for_game(BOARD, **PLAIN | {"threats": True})
    seen = [search.search(state, depth).best for depth in range(1, 8)]
    assert full >= PROVEN and seen[-1].value == full and seen[-1].exact
    assert next(i for i, best in enumerate(seen) if best.value >= PROVEN) < WIN - full - 1
    assert all(best.value <= full for best in seen if best.value >= PROVEN)
    assert [best.exact for best in seen] == [best.value == full and i + 1 >= WIN - full for i, best in enumerate(seen)]


def test_a_line_of_play_is_that_of_best_play():
    search, full = naive.for_game(BOARD, **ALL), naive.for_game(BOARD, full=True)
    for state in naive.positions(BOARD, random.Random(14), 40, low=4):
        best = search.search(state).best
        line = search.line(state, best.action, 20)
        states = [state]
        for action in line:
            states.append(rules.after(BOARD, states[-1], action))
        if abs(best.value) >= PROVEN:
            assert len(line) == WIN - abs(best.value)
            assert BOARD.over(states[-1])
        worth = [full.search(one).best.value for one in states if not BOARD.over(one)]
        assert all(
            math.copysign(abs(a) >= PROVEN, a) == math.copysign(abs(b) >= PROVEN, -b) or a == b == 0
            for a, b in pairwise(worth)
        )
