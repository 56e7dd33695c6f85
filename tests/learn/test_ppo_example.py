"""The example that learns by PPO: its advantages beside the sum that defines them, and a run of seconds."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

import plyground as pg
from plyground import agents, games, rules

FILE = Path(__file__).parents[2] / "examples/learners/ppo.py"


@pytest.fixture(scope="module")
def ppo() -> Any:
    spec: Any = importlib.util.spec_from_file_location("ppo_example", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def naive_advantage(
    t: int, rewards: Any, values: Any, players: Any, ended: Any, discount: float, trace: float
) -> float:
    """The sum over what comes, (discount trace)^k delta(t + k), each delta with the sign of whoever played at t."""
    total, weight = 0.0, 1.0
    for k in range(t, len(rewards)):
        mine = 1 if players[k] == players[t] else -1
        later = 0.0 if ended[k] else values[k + 1] * (1 if players[k + 1] == players[k] else -1)
        total += weight * mine * (rewards[k] + discount * later - values[k])
        if ended[k]:
            break
        weight *= discount * trace
    return total


@pytest.mark.parametrize("turns", ["alternating", "any"])
def test_advantages_are_the_sums_that_define_them(ppo: Any, turns: str) -> None:
    torch.manual_seed(1)
    steps, boards = 9, 5
    rewards, values = torch.randn(steps, boards), torch.randn(steps + 1, boards)
    ended = torch.rand(steps, boards) < 0.25
    players = torch.randint(0, 2, (steps + 1, boards), dtype=torch.int8)
    if turns == "alternating":
        players[:] = torch.arange(steps + 1)[:, None] % 2
    found = ppo.gae(rewards, values, players, ended, 0.9, 0.8)
    for board in range(boards):
        columns = [part[:, board].tolist() for part in (rewards, values, players, ended)]
        for t in range(steps):
            assert found[t, board].item() == pytest.approx(naive_advantage(t, *columns, 0.9, 0.8), abs=1e-5)


def test_it_learns_for_a_moment_and_its_net_plays(ppo: Any, tmp_path: Path) -> None:
    options = {"boards": 32, "length": 8, "batch": 64, "rival": "random", "games": 4, "measures": 2}
    curve = ppo.train("tictactoe", steps=1024, out=tmp_path, channels=8, width=16, **options)
    assert [one["steps"] for one in curve] == [512, 1024] and json.loads((tmp_path / "curve.json").read_text()) == curve
    assert all(math.isfinite(number) for one in curve for number in one.values())
    assert (tmp_path / "curve.svg").stat().st_size > 1000
    further = ppo.train("tictactoe", 256, tmp_path / "further", start=str(tmp_path), channels=8, width=16, **options)
    assert further[:2] == curve and [one["steps"] for one in further[2:]] == [1280]
    policy, game = ppo.Policy(str(tmp_path / "net.pt")), games.make("tictactoe")
    states = [rules.new(game)]
    for action in (4, 0, 2):
        states.append(rules.after(game, states[-1], action))
    chosen = policy.think_in_each(game, states)
    assert all(action in rules.legal(game, state) for action, state in zip(chosen, states, strict=True))
    assert pg.match("tictactoe", policy, policy, games=2).records[0].actions[0] == chosen[0]
    agent = agents.make(f"{FILE}({str(tmp_path / 'net.pt')!r})")
    assert agent.think(game, states[0]).action == chosen[0]
    agent.close()


def test_a_little_practice_beats_random(ppo: Any, tmp_path: Path) -> None:
    options = {"boards": 256, "length": 8, "batch": 256, "rival": "random", "games": 25, "measures": 1}
    (end,) = ppo.train("tictactoe", steps=40_000, out=tmp_path, epochs=2, channels=16, width=32, **options)
    assert end["low"] > 0.6
