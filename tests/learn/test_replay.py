"""The replay memory against a slow, obvious twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.learn.replay import Replay

FEATURES, ACTIONS, GAMMA = 3, 4, 0.5


def play(environments: int, steps: int, seed: int = 0) -> list[list[dict[str, Any]]]:
    """Steps of some environments: by step, then by environment."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(steps + 1, environments, FEATURES)).astype(np.float32)
    return [
        [
            {
                "seen": seen[t, i],
                "action": int(rng.integers(ACTIONS)),
                "reward": float(rng.integers(-3, 4)),
                "ended": bool(rng.random() < 0.3),
                "then": seen[t + 1, i],
                "legal": rng.random(ACTIONS) < 0.5,
            }
            for i in range(environments)
        ]
        for t in range(steps)
    ]


def add(replay: Replay, step: list[dict[str, Any]]) -> list[int]:
    columns = {name: np.array([one[name] for one in step]) for name in step[0]}
    columns["reward"] = columns["reward"].astype(np.float32)
    names = ("seen", "action", "reward", "ended", "then", "legal")
    return replay.add(*(columns[name] for name in names)).tolist()


def naive(steps: list[list[dict[str, Any]]], n: int) -> list[tuple]:
    """The transitions in the order in which they are complete, straight from the definition."""
    found = []
    for i in range(len(steps[0])):
        line = [step[i] for step in steps]
        for t, one in enumerate(line):
            gain, k = 0.0, 0
            while True:
                if t + k == len(line):
                    break  # not complete yet
                gain += GAMMA**k * line[t + k]["reward"]
                k += 1
                last = line[t + k - 1]
                if last["ended"] or k == n:
                    factor = 0.0 if last["ended"] else GAMMA**n
                    found.append(
                        (t + k - 1, i, t, one["seen"], one["action"], gain, factor, last["then"], last["legal"])
                    )
                    break
    return [transition[3:] for transition in sorted(found, key=lambda transition: transition[:3])]


def same(kept: Any, wanted: tuple) -> bool:
    seen, action, gain, factor, then, legal = wanted
    numbers = abs(kept["gain"] - gain) < 1e-5 and abs(kept["factor"] - factor) < 1e-6 and kept["action"] == action
    arrays = (kept["inputs"] == seen).all() and (kept["then"] == then).all() and (kept["legal"] == legal).all()
    return bool(numbers and arrays)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("environments", [1, 3])
def test_transitions_are_those_of_the_definition(n: int, environments: int) -> None:
    steps = play(environments, 40)
    replay = Replay(500, environments, FEATURES, ACTIONS, GAMMA, n)
    places = [place for step in steps for place in add(replay, step)]
    wanted = naive(steps, n)
    assert places == list(range(len(wanted))) and len(replay) == len(wanted) > 30
    assert all(same(replay.memory[i], one) for i, one in enumerate(wanted))


def test_a_full_memory_forgets_the_oldest() -> None:
    steps = play(2, 30)
    replay = Replay(7, 2, FEATURES, ACTIONS, GAMMA, 2)
    places = [place for step in steps for place in add(replay, step)]
    wanted = naive(steps, 2)
    assert len(replay) == 7 and replay.written == len(wanted) and max(places) == 6
    for number in range(len(wanted) - 7, len(wanted)):
        assert same(replay.memory[number % 7], wanted[number])


@pytest.mark.parametrize("capacity", [11, 1000])
def test_a_restored_memory_goes_on_like_the_other(capacity: int) -> None:
    steps = play(2, 40)
    one, other = (Replay(capacity, 2, FEATURES, ACTIONS, GAMMA, 3) for _ in range(2))
    for step in steps[:25]:
        add(one, step)
    other.restore({name: array.copy() for name, array in one.arrays().items()})
    for step in steps[25:]:
        assert add(one, step) == add(other, step)
    assert one.memory[: len(one)].tobytes() == other.memory[: len(other)].tobytes()
