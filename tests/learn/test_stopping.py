"""A training that is to stop leaves its round midway, and ends later like one that was never stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from learn.toy import Toy
from plyground.learn.run import Run, lines
from plyground.learn.selfplay import elo, workers
from plyground.learn.train import begin, train

pytestmark = pytest.mark.usefixtures("measured_quickly", "unplayed")


class Asked:
    """Somebody who wants a training to stop when it has looked so often whether it is to."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


class Slow(Toy):
    """Walks in three steps a round, and can be left before each of them."""

    def advance(self) -> dict[str, float]:
        for _ in range(2):
            self.may_stop()
            self.bias += self.rng.normal(size=9).astype(np.float32)
        self.may_stop()
        return super().advance()

    def measure(self) -> dict[str, float]:
        self.may_stop()
        return {"mistakes": float(np.abs(self.bias).sum())}


def figures(folder: Path) -> list[dict[str, Any]]:
    return [{name: x for name, x in line.items() if name != "seconds"} for line in lines(folder / "metrics.jsonl")]


def must_be_alike(one: Path, other: Path) -> None:
    """Two runs that have ended: with the same state, the same net, and the same things told."""
    assert figures(one) == figures(other) and figures(one)
    games = [list(lines(folder / "games.jsonl")) for folder in (one, other)]
    assert games[0] == games[1]
    last = [Run.open(folder).latest() for folder in (one, other)]
    assert last[0] is not None and last[1] is not None and last[0][0] == last[1][0]
    assert last[0][1].keys() == last[1][1].keys()
    for name, array in last[0][1].items():
        np.testing.assert_array_equal(array, last[1][1][name], name)
    assert [last[0][2] | {"seconds": 0}] == [last[1][2] | {"seconds": 0}]
    weights = [load_file(folder / "net.safetensors") for folder in (one, other)]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])


# --- the loop -----------------------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.learn.train.learner_of", lambda name: Slow)
    monkeypatch.setattr("plyground.learn.train.TAKEN", 0)  # no round is too short


def started(folder: Path) -> Run:
    return begin(folder, "toy", "tictactoe", {"games": 8, "measure_every": 4, "checkpoint_every": 4}, seed=3)


@pytest.mark.usefixtures("slow")
def test_a_round_that_was_left_is_begun_again(tmp_path: Path) -> None:
    train(started(tmp_path / "whole"))
    left = set()
    for looks in range(0, 26, 2):
        folder = tmp_path / str(looks)
        made = train(started(folder), asked=Asked(looks))
        found = Run.open(folder).latest()
        assert (found[0] if found else 0) == made.done
        net, bias = load_file(folder / "net.safetensors"), found[1]["bias"] if found else 0
        assert (net["layers.0.bias"] == bias).all(), "the net is the one of the checkpoint"
        left.add((made.done, made.owed is not None))
        train(Run.open(folder))
        must_be_alike(tmp_path / "whole", folder)
    assert left == {(0, False), (2, False), (4, True), (4, False), (6, False), (8, True), (8, False)}


@pytest.mark.usefixtures("slow")
def test_one_call_after_another_whose_time_is_over_comes_to_the_end(tmp_path: Path) -> None:
    train(started(tmp_path / "whole"))
    parts, calls = started(tmp_path / "parts"), 1
    made = train(parts, enough=lambda: True)
    assert made.done == 2, "a round is finished if nothing of it could be kept"
    while made.done < made.steps or made.owed:
        made, calls = train(parts, enough=lambda: True), calls + 1
    must_be_alike(tmp_path / "whole", tmp_path / "parts")
    assert calls == 4 + 2, "a call for every round and for every measurement"


@pytest.mark.usefixtures("slow")
def test_figures_of_a_round_are_told_before_it_is_measured(tmp_path: Path) -> None:
    run, done = started(tmp_path), []

    def asked() -> bool:
        return bool(done) and done[-1].now == "measuring"

    made = train(run, lambda learner, figures: done.append(learner), asked=asked)
    assert (made.done, figures(tmp_path)[-1]["step"], "mistakes" in figures(tmp_path)[-1]) == (4, 4, False)
    train(run)
    assert [line["step"] for line in figures(tmp_path)] == [2, 4, 6, 8]
    assert [line["step"] for line in figures(tmp_path) if "mistakes" in line] == [4, 8]


# --- self-play ----------------------------------------------------------------------------------------

ZERO: dict[str, Any] = {"blocks": 1, "channels": 8, "sims": 8, "quick_sims": 4, "parallel_games": 8, "batch": 32}
ZERO |= {"round": 40, "positions": 120, "device": "cpu", "threads": 2, "considered": 4, "window": 100}
ZERO |= {"measure_every": 40, "average": 3}


