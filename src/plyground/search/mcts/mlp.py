"""A small net inside a kernel: fully connected layers with ReLU between them.

    h_0 = the encoded state,   h_{l+1} = b_l + W_l max(h_l, 0),   outputs = h_L

The weights of all layers stand in one vector, `theta`: for every layer the weights float32[inputs, outputs], then the
biases; so one compiled kernel serves nets of any width and depth.  The inner loop runs along the outputs, which the
compiler does four or eight at a time, and every sum has one order, so that compiled, interpreted and NumPy's results
are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...rules import inner, standalone

Layers = list[tuple[np.ndarray, np.ndarray]]  # W of shape (outputs, inputs) and b of every layer, as PyTorch has them


class MLP(NamedTuple):
    """A net with the room that one thread needs to run it."""

    sizes: np.ndarray  # int64 [layers + 1]: inputs, then the outputs of every layer
    theta: np.ndarray  # float32 [parameters]
    signals: np.ndarray  # float32 [layers + 1, widest]: max(h_l, 0), and the outputs
    awake: np.ndarray  # int32 [layers + 1, widest + 1]: see `forward`
    signed: bool  # is the input the first plane less the second, or every plane?
    planes: np.ndarray  # float32 [plane, row, column], to encode a state into


def ready(game: Any, layers: Layers, signed: bool) -> MLP:
    """The net of these layers, as many inputs as an encoded state has and as many outputs as there are actions."""
    sizes = [layers[0][0].shape[1], *(len(b) for _, b in layers)]
    return MLP(np.array(sizes), packed(layers), *scratch(sizes), signed, np.zeros(game.planes(), np.float32))


def write(net: MLP, layers: Layers) -> None:
    """Put other weights into a net of the same sizes."""
    net.theta[:] = packed(layers)


def packed(layers: Layers) -> np.ndarray:
    """The weights of all layers as one vector."""
    return np.concatenate([array for w, b in layers for array in (w.T.ravel(), b)]).astype(np.float32)


def scratch(sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """`signals` and `awake`, to run a net in."""
    return np.zeros((len(sizes), max(sizes)), np.float32), np.zeros((len(sizes), max(sizes) + 1), np.int32)


@inner
def encode(game, state, net):
    """Write the state into signals[0]."""
    depth, rows, columns = net.planes.shape
    for plane in range(depth):
        for row in range(rows):
            for column in range(columns):
                net.planes[plane, row, column] = 0
    game.encode(state, net.planes)
    i = 0
    for plane in range(1 if net.signed else depth):
        for row in range(rows):
            for column in range(columns):
                x = net.planes[plane, row, column]
                net.signals[0, i] = x - net.planes[1, row, column] if net.signed else x
                i += 1


@standalone
def forward(sizes, theta, signals, awake):
    """From the inputs in signals[0] make the signals of every layer; the outputs are in signals[-1].

    awake: how many units of a layer have anything to say, plus one, then which: the others, half of them after ReLU,
    cost no time, and there is no branch to guess wrongly.  Not inlined: optimised by itself, its loops are
    vectorised (9-64-64-9 takes 0.7 us instead of 2.7).
    """
    at = 0
    for layer in range(sizes.size - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        below, above, some = signals[layer], signals[layer + 1], awake[layer]
        count = 1
        for i in range(inputs):
            some[count] = i
            count += below[i] != 0
        some[0] = count
        bias = at + inputs * outputs
        for j in range(outputs):
            above[j] = theta[bias + j]
        for k in range(1, count):
            x, row = below[some[k]], at + some[k] * outputs
            for j in range(outputs):
                above[j] += x * theta[row + j]
        if layer < sizes.size - 2:
            for j in range(outputs):
                above[j] = max(above[j], np.float32(0))
        at = bias + outputs
