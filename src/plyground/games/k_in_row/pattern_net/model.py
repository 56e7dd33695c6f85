"""The pattern net in PyTorch, to be trained; `kernel.py` runs the same in integers, incrementally.

For a board seen by the player to move, with x clipped to [0, 4] written [x]:

    f[cell]   = bias + sum over its four lines of table[pattern of the line]      `features` numbers
    u[cell]   = [W1 [f[cell]] + b1]                                               `channels` numbers
    m[cell]   = [b2 + sum over the star of the cell of w2[distance] * u[other]]   each channel by itself
    value     = a small net of the means of m over each ninth of the board and over all of it, and of its maxima
    logit     = q . m[cell], where q depends on the value's last hidden layer

A stone changes the patterns on its four lines alone, so that f, u and m are kept up and not computed anew.  The table
is not learnt entry by entry: a small net over the cells of a pattern makes it (`Mapping`), so that rare patterns learn
from common ones; it is expanded when the net is loaded.  A pattern and its mirror image have the same entry, all four
lines have the same table, and everything after it is symmetric, too: mirror images of a position get the same
judgement.

The idea is that of NNUE (Nasu 2018) for lines of stones; the strongest Gomoku programs of today have such nets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag, leaky_relu, linear, relu

from .lines import DIRECTIONS, MINE, THEIRS, WALL, all_patterns, lines_of, stars, starts, thirds

CLIP = 4.0  # the largest feature
SPAN = 4  # how far a star goes
WIDTH = 128  # of the net that makes the table
HIDDEN, LAST = 64, 32  # layers of the value
SLOPE = 0.1  # of the leaky ReLU there, below 0
PARTS = (0, 1, 0, 1, 2, 1, 0, 1, 0)  # the ninths of a board: a corner, a side, the middle
SCALE = 8.0  # of the means over parts of the board, which are small
HEAVIEST, HEAVIEST_OF_STAR = 0.99, 1.9  # the largest weights whose sums the kernel's integers can hold


def clipped(x: Tensor) -> Tensor:
    return torch.clamp(x, 0, CLIP)


def within(weights: Tensor, bound: float = HEAVIEST) -> Tensor:
    """Weights as the kernel's integers can hold them."""
    return torch.clamp(weights, -bound, bound)


class Mapping(nn.Module):
    """Makes the vector of a line pattern from its cells; entries are within CLIP."""

    def __init__(self, reach: int, features: int) -> None:
        super().__init__()
        self.reach = reach
        self.layers = nn.ModuleList(nn.Linear(inputs, WIDTH) for inputs in (3 * (2 * reach + 1), WIDTH, WIDTH))
        self.last = nn.Linear(WIDTH, features)
        nn.init.normal_(self.last.weight, 0, 0.012)  # sums of small entries at first, that no clipping silences
        nn.init.zeros_(self.last.bias)

    def forward(self, cells: Tensor) -> Tensor:
        """Of one-hot cells [n, 3 * (2 * reach + 1)]; it is still to be added to that of the mirror image."""
        hidden = relu(self.layers[0](cells))
        for layer in self.layers[1:]:
            hidden = hidden + relu(layer(hidden))
        return self.last(hidden)


class Geometry(NamedTuple):
    """What a board's size says, as tensors."""

    empty: Tensor  # int32[4, rows, columns], the patterns of an empty board
    divisor: Tensor  # int32[4, rows, columns], 3 ** (cells missing before)
    star: Tensor  # float32[weights, cells * cells], 1 where one cell has this weight for another
    parts: Tensor  # float32[cells, 9], means over the ninths