@pytest.mark.parametrize("lag", [0, 1])
def test_self_play_goes_on_in_the_midst_of_a_round(lag: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ZERO | {"lag": lag}
    learner: list[Any] = []
    flag: list[bool] = []

    def watch(made: Any, figures: Any) -> None:
        learner[:] = [made]

    play_on, measure = workers.Group._play_on, elo.OlderSelf.measure
    begun = 0

    def until_stopped(group: workers.Group, number: int) -> None:
        """The fortieth step of all groups waits until they are told to stop."""
        nonlocal begun
        play_on(group, number)
        begun += number > 0
        if begun == 40 and number:
            flag.append(True)
            while not group.stopped:
                time.sleep(0.001)

    def then_stop(older: elo.OlderSelf, *args: Any) -> dict[str, float]:
        found = measure(older, *args)
        flag.append(True)
        return found

    def at_a_step() -> bool:
        return bool(learner[0].lesson) and learner[0].lesson.step == 3

    train(begin(tmp_path / "whole", "alphazero", "tictactoe", given, seed=1))
    for where in ("playing", "learning", "measuring"):
        folder = tmp_path / where
        flag.clear()
        with monkeypatch.context() as patched:
            if where == "playing":
                patched.setattr(workers.Group, "_play_on", until_stopped)
            if where == "measuring":
                patched.setattr(elo.OlderSelf, "measure", then_stop)
            asked = at_a_step if where == "learning" else lambda: bool(flag)
            made = train(begin(folder, "alphazero", "tictactoe", given, seed=1), watch, asked=asked)
        found = Run.open(folder).latest()
        assert made.done < made.steps and found is not None and found[0] == made.done
        assert ("lesson" in found[2], "owed" in found[2]) == (where == "learning", where == "measuring")
        assert where != "playing" or "group.0.nodes" in found[1]
        made = train(Run.open(folder), enough=lambda: True)  # once more, wherever that is
        train(Run.open(folder))
        must_be_alike(tmp_path / "whole", folder)


def test_a_round_whose_trees_are_too_large_to_be_kept_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "LARGEST", 1)
    given = ZERO | {"measure_every": 0}
    parts = begin(tmp_path / "parts", "alphazero", "tictactoe", given, seed=1)
    for done in (0, 0):
        made = train(parts, asked=lambda: True)
        found = parts.latest()
        assert made.done == done and found is not None and "group.0.nodes" not in found[1]
    train(parts, enough=lambda: True)
    found = parts.latest()
    assert found is not None and "lesson" in found[2]  # played to its end: else calls shorter than a round came to none
    train(begin(tmp_path / "whole", "alphazero", "tictactoe", given, seed=1))
    train(parts)
    must_be_alike(tmp_path / "whole", tmp_path / "parts")


# --- the others ---------------------------------------------------------------------------------------

WELL = 'tetris(6,12,"simplified")'
OTHERS: list[tuple[str, str, dict[str, Any], int]] = [
    ("dqn", "tictactoe", {"games": 100, "hidden": "8"}, 30),
    ("reinforce", "tictactoe", {"games": 6, "sims": 10, "together": 2, "width": 8}, 9),
    ("ppo", "tictactoe", {"moves": 512, "boards": 16, "length": 8, "batch": 64, "hidden": "16", "threads": 1}, 13),
    ("cross-entropy", WELL, {"generations": 2, "population": 6, "elite": 2, "games": 1, "limit": 50, "measured": 5}, 8),
    ("cma-es", WELL, {"generations": 2, "population": 6, "games": 1, "limit": 50, "measured": 5}, 8),
    ("a2c", WELL, {"hidden": "8", "environments": 4, "moves": 96, "rollout": 8, "limit": 10}, 13),
]


@pytest.mark.parametrize(("algorithm", "game", "given", "looks"), OTHERS)
def test_a_learner_that_was_left_midway_ends_like_one_that_was_not(
    algorithm: str, game: str, given: dict[str, Any], looks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plyground.learn.train.TAKEN", 0)
    given = given | {"measure_every": 0, "checkpoint_every": 1_000_000}
    whole = train(begin(tmp_path / "whole", algorithm, game, given, seed=1))
    parts = begin(tmp_path / "parts", algorithm, game, given, seed=1)
    for number in (2, looks):
        made = train(parts, asked=Asked(number))
        assert made.done < whole.done
    train(parts)
    must_be_alike(tmp_path / "whole", tmp_path / "parts")


def test_every_stage_of_alphago_may_be_left_midway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.learn.train.TAKEN", 0)
    given = {"teacher": "win-block", "teacher_games": 70, "blocks": 1, "channels": 4, "batch": 64, "epochs": 1}
    given |= {"fast_epochs": 1, "updates": 3, "update_games": 8, "pool_every": 1, "value_games": 400}
    given |= {"value_epochs": 1, "threads": 1, "measure_every": 0}
    whole = train(begin(tmp_path / "whole", "alphago", "tictactoe", given, seed=1))
    parts, left = begin(tmp_path / "parts", "alphago", "tictactoe", given, seed=1), []
    made = train(parts, asked=Asked(3))
    while made.done < whole.done or made.owed:
        left.append(made.plan[made.done] if made.done < whole.done else "measuring")
        at = made.done

        def asked(at: int = at, looks: Asked = Asked(1)) -> bool:
            return len(figures(tmp_path / "parts")) > at and looks()

        made = train(parts, asked=asked)
    must_be_alike(tmp_path / "whole", tmp_path / "parts")
    assert {"games", "sl", "rl", "value_games", "value"} <= set(left)
