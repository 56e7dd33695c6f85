"""The learner actor-critic: its losses by hand, the leaf's value between net and roll-out, and that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import answer
from plyground import games
from plyground.learn.actor_critic import ActorCritic
from plyground.learn.base import chosen
from plyground.learn.selfplay.window import Batch
from plyground.nets.evaluate import together
from plyground.search.mcts.batched import BatchedPUCT
from plyground.search.mcts.settings import Settings
from plyground.search.tree import ROOT

TINY: dict[str, Any] = {
    "blocks": 1,
    "channels": 8,
    "sims": 8,
    "parallel_games": 8,
    "batch": 32,
    "round": 60,
    "positions": 180,
}
TINY |= {"device": "cpu", "threads": 1}


pytestmark = pytest.mark.usefixtures("measured_quickly", "nets_in_this_process")


@pytest.mark.parametrize("entropy", [0.0, 0.5])
def test_the_actor_ascends_the_advantage_and_the_critic_the_square(entropy: float) -> None:
    made = ActorCritic(games.make("tictactoe"), "tictactoe", chosen(ActorCritic, TINY | {"entropy": entropy}), 0)
    for layer in (made.model.logits, made.model.outcome):
        torch.nn.init.normal_(layer.weight)
    rng, n = np.random.default_rng(0), 5
    planes = rng.integers(0, 2, size=(n, 2, 3, 3)).astype(np.float32)
    score, actions = np.array([1, -1, 0, 1, -1], np.float32), np.array([0, 4, 8, 2, 2])
    rest = np.zeros((n, 9), np.float32), score, np.zeros(n, np.float32), np.ones(n, np.float32), actions
    batch = Batch(*(torch.from_numpy(array) for array in (planes, *rest)))
    net = made.model.eval()
    losses = made.losses(made.options, net, batch)
    logits, outcome = (out.detach().numpy().astype(float) for out in net(batch.planes))
    actor, critic = [], []
    for i in range(n):
        pi = np.exp(logits[i]) / np.exp(logits[i]).sum()
        win, _, loss = np.exp(outcome[i]) / np.exp(outcome[i]).sum()
        advantage = score[i] - (win - loss)
        actor.append(-np.log(pi[actions[i]]) * advantage + entropy * (pi * np.log(pi)).sum())
        critic.append(advantage**2)
    assert losses["policy_loss"].item() == pytest.approx(np.mean(actor), rel=1e-4)
    assert losses["value_loss"].item() == pytest.approx(np.mean(critic), rel=1e-4)
    losses["policy_loss"].backward()  # the advantage is no way around the critic
    assert net.outcome.weight.grad is None


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_leaf_is_worth_the_net_and_the_roll_out_by_lambda(share: float) -> None:
    """At most three moves before the end of a game that X wins however it is played: the roll-out always says 1."""
    game = games.make("tictactoe")
    state = game.read("XX./OXO/.O. X")

    def says_lost(planes: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros((len(planes), 9)), np.full((len(planes), 1), -0.5)], axis=1).astype(np.float32)

    batched = BatchedPUCT(game, says_lost, Settings(rollout=share, solve=False, rule="plain"), 1, 1)
    batched.search(together([state]))
    assert batched.nodes[0][ROOT].value == pytest.approx((1 - share) * -0.5 + share * 1.0)


def test_a_run_trains_and_its_net_plays(tmp_path: Path) -> None:
    words = [word for name, value in TINY.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    told = answer("train", "actor-critic", "tictactoe", "--out", str(tmp_path / "run"), *words)
    assert told["positions"] >= 180 and {"policy_loss", "value_loss", "mistakes", "elo"} <= told["figures"].keys()
    agent = f"alphazero('{tmp_path / 'run'}', sims=20)"
    played = answer("match", "tictactoe", agent, "random", "--games", "4", "--jobs", "1")
    assert played["games"] == 4
