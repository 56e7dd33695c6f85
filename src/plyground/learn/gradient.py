"""Learning in compiled code: the gradient of an MLP's loss, and Adam.

A training that learns from every single move makes tens of thousands of tiny updates, and PyTorch spends half a
millisecond on each, nearly all of it on the way to the arithmetic.  Here an update is one call.  `search.mlp` runs the
net and says how its weights, `theta`, lie; `nets.models.MLP` is the same net in PyTorch; `packed` and `unpacked` go
between the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..nets.later import models, torch
from ..rules import any_order, kernel
from ..search.mcts import mlp
from ..search.mcts.mlp import forward, scratch

BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # Adam's own (Kingma and Ba, 2015)
NOTHING = 1e-30  # smaller moments are 0: numbers near the end of what 32 bits can hold are calculated 20 times slower


@any_order
def backward(sizes, theta, signals, awake, errors, gradient):
    """Backpropagation: add to `gradient` that of a loss whose derivatives by the outputs stand in errors[-1].

    sizes int64[layers]; theta, gradient float32[parameters]; signals float32[layers, widest] and awake
    int32[layers, widest + 1]: what the forward pass left, activations and which units are not 0;
    errors float32[layers, widest]: derivatives of the loss by what each unit gets, before its ReLU
    """
    at = gradient.size
    for layer in range(sizes.size - 2, -1, -1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        below, above, some = signals[layer], errors[layer + 1], awake[layer]
        bias = at - outputs
        at = bias - inputs * outputs
        for j in range(outputs):
            gradient[bias + j] += above[j]
        for i in range(inputs):
            errors[layer, i] = 0  # a unit that sleeps passes nothing on
        only = 0
        while only < outputs - 1 and above[only] == 0:
            only += 1
        alone = True
        for j in range(only + 1, outputs):
            alone &= above[j] == 0
        if alone:  # of the outputs of a Q-net one errs
            for k in range(1, some[0]):
                spot = at + some[k] * outputs + only
                gradient[spot] += below[some[k]] * above[only]
                errors[layer, some[k]] = theta[spot] * above[only]
            continue
        for k in range(1, some[0]):
            x, row = below[some[k]], at + some[k] * outputs
            for j in range(outputs):
                gradient[row + j] += x * above[j]
            if layer > 0:
                total = np.float32(0)
                for j in range(outputs):
                    total += theta[row + j] * above[j]
                errors[layer, some[k]] = total


@any_order
def adam(theta, gradient, moments, step, rate):
    """One step of Adam; `gradient` is zero afterwards.

    theta, gradient float32[parameters]; moments float32[2, parameters]: running means of the gradient and of its
    square; step: counted from 1, for the correction of their bias; rate: the learning rate
    """
    first, second = moments[0], moments[1]
    keep1, keep2 = np.float32(BETA1), np.float32(BETA2)
    add1, add2, tiny = np.float32(1 - BETA1), np.float32(1 - BETA2), np.float32(TINY)
    nothing, none = np.float32(NOTHING), np.float32(0)
    size = np.float32(rate / (1 - math.pow(BETA1, step)))
    scale = np.float32(1 / math.sqrt(1 - math.pow(BETA2, step)))
    for i in range(theta.size):
        g = gradient[i]
        m = keep1 * first[i] + add1 * g
        v = keep2 * second[i] + add2 * g * g
        first[i] = m if abs(m) > nothing else none
        second[i] = v if v > nothing else none
        theta[i] -= size * m / (np.sqrt(v) * scale + tiny)
        gradient[i] = none


@kernel
def outputs_of(sizes, theta, inputs, signals, awake, outputs):
    """What the net says of inputs float32[n, features], into outputs float32[n, actions].

    sizes int64[layers]; theta float32[parameters]; signals float32[layers, widest], awake int32[layers, widest + 1]: to
    work in.
    """
    last = sizes.size - 1
    for n in range(inputs.shape[0]):
        for i in range(sizes[0]):
            signals[0, i] = inputs[n, i]
        forward(sizes, theta, signals, awake)
        for j in range(sizes[last]):
            outputs[n, j] = signals[last, j]


def parameters(sizes: Sequence[int]) -> int:
    """How many weights and biases there are."""
    return sum((a + 1) * b for a, b in pairwise(sizes))


def drawn(sizes: Sequence[int], seed: int) -> np.ndarray:
    """Weights to begin with, the way PyTorch draws them: uniform within 1 / sqrt(inputs)."""
    rng = np.random.default_rng([seed, 2])
    parts = [rng.uniform(-1, 1, (a + 1) * b) / math.sqrt(a) for a, b in pairwise(sizes)]
    return np.concatenate(parts).astype(np.float32)


def packed(net: models.MLP) -> np.ndarray:
    """The weights of a PyTorch net as one vector."""
    return mlp.packed(layers_of(net))


def layers_of(net: models.MLP) -> mlp.Layers:
    """The weights of a PyTorch net as they are now, layer by layer; they share its memory."""
    layers: list[Any] = list(net.layers)
    return [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers]


def unpacked(sizes: Sequence[int], theta: np.ndarray) -> models.MLP:
    """The PyTorch net of a vector of weights."""
    net, at = models.MLP(sizes), 0
    for layer, (a, b) in zip(net.layers, pairwise(sizes), strict=True):
        weight, bias = theta[at : at + a * b].reshape(a, b).T.copy(), theta[at + a * b : at + (a + 1) * b].copy()
        layer.weight.data, layer.bias.data = torch.from_numpy(weight), torch.from_numpy(bias)
        at += (a + 1) * b
    return net


class Evaluate:
    """The evaluator of a vector of weights, as they are now."""

    def __init__(self, sizes: Sequence[int], theta: np.ndarray) -> None:
        self.sizes, self.theta = np.array(sizes), theta
        self._workspace = scratch(sizes)

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        outputs = np.zeros((len(inputs), self.sizes[-1]), np.float32)
        outputs_of(self.sizes, self.theta, inputs, *self._workspace, outputs)
        return outputs
