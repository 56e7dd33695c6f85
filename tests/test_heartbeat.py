"""Work that comes further says so, as long as it does and no longer."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from plyground import games, heartbeat
from plyground.agents.base import Agent, Limit, Thought
from plyground.arena.playing import play_game
from plyground.rules import legal
from plyground.search.budget import Budget


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Of the heartbeat, and it stands still unless it is moved on: clock[0] is its time."""
    now = [100.0]
    monkeypatch.setattr(heartbeat, "time", type("time", (), {"monotonic": lambda: now[0]}))
    return now


def test_silence_is_that_of_work_of_which_a_beat_is_expected(clock: list[float]) -> None:
    clock[0] += 1_000
    assert heartbeat.silence() == 0
    with heartbeat.expected():
        clock[0] += 30
        assert heartbeat.silence() == 30
        heartbeat.beat()
        assert heartbeat.silence() == 0
        with pytest.raises(ZeroDivisionError), heartbeat.expected():
            clock[0] += 7
            raise ZeroDivisionError
        clock[0] += 5
        assert heartbeat.silence() == 5, "the end of a part of it is a beat, too"
    clock[0] += 1_000
    assert heartbeat.silence() == 0


def test_a_move_is_a_beat(clock: list[float]) -> None:
    """The first legal move, after seven seconds each."""
    silent: list[float] = []

    class Slow(Agent):
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            clock[0] += 7
            silent.append(heartbeat.silence())
            return Thought(legal(game, state)[0])

    play_game(games.make("tictactoe"), (Slow(), Slow()), np.random.default_rng(0), [])
    assert silent == [7.0] * 7  # the third column is the first that is full
    silent.clear()
    Slow().play_alone(games.make("tetris(6,12)"), 0, 5)
    assert silent == [7.0] * 5


def test_a_slice_of_a_search_is_a_beat(clock: list[float]) -> None:
    with heartbeat.expected():
        clock[0] += 7
        assert Budget(10).slice(0) and heartbeat.silence() == 7
        assert Budget(10).slice(5) and heartbeat.silence() == 0


@pytest.mark.parametrize(("more", "told"), [(1, [1, 1, 1]), (0, [1, 1, 2])])
def test_a_search_that_runs_beside_beats_while_it_looks_at_more_nodes(
    more: int, told: list[float], clock: list[float]
) -> None:
    """It is asked each second how many there are."""
    nodes, silent, halted = 0, list[float](), threading.Event()

    def looked_at() -> int:
        nonlocal nodes
        nodes += more
        clock[0] += 1
        silent.append(heartbeat.silence())
        return nodes

    with heartbeat.expected():
        Budget(stop=lambda: len(silent) == 3).run(halted.wait, halted.set, looked_at)
    assert silent == told
