"""A small policy net inside a kernel: fully connected layers with ReLU between them.

    h_0 = the encoded state,   h_{l+1} = b_l + W_l max(h_l, 0),   logits = h_L

The net is a tuple of arrays, so that one compiled kernel serves nets of any width and depth.  A layer's weights
lie input by input: the inner loop runs along the outputs, which the compiler does four or eight at a time, and
every sum has one order, so that compiled, interpreted and NumPy's results are the same to the last bit.  Inputs
that are zero, half of them after ReLU, are passed over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..rules import inner

Layers = list[tuple[np.ndarray, np.ndarray]]  # W of shape (outputs, inputs) and b of every layer, as PyTorch has them


class MLP(NamedTuple):
    """A net with the room that one thread needs to run it."""

    weights: np.ndarray  # float32 [layer, input, output]; beyond the sizes lie zeros
    biases: np.ndarray  # float32 [layer, output]
    sizes: np.ndarray  # int64 [layers + 1]: inputs, then the outputs of every layer
    signed: bool  # is the input the first plane less the second, or every plane?
    planes: np.ndarray  # float32 [plane, row, column], to encode a state into
    values: np.ndarray  # float32 [layers + 1, output]: h_l


def ready(game: Any, layers: Layers, signed: bool) -> MLP:
    """The net of these layers, as many inputs as an encoded state has and as many outputs as there are actions."""
    sizes = [layers[0][0].shape[1], *(len(b) for _, b in layers)]
    widest = max(sizes)
    made = MLP(
        np.zeros((len(layers), widest, widest), np.float32),
        np.zeros((len(layers), widest), np.float32),
        np.array(sizes),
        signed,
        np.zeros(game.planes(), np.float32),
        np.zeros((len(sizes), widest), np.float32),
    )
    write(made, layers)
    return made


def write(net: MLP, layers: Layers) -> None:
    """Put other weights into a net of the same sizes."""
    for i, (w, b) in enumerate(layers):
        net.weights[i, : w.shape[1], : w.shape[0]] = w.T
        net.biases[i, : len(b)] = b


@inner
def encode(game, state, net):
    """Write the state into h_0."""
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
                net.values[0, i] = x - net.planes[1, row, column] if net.signed else x
                i += 1


@njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True)
def forward(net):
    """Carry h_0 through the layers; the logits are then in the last row of `values`.

    Not an ingredient: optimised by itself, its loops are vectorised (9-64-64-9 takes 0.7 us instead of 2.7).
    """
    for layer in range(net.sizes.size - 1):
        outputs = net.sizes[layer + 1]
        for j in range(outputs):
            net.values[layer + 1, j] = net.biases[layer, j]
        for i in range(net.sizes[layer]):
            x = net.values[layer, i]
            if x > 0 or (layer == 0 and x != 0):
                for j in range(outputs):
                    net.values[layer + 1, j] += x * net.weights[layer, i, j]
