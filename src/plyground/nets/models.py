"""The nets, as PyTorch modules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class MLP(nn.Module):
    """Layers that connect everything with everything, ReLU in between: sizes [9, 64, 64, 9] has two hidden ones.

    The weights are drawn from the seed (PyTorch's own way, uniform within 1 / sqrt(inputs)); no other random numbers
    are touched.  What comes out is raw: logits of a policy, or values.
    """

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        super().__init__()
        self.sizes = list(sizes)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, inputs: Tensor) -> Tensor:
        """float32[n, sizes[0]] to float32[n, sizes[-1]]."""
        for layer in self.layers[:-1]:
            inputs = torch.relu(layer(inputs))
        return self.layers[-1](inputs)
