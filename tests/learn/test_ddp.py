"""Learning by several processes is learning from all parts of a batch: beside gradients that are averaged by hand."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch

from plyground import games
from plyground.learn.alphazero import AlphaZero
from plyground.learn.base import chosen
from plyground.learn.selfplay.window import Batch
from plyground.nets.inference import half_is_faster
from plyground.spec import InputError

SMALL = {"blocks": 1, "channels": 4, "sims": 4, "quick_sims": 4, "parallel_games": 4, "batch": 16, "round": 60}
SMALL |= {"positions": 180, "threads": 2, "device": "cpu", "measure_every": 0}


def learner(**given: Any) -> AlphaZero:
    return AlphaZero(games.make("tictactoe"), "tictactoe", chosen(AlphaZero, SMALL | given), 3)


def taught(made: AlphaZero, batch: Batch, lr: float, halves: list[Any]) -> None:
    """A step of Adam by the mean of the gradients of two nets, each of which sees half of a batch."""
    parts = zip(*(tensor.tensor_split(2) for tensor in batch), strict=True)
    for net, part in zip(halves, parts, strict=True):
        net.load_state_dict(made.model.state_dict())
        net.train().zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half_is_faster("cpu")):
            losses = made.losses(made.options, net, Batch(*part))
        sum(losses.values()).backward()
    for weights, one, other in zip(*(net.parameters() for net in (made.model, *halves)), strict=True):
        weights.grad = (one.grad + other.grad) / 2
    for buffer, own in zip(made.model.buffers(), halves[0].buffers(), strict=True):
        buffer.copy_(own)  # running statistics are those of the first process
    for group in made.adam.param_groups:
        group["lr"] = lr
    made.adam.step()


def test_two_processes_learn_as_by_hand_and_go_on_from_a_checkpoint() -> None:
    made, hand = learner(learners=2), learner()
    made.advance()
    assert made.ranks is not None and made.ranks.first.number == 2
    hand.restore(made.arrays(), made.notes())
    halves = [deepcopy(hand.model) for _ in range(2)]
    with torch.no_grad():
        batch = hand.window.draw(16, 60, hand.rng)
    with torch.enable_grad():
        told = made.ranks.step(batch, 0.01)
        taught(hand, batch, 0.01, halves)
    assert set(told) == {"policy_loss", "value_loss"}
    for (name, one), other in zip(made.model.state_dict().items(), hand.model.state_dict().values(), strict=True):
        assert torch.allclose(one.float(), other.float(), atol=1e-5), name
    kept = made.arrays(), made.notes()
    made.advance()
    weights = made.arrays()
    made.close()
    again = learner(learners=2)
    again.restore(*kept)
    again.advance()
    assert all((weights[name] == array).all() for name, array in again.arrays().items())
    again.ranks._others[0].kill()
    again.ranks._others[0].join()
    with pytest.raises(InputError, match="one of the processes that learn has ended; --resume goes on"):
        again.advance()
    again.close()


def test_a_batch_that_cannot_be_shared_out_is_refused() -> None:
    with pytest.raises(InputError, match="a batch of 16 positions is not to be shared out among 3"):
        learner(learners=3)
