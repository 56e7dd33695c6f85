"""Classes of rules are made ready for use."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest

from plyground import rules
from plyground.api.given import game_of
from plyground.check import check
from plyground.spec import InputError


class Race(NamedTuple):
    """Who takes the last of three stones wins."""

    def fields(game):
        return [("left", np.int8), ("turn", np.int8)]

    def actions(game):
        return 1

    def start(game, state):
        state.left = 3

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        out[0] = 0
        return 1

    def play(game, state, action):
        state.left -= 1
        state.turn = 1 - state.turn

    def over(game, state):
        return state.left == 0

    def score(game, state):
        return 1.0 if state.turn == 1 else -1.0


class ToFour(NamedTuple):
    """Add one or two; who comes to four wins.  The fields `turn` and `winner` tell who moves and who has won."""

    def fields(game):
        return [("total", np.int8), ("turn", np.int8), ("winner", np.int8)]

    def actions(game):
        return 2

    def legal(game, state, out):
        out[0], out[1] = 0, 1
        return 2 if state.total < 3 else 1

    def play(game, state, action):
        state.total += action + 1
        if state.total == 4:
            state.winner = state.turn + 1
        state.turn = 1 - state.turn


class Untold(ToFour):
    """Nothing tells who moves."""

    def fields(game):
        return [("total", np.int8), ("winner", np.int8)]


def test_fields_called_turn_and_winner_answer_who_moves_and_who_has_won() -> None:
    game = game_of(ToFour)
    assert not rules.gives(game, "player") and {law for law, breach in check(game) if breach} == set()
    state = rules.new(game)
    for mover in (0, 1):
        assert game.player(state) == mover and not game.over(state)
        game.play(state, 1)
    assert game.over(state) and game.score(state) == -1


def test_a_rule_that_no_field_answers_is_lacking() -> None:
    with pytest.raises(InputError, match="Untold lacks the rule player: write it, or give its states a field `turn`"):
        game_of(Untold)


def test_threads_that_make_one_game_at_once_find_it_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    methods, inside, met = rules.user_classes.methods, threading.Semaphore(1), list[bool]()

    def slowly(cls: type) -> dict[str, Any]:
        met.append(alone := inside.acquire(blocking=False))
        time.sleep(0.05)  # long enough for another thread to come in
        if alone:
            inside.release()
        return methods(cls)

    monkeypatch.setattr(rules.user_classes, "methods", slowly)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(rules.adopt, [Race] * 4))
    assert made == [Race] * 4 and met and all(met)
    assert not rules.gives(Race(), "chance") and rules.gives(Race(), "start", "legal", "score")


class Bare(NamedTuple):
    """Two heaps, of which one token is taken in turn: who takes the last one of a heap wins; its texts tell all."""

    def fields(game):
        return [("heaps", np.int8, (2,)), ("turn", np.int8), ("winner", np.int8)]

    def actions(game):
        return 2

    def start(game, state):
        state.heaps[0], state.heaps[1] = 3, 2

    def legal(game, state, out):
        out[0], out[1] = 0, 1
        return 2

    def play(game, state, action):
        state.heaps[action] -= 1
        if state.heaps[action] == 0:
            state.winner = 3 if action == 1 else 1 + state.turn
        state.turn = 1 - state.turn

    def planes(game):
        return (1, 1, 2)

    def encode(game, state, planes):
        planes[0, 0, 0] = state.heaps[0]
        planes[0, 0, 1] = state.heaps[1]

    def glyphs(game, state):
        return ["XO"[state.turn] + str(state.heaps[0]), "#" if state.heaps[1] > 1 else " " if state.heaps[1] else ""]


def test_texts_on_cells_tell_what_lies_there_and_planes_how_many_cells_there_are() -> None:
    game = rules.adopt(Bare)()
    state = rules.new(game)
    assert game.board() == {"shape": "cells", "rows": 1, "cols": 2} and game.cells(state) == [1, 3]
    game.play(state, 1)
    assert game.cells(state) == [2, -1] and game.text(state) == " 0 O3   "
    game.play(state, 1)
    assert game.cells(state) == [1, 0]