class PatternNet(nn.Module):
    """sizes: planes, height, width, actions, reach of the patterns, features of the table, channels after it."""

    kind = "patterns"
    cells = True

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        super().__init__()
        self.sizes = list(sizes)
        self.reach, features, channels = sizes[4:]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.mapping = Mapping(self.reach, features)
            self.bias = nn.Parameter(torch.zeros(features))
            self.point = nn.Linear(features, channels)
            self.star = nn.Parameter(0.05 * torch.randn(channels, 2 * SPAN + 1))
            self.star_bias = nn.Parameter(torch.full((channels,), 0.1))
            self.parts = nn.ModuleList(nn.Linear(channels, HIDDEN) for _ in range(3))
            self.whole = nn.Linear(2 * channels, HIDDEN)
            self.hidden = nn.Linear(2 * HIDDEN, LAST)
            self.outcome = nn.Linear(LAST, 3)
            self.policy = nn.Linear(LAST, channels)
        nn.init.ones_(self.star.data[:, 0])
        nn.init.zeros_(self.outcome.weight)  # no opinions before any training
        nn.init.zeros_(self.outcome.bias)
        nn.init.zeros_(self.policy.weight)
        nn.init.normal_(self.policy.bias, 0, 0.05)
        self.fixed: Tensor | None = None  # the table, where it changes no more
        self._known: dict[Any, Any] = {}

    def table(self, patterns: Tensor | None = None) -> Tensor:
        """The vectors of these patterns, or of all."""
        cells, mirrored = self._patterns()
        cells = cells.to(self.bias.dtype)
        if patterns is None:
            made = self.mapping(cells)
            made = made + made[mirrored]
        else:
            made = self.mapping(torch.cat([cells[patterns], cells[mirrored[patterns]]]))
            made = made[: len(patterns)] + made[len(patterns) :]
        return torch.clamp(made, -CLIP, CLIP)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """float[n, 2, height, width] to logits[n, actions] and logits[n, 3] of win, draw and loss."""
        geometry = self._geometry(planes.shape[2], planes.shape[3])
        number, cells = len(planes), planes.shape[2] * planes.shape[3]
        patterns = self.patterns_of(planes, geometry)
        sums = self._sums(patterns.reshape(-1, len(DIRECTIONS)))
        seen = linear(clipped(sums + within(self.bias, CLIP)), within(self.point.weight), within(self.point.bias, CLIP))
        seen = clipped(seen).view(number, cells, -1)
        weights = (within(self.star, HEAVIEST_OF_STAR) @ geometry.star.to(self.star.dtype)).view(-1, cells, cells)
        mixed = torch.bmm(seen.permute(2, 0, 1), weights.to(seen.dtype))  # channels, n, cells
        mixed = clipped(mixed + within(self.star_bias, CLIP)[:, None, None].to(mixed.dtype))
        means = SCALE * (mixed @ geometry.parts.to(mixed.dtype)).permute(2, 1, 0)  # 9, n, channels
        by_part = sum(leaky_relu(self.parts[part](mean), SLOPE) for part, mean in zip(PARTS, means, strict=True))
        whole = torch.cat([SCALE * mixed.mean(2), mixed.amax(2)]).view(2, -1, number).permute(2, 0, 1).flatten(1)
        known = torch.cat([leaky_relu(self.whole(whole), SLOPE), by_part], 1)  # type: ignore[list-item]
        last = leaky_relu(self.hidden(known), SLOPE)
        logits = torch.einsum("nd,dnc->nc", self.policy(last).to(mixed.dtype), mixed)
        return logits, self.outcome(last)

    def patterns_of(self, planes: Tensor, geometry: Geometry) -> Tensor:
        """int32[n, cells, 4]: the numbers of all line patterns."""
        rows, columns, reach = planes.shape[2], planes.shape[3], self.reach
        digits = (MINE * planes[:, 0] + THEIRS * planes[:, 1]).int()
        padded = nn.functional.pad(digits, (reach, reach, reach, reach))
        found = []
        for line, (down, right) in enumerate(DIRECTIONS):
            number = torch.zeros_like(digits)
            for away in range(-reach, reach + 1):
                y, x = reach + away * down, reach + away * right
                number = number + 3 ** (away + reach) * padded[:, y : y + rows, x : x + columns]
            found.append(geometry.empty[line] + torch.div(number, geometry.divisor[line], rounding_mode="floor"))
        return torch.stack(found, -1).flatten(1, 2)

    def _sums(self, patterns: Tensor) -> Tensor:
        """The sums of the vectors of patterns[n, 4]."""
        if self.fixed is not None:
            return embedding_bag(patterns, self.fixed, mode="sum")
        if patterns.numel() < starts(self.reach)[1]:  # fewer than there are: those that occur are enough
            occurring, patterns = patterns.unique(return_inverse=True)
            return embedding_bag(patterns, self.table(occurring), mode="sum")
        return embedding_bag(patterns, self.table(), mode="sum")

    def _patterns(self) -> tuple[Tensor, Tensor]:
        """The cells of all patterns, one-hot, and the numbers of their mirror images."""
        device = self.bias.device
        if (device, "patterns") not in self._known:
            cells, mirrored = all_patterns(self.reach)
            seen = np.concatenate([cells == kind for kind in (MINE, THEIRS, WALL)], 1)
            self._known[device, "patterns"] = tuple(
                torch.from_numpy(array).to(device) for array in (seen.astype(np.float32), mirrored.astype(np.int64))
            )
        return self._known[device, "patterns"]

    def _geometry(self, rows: int, columns: int) -> Geometry:
        device = self.bias.device
        if (device, rows, columns) not in self._known:
            lines, (others, weights) = lines_of(rows, columns, self.reach), stars(rows, columns, SPAN)
            star = np.zeros((2 * SPAN + 1, rows * columns, rows * columns), np.float32)
            for cell, (reached, kinds) in enumerate(zip(others, weights, strict=True)):
                star[kinds[reached >= 0], cell, reached[reached >= 0]] = 1
            part, share = thirds(rows, columns)
            shape = (len(DIRECTIONS), rows, columns)
            missing = (self.reach - lines.before).astype(np.int32)
            parts = np.eye(9, dtype=np.float32)[part] * share
            made = lines.empty.T.reshape(shape), (3**missing).T.reshape(shape), star.reshape(len(star), -1), parts
            tensors = (torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in made)
            self._known[device, rows, columns] = Geometry(*tensors)
        return self._known[device, rows, columns]

    def fuse(self) -> None:
        """Expand the table now, for all questions to come; the net that makes it goes."""
        with torch.no_grad():
            table = self.table()
        del self.fixed, self.mapping
        self.register_buffer("fixed", table)

    def example(self) -> Tensor:
        """Something to put in."""
        return torch.zeros(1, *self.sizes[:3])

    def __deepcopy__(self, memo: dict[int, Any]) -> PatternNet:
        made = PatternNet(self.sizes)
        made.load_state_dict({name: value.clone() for name, value in self.state_dict().items()})
        return made.to(self.bias.device, self.bias.dtype).train(self.training)
