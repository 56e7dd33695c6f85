"""The nets, as PyTorch modules."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .kinds import ATOMS

USUAL = 9  # the width of board around which pooled features are scaled
WINDOW = 4  # cells: the window of a `CNN`'s convolution is as high and as wide, or as the board where that is less
HEAD = 32  # channels of the heads


class MLP(nn.Module):
    """Layers that connect everything with everything, ReLU in between: sizes [9, 64, 64, 9] has two hidden ones.

    The weights are drawn from the seed (PyTorch's own way, uniform within 1 / sqrt(inputs)); no other random numbers
    are touched.  What comes out is raw: logits of a policy, or values.
    """

    kind = "mlp"

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

    def example(self) -> Tensor:
        """Something to put in."""
        return torch.zeros(1, self.sizes[0])


class ActionMLP(MLP):
    """The same, asked about one action after the other by its afterstate: what it is worth, or its logit."""

    kind = "afterstates"


def pooled(x: Tensor) -> Tensor:
    """What a whole board says, whatever its size: means, means scaled by the size, and maxima of every channel."""
    mean = x.mean((2, 3))
    return torch.cat([mean, mean * ((x.shape[2] * x.shape[3]) ** 0.5 - USUAL) / USUAL, x.amax((2, 3))], 1)


class Convolution(nn.Module):
    """A convolution that keeps the board's size, and batch normalisation, which `fuse` makes part of its weights."""

    def __init__(self, inputs: int, outputs: int, size: int = 3) -> None:
        super().__init__()
        self.weights = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
        self.norm: Any = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.weights(x))

    def fuse(self) -> None:
        self.weights = fuse_conv_bn_eval(self.weights, self.norm)
        self.norm = nn.Identity()


class Block(nn.Module):
    """Two convolutions whose sum is added to what came in; with `pools`, the second knows of the whole board."""

    def __init__(self, channels: int, pools: bool) -> None:
        super().__init__()
        self.first, self.second = Convolution(channels, channels), Convolution(channels, channels)
        self.whole = nn.Linear(3 * channels, channels) if pools else None

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.first(x))
        if self.whole is not None:
            y = torch.relu(y + self.whole(pooled(y))[:, :, None, None])
        return torch.relu(x + self.second(y))


def squashed(points: Tensor) -> Tensor:
    """Points of a game of one player, which may be any number, on a scale that nets can learn: the square root, but
    smooth at 0 (Pohlen and others, 2018)."""
    return points.sign() * ((points.abs() + 1).sqrt() - 1)


def unsquashed(values: Tensor) -> Tensor:
    """The inverse of `squashed`."""
    return values * (2 * torch.relu(values) - values + 2)  # v (|v| + 2), of what `onnx_graph` lets in


def value_of(outcome: Tensor) -> Tensor:
    """What logits [n, ...] of an outcome are worth [n]: win, draw and loss, or points, in full precision: they are
    large, and their differences small."""
    if outcome.shape[1] > 3:
        atoms = torch.linspace(-ATOMS, ATOMS, 2 * ATOMS + 1, device=outcome.device)
        return unsquashed(torch.softmax(outcome.float(), 1) @ atoms)
    chances = torch.softmax(outcome, 1)
    return (chances[:, :1] - chances[:, 2:]).squeeze(1)


class ResNet(nn.Module):
    """Residual blocks, every second with global pooling; a policy, and a value as win, draw or loss of who moves, or,
    where one plays, as chances of points.

    sizes: planes, height, width, actions, blocks, channels; where one plays, also the number of atoms, 2 * ATOMS + 1,
    which lie at -ATOMS to ATOMS on the scale of `squashed` (MuZero: Schrittwieser and others, 2020).  Where every cell
    is an action (`cells`), nothing depends on the size of the board, and one set of weights serves all sizes.
    """

    kind = "resnet"

    def __init__(self, sizes: Sequence[int], cells: bool, seed: int = 0) -> None:
        super().__init__()
        self.sizes, self.cells = list(sizes), cells
        planes, height, width, actions, blocks, channels, outcomes = *sizes, *[3][: 7 - len(sizes)]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.stem = Convolution(planes + 1, channels)
            self.blocks = nn.ModuleList(Block(channels, number % 2 == 1) for number in range(blocks))
            self.policy = Convolution(channels, HEAD if cells else 4, 1)
            self.logits = nn.Conv2d(HEAD, 1, 1) if cells else nn.Linear(4 * height * width, actions)
            self.value = Convolution(channels, HEAD, 1)
            self.hidden, self.outcome = nn.Linear(3 * HEAD, 64), nn.Linear(64, outcomes)
        for weights in (*self.logits.parameters(), *self.outcome.parameters()):  # no opinions before any training
            nn.init.zeros_(weights)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """float[n, planes, height, width] to logits[n, actions], and logits[n, 3] of win, draw and loss or
        logits[n, atoms] of points."""
        x = torch.relu(self.stem(torch.cat([planes, torch.ones_like(planes[:, :1])], 1)))  # ones: here is the board
        for block in self.blocks:
            x = block(x)
        logits = self.logits(torch.relu(self.policy(x)) if self.cells else torch.relu(self.policy(x)).flatten(1))
        outcome = self.outcome(torch.relu(self.hidden(pooled(torch.relu(self.value(x))))))
        return logits.flatten(1), outcome

    def example(self) -> Tensor:
        """Something to put in."""
        return torch.zeros(1, *self.sizes[:3])


