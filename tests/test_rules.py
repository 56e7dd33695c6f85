"""Classes of rules are made ready for use."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest

from plyground import rules


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
