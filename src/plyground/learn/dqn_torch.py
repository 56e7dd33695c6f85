"""The update of deep Q-learning in PyTorch, for batches so large that its matrices beat the kernel."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..nets.later import torch
from ..rules import kernel
from .dqn_kernel import Workspace
from .gradient import adam

LARGE = 128  # transitions from which on PyTorch is faster


def learn_at_once(
    workspace: Workspace,
    memory: np.ndarray,
    picked: np.ndarray,
    turns: np.ndarray,
    step: int,
    rate: float,
    masking: bool,
    double: bool,
) -> float:
    """What `dqn_kernel.learn` does, but for rounding.

    All that PyTorch multiplies is in memory that it took itself, whose place does not change how it rounds.
    """
    some, spots, sides = memory[picked], workspace.spots[turns], workspace.sides[turns]
    inputs, then = (torch.tensor(moved(some[name], spots)) for name in ("inputs", "then"))
    theta, target = torch.tensor(workspace.theta, requires_grad=True), torch.tensor(workspace.target)
    gain, factor = torch.tensor(some["gain"]), torch.tensor(some["factor"])
    with torch.no_grad():
        future = said(workspace, target, then)
        shown = said(workspace, theta, then) if double else future
        if masking:
            shown = shown.masked_fill(torch.tensor(moved(some["legal"], sides)) == 0, -torch.inf)
        best = future.gather(1, shown.argmax(1, keepdim=True))[:, 0]
        y = gain + torch.where(factor > 0, factor * best, 0)
    action = torch.tensor(np.take_along_axis(sides, some["action"][:, None].astype(np.int64), 1))
    loss = ((said(workspace, theta, inputs).gather(1, action)[:, 0] - y) ** 2).mean()
    loss.backward()
    assert theta.grad is not None
    adam_step(workspace.theta, theta.grad.numpy(), workspace.moments, step, rate)
    return loss.item()


def said(workspace: Workspace, theta: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    """What the net of these weights says."""
    at, last = 0, len(workspace.sizes) - 2
    for layer, (a, b) in enumerate(pairwise(workspace.sizes.tolist())):
        weight, bias = theta[at : at + a * b].view(a, b), theta[at + a * b : at + (a + 1) * b]
        inputs = torch.addmm(bias, inputs, weight)
        if layer < last:
            inputs = torch.relu(inputs)
        at += (a + 1) * b
    return inputs


def moved(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """values[n, i] at [n, places[n, i]]."""
    found = np.empty_like(values)
    np.put_along_axis(found, places, values, 1)
    return found


@kernel
def adam_step(theta, gradient, moments, step, rate):
    """`gradient.adam`, whose arguments are those of this kernel."""
    adam(theta, gradient, moments, step, rate)
