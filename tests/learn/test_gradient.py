"""The compiled MLP is the one of PyTorch: outputs, gradients, and steps of Adam."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from plyground.learn import gradient
from plyground.learn.gradient import Evaluate
from plyground.nets.models import MLP

SIZES = [[4, 5], [9, 16, 9], [6, 8, 7, 3]]


def some_inputs(features: int, n: int = 6) -> np.ndarray:
    return np.random.default_rng(1).integers(-1, 2, (n, features)).astype(np.float32)


@pytest.mark.parametrize("sizes", SIZES)
def test_weights_go_to_pytorch_and_back(sizes: list[int]) -> None:
    net = MLP(sizes, seed=4)
    theta = gradient.packed(net)
    assert theta.shape == (gradient.parameters(sizes),)
    again = gradient.unpacked(sizes, theta)
    for one, other in zip(net.parameters(), again.parameters(), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("sizes", SIZES)
def test_outputs_are_those_of_pytorch(sizes: list[int]) -> None:
    net, inputs = MLP(sizes, seed=2), some_inputs(sizes[0])
    found = Evaluate(sizes, gradient.packed(net))(inputs)
    np.testing.assert_allclose(found, net(torch.from_numpy(inputs)).detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("errs", ["one", "all", "none"])
def test_the_gradient_is_that_of_autograd(sizes: list[int], errs: str) -> None:
    """Interpreted: the parts of kernels have no door to Python."""
    net, inputs = MLP(sizes, seed=3), some_inputs(sizes[0])
    theta = gradient.packed(net)
    total = np.zeros_like(theta)
    wanted = torch.zeros(())
    signals, awake = gradient.scratch(sizes)
    errors = np.zeros_like(signals)
    rng = np.random.default_rng(0)
    for row in inputs:
        weights = rng.normal(size=sizes[-1]).astype(np.float32)
        if errs != "all":
            weights[np.arange(sizes[-1]) != 1] = 0
        if errs == "none":
            weights[:] = 0
        signals[0, : sizes[0]] = row
        gradient.forward.py_func(np.array(sizes), theta, signals, awake)
        errors[-1, : sizes[-1]] = weights
        gradient.backward.py_func(np.array(sizes), theta, signals, awake, errors, total)
        wanted = wanted + (net(torch.from_numpy(row)) * torch.from_numpy(weights)).sum()
    wanted.backward()
    parts = [(layer.weight.grad.numpy().T.ravel(), layer.bias.grad.numpy()) for layer in net.layers]
    np.testing.assert_allclose(total, np.concatenate([part for both in parts for part in both]), atol=1e-5)


def test_steps_of_adam_are_those_of_pytorch() -> None:
    rng = np.random.default_rng(5)
    theta = rng.normal(size=40).astype(np.float32)
    weights = torch.nn.Parameter(torch.from_numpy(theta.copy()))
    by_torch = torch.optim.Adam([weights], lr=0.01)
    moments = np.zeros((2, 40), np.float32)
    for step in range(1, 60):
        g = (rng.normal(size=40) * (rng.random(40) < 0.5)).astype(np.float32)  # half of them have nothing to say
        weights.grad = torch.from_numpy(g.copy())
        by_torch.step()
        gradient.adam.py_func(theta, g, moments, step, 0.01)
        assert not g.any()
    np.testing.assert_allclose(theta, weights.detach().numpy(), atol=1e-5)


def test_moments_do_not_linger_among_the_smallest_numbers() -> None:
    theta, nothing, moments = np.ones(3, np.float32), np.zeros(3, np.float32), np.full((2, 3), 1e-28, np.float32)
    for step in range(1, 300):
        gradient.adam.py_func(theta, nothing, moments, step, 0.001)
    assert not moments[0].any() and (np.abs(moments[1][moments[1] != 0]) > 1e-37).all()


def test_drawn_weights_are_uniform_within_one_over_the_root_of_the_inputs() -> None:
    theta = gradient.drawn([100, 50, 10], seed=1)
    first, second = theta[: 101 * 50], theta[101 * 50 :]
    assert 0.099 < np.abs(first).max() <= 0.1 and abs(first.mean()) < 0.003
    assert 0.13 < np.abs(second).max() <= 1 / np.sqrt(50) and (gradient.drawn([100, 50, 10], seed=1) == theta).all()
