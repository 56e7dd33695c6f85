"""The benchmark of AlphaZero's parts: what each entry changes, the clock that learning goes by, gates and matches."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from plyground import games
from plyground.arena.statistics import Tally
from plyground.bench import tricks
from plyground.learn.selfplay import elo
from plyground.learn.selfplay.learner import SelfPlayLearner
from plyground.nets.evaluate import together
from plyground.position import read
from plyground.search.mcts.settings import Settings

TINY = {
    "blocks": 1,
    "channels": 8,
    "sims": 8,
    "quick_sims": 4,
    "parallel_games": 8,
    "batch": 32,
    "round": 60,
    "window": 150,
}

pytestmark = pytest.mark.usefixtures("measured_quickly")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets that have learnt at once, on the CPU."""
    monkeypatch.setattr(tricks, "SMALL", ("tictactoe", TINY | {"considered": 4}))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_every_entry_changes_what_it_says_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("Timed", "Gated"):
        monkeypatch.setattr(tricks, kind, lambda game, name, options, seed: asdict(options))
    usual: Any = tricks.learner(tricks.DEFAULTS, 0, "cuda")
    assert (usual["sims"], usual["quick_sims"], usual["device"]) == (64, 16, "cuda")
    numbers = {
        "half the simulations": {"sims": 32, "quick_sims": 8},
        "twice the simulations": {"sims": 128, "quick_sims": 32},
    }
    for name, values in tricks.INSTEAD.items():
        made: Any = tricks.learner(name, 0, "cuda")
        changed = {option: value for option, value in made.items() if value != usual[option]}
        assert changed == numbers.get(name, values), name
        assert changed or name in (tricks.DEFAULTS, tricks.GATE)


@pytest.mark.parametrize("last", [0.05, 1.0])
def test_the_learning_rate_falls_with_the_time(monkeypatch: pytest.MonkeyPatch, last: float) -> None:
    """On a clock that goes on by a tenth of a second whenever it is looked at."""
    ticks = count()
    monkeypatch.setattr(tricks, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 10))
    name = next(name for name, values in tricks.INSTEAD.items() if values.get("last_lr", 0.05) == last)
    made, rates = tricks.learner(name, 0, "cpu", 1), []
    advance = made.advance
    monkeypatch.setattr(made, "advance", lambda: rates.append(advance()["lr"]))
    made.train(1.0)
    passed = [0.1, 0.2, 0.4, 0.6, 0.8, 1.0]  # the first round is a gift, and the clock begins anew
    assert rates == pytest.approx([0.003 * (last + (1 - last) * (1 + math.cos(math.pi * t)) / 2) for t in passed], 0.01)
    assert made.done >= 6 * TINY["round"]


def test_a_gate_keeps_playing_with_the_champion_until_a_newer_net_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tricks.learner(tricks.GATE, 0, "cpu", 1)
    weight, scores = made.model.logits.weight, iter([0.54, 0.55, 0.3])
    played, matches = [], []

    def value(net: Any) -> float:
        return float(net.logits.weight.detach().flatten()[0])

    def match(game: Any, newest: Any, before: Any, *rest: Any) -> tuple[float, int, int, int]:
        matches.append((value(newest), value(before)))
        return next(scores), 0, 0, 0

    monkeypatch.setattr(tricks, "score", match)
    monkeypatch.setattr(SelfPlayLearner, "_begin_round", lambda learner, net: played.append(value(net)))
    for number in range(4):
        with torch.no_grad():
            weight.fill_(number)
        made._begin_round(made.player)
        assert value(made.model) == number  # and goes on learning with the newest one
    assert played == [0, 0, 2, 2]
    assert matches == [(1, 0), (2, 0), (3, 2)]


def test_in_a_duel_either_net_moves_first_in_half_of_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where whoever moves first makes two in a row with the second stone, whatever the other one does."""
    game, begun = games.make("mnk(3,3,2)"), []

    def asked(name: str) -> Any:
        def judge(planes: np.ndarray) -> np.ndarray:
            if not planes.any():
                begun.append((name, len(planes)))
            return np.zeros((len(planes), 10), np.float32)

        return judge

    monkeypatch.setattr(elo, "SIMS", 32)  # enough to try every move
    first, second = elo.duel(game, asked("one"), asked("other"), Settings(), 8, 0)
    assert (first, second) == (Tally(4, 0, 0), Tally(0, 0, 4))
    assert begun[:2] == [("one", 4), ("other", 4)]


def test_balanced_openings_are_those_that_the_net_says_little_about() -> None:
    game = games.make("tictactoe")

    def value(planes: np.ndarray) -> np.ndarray:
        answers = np.zeros((len(planes), 10), np.float32)
        answers[:, -1] = np.where(planes[:, :, 1, 1].any(1), -0.2, 0.8)
        return answers

    openings = elo.balanced(game, value, 6, 3, 0.3, 0)
    boards = [list(game.cells(state)) for state in openings]
    assert len(boards) == 6 and all(board[4] and 1 <= sum(map(bool, board)) <= 3 for board in boards)
    assert len({tuple(board) for board in boards}) > 3
    none = elo.balanced(game, lambda planes: value(planes) * 0 + 0.9, 4, 3, 0.3, 0)
    assert len(none) == 4  # the best that there are


def test_a_duel_may_begin_with_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where whoever moves makes a row of two: after one stone that is the second player."""
    game = games.make("mnk(3,3,2)")

    def judge(planes: np.ndarray) -> np.ndarray:
        return np.zeros((len(planes), 10), np.float32)

    stones = together([read(game, text) for text in ("a1 c3 a3", "b2 a1", "b2 a1", "a3 c1 c3")])
    monkeypatch.setattr(elo, "SIMS", 32)
    first, second = elo.duel(game, judge, judge, Settings(), 8, 0, stones)
    assert (first, second) == (Tally(2, 0, 2), Tally(2, 0, 2))


def test_a_score_counts_draws_as_half_in_both_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tricks.learner(tricks.DEFAULTS, 0, "cpu", 1)
    monkeypatch.setattr(tricks, "duel", lambda *all: (Tally(3, 2, 1), Tally(1, 5, 0)))
    found = tricks.score(made.game, made.model, made.model, "cpu", Settings(), 12, 1)
    assert found == ((4 + 3.5) / 12, 4, 7, 1)


def test_every_net_but_the_first_meets_that_of_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: tricks.INSTEAD[name] for name in (tricks.DEFAULTS, "full searches only", tricks.GATE)}
    for name, value in {"INSTEAD": few, "SEEDS": (3,), "GAMES": 4, "GATE_GAMES": 4, "SEARCHED": 2}.items():
        monkeypatch.setattr(tricks, name, value)
    rows: Any = tricks.tricks(0.05)
    assert [row["instead of the defaults"] for row in rows] == list(few)
    assert all(0 < row["mistakes_alone"] < 1 and 0 < row["mistakes_searched"] < 1 for row in rows)
    assert all(row["positions"] >= 2 * TINY["round"] and row["seed"] == 3 for row in rows)
    assert [row["won"] + row["drawn"] + row["lost"] for row in rows[1:]] == [4, 4] and "score" not in rows[0]