class CNN(nn.Module):
    """One convolution whose windows lie within the board, then plain layers; a policy and a value, as of a `ResNet`.

    sizes: planes, height, width, actions, outcomes (3, or the number of atoms where one plays), channels, and the units
    of every plain layer.  It knows where on the board a window lies: what it has learnt of one corner says nothing of
    the others, and the board has one size.
    """

    kind = "cnn"

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        super().__init__()
        self.sizes = list(sizes)
        planes, height, width, actions, outcomes, channels, *hidden = sizes
        window = min(WINDOW, height), min(WINDOW, width)
        places = (height - window[0] + 1) * (width - window[1] + 1)
        widths = [channels * places, *hidden]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.windows = nn.Conv2d(planes, channels, window)
            self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
            self.logits, self.outcome = nn.Linear(widths[-1], actions), nn.Linear(widths[-1], outcomes)
            for layer in (self.windows, *self.layers, self.logits, self.outcome):
                nn.init.orthogonal_(layer.weight, 0.01 if layer in (self.logits, self.outcome) else 2**0.5)
                nn.init.zeros_(layer.bias)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """float[n, planes, height, width] to logits[n, actions], and logits[n, outcomes]."""
        x = torch.relu(self.windows(planes)).flatten(1)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.logits(x), self.outcome(x)

    def example(self) -> Tensor:
        """Something to put in."""
        return torch.zeros(1, *self.sizes[:3])


def grow(net: ResNet, small: ResNet) -> None:
    """Give `net` the opinions of a smaller one: at first both answer the same (Chen et al. 2016, Net2Net).

    Channels that are new begin with random weights, but none that was there before looks at them yet; blocks that are
    new add nothing yet.
    """
    channels, before = net.sizes[5], small.sizes[5]
    pool = (channels * torch.arange(3)[:, None] + torch.arange(before)).flatten()  # `pooled` has three parts
    newer = net.state_dict()
    with torch.no_grad():
        for name, weights in small.state_dict().items():
            if weights.ndim == 0:  # how many batches normalisation has seen
                newer[name].copy_(weights)
            elif weights.ndim == 1:
                newer[name][: len(weights)] = weights
            else:
                rows, columns = weights.shape[:2]
                newer[name][:rows] = 0
                newer[name][:rows, pool if name.endswith("whole.weight") else torch.arange(columns)] = weights
        for block in net.blocks[len(small.blocks) :]:
            nn.init.zeros_(block.second.norm.weight)  # type: ignore[arg-type, union-attr]


class InferenceNet(nn.Module):
    """A net for inference: the actions' logits and, last, the value for who moves, or the points to come.

    Its normalisation is fused, as is whatever else need not be computed for each question.
    """

    def __init__(self, net: ResNet | CNN) -> None:
        super().__init__()
        self.net = deepcopy(net).eval()
        for part in list(self.net.modules()):
            fuse: Any = getattr(part, "fuse", None)
            if fuse:
                fuse()
        self.requires_grad_(False)

    def forward(self, planes: Tensor) -> Tensor:
        """float[n, planes, height, width] to float[n, actions + 1]."""
        logits, outcome = self.net(planes)
        if outcome.shape[1] > 3:
            return torch.cat([logits.float(), value_of(outcome)[:, None]], 1)
        chances = torch.softmax(outcome, 1)
        return torch.cat([logits, chances[:, :1] - chances[:, 2:]], 1)
