"""Nets over the free cells of a region, in PyTorch, to be trained; `evaluator.py` runs the same in NumPy.

Nothing but the free cells matters for what is to come, so they alone are looked at, each a *token* of so many channels:

    x      = W around + e[cells left] + f[cells of its component]       18 cells around, free or not
    x     += layer(x), several times: attention, or a convolution over the six neighbours with means of the whole
    logit  = of a line from a to b: s(x[a], direction, length) + s(x[b], opposite direction, length)
    value  = of means, maxima and sums over all tokens

Attention is told where another cell lies and whether it belongs to the same component.  A line is scored from both of
its ends, so that every symmetry of the hexagons only changes names of directions: in training every position is shown
in one of the twelve, by its place in the batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from ..hexagons import LARGEST
from . import geometry
from .geometry import AROUND, CELLS, FAR, IMAGES, KINDS, OFFSETS, PADDED, SYMMETRIES

COUNTS = LARGEST + 2  # cells that are told apart by their number
HEAD = 64  # numbers that the value is made of
ILLEGAL = -30.0  # the logit of what cannot be played
SILENT = -1e4  # added to what attention must not see
SUMS = 0.1  # scale of sums over tokens


class Position:
    """What is known of positions before any weights: of n positions with K tokens each."""

    def __init__(self, planes: Tensor, tables: Any, turned: bool) -> None:
        n, tokens = len(planes), min(LARGEST, CELLS)
        device = planes.device
        free = planes[:, 0].flatten(1) > 0.5
        order = free.int() * CELLS - torch.arange(CELLS, device=device, dtype=torch.int32)
        self.cells = order.topk(tokens, 1).indices  # the free ones first
        self.there = free.gather(1, self.cells)  # bool[n, K]
        at = tables.at[self.cells]
        places = torch.arange(tokens, device=device).expand(n, -1)
        numbers = torch.full((n, PADDED), tokens, device=device)
        numbers.scatter_(1, at, torch.where(self.there, places, tokens))
        which = torch.arange(n, device=device) % SYMMETRIES if turned else torch.zeros(n, device=device).long()
        around = (at[:, :, None] + tables.ring).flatten(1).clamp(0, PADDED - 1)
        near = numbers.gather(1, around).view(n, tokens, AROUND)  # int[n, K, 18]: tokens around; K where none is
        self.near = near.gather(2, tables.around_from[which][:, None].expand(-1, tokens, -1))
        self.images = tables.images[which]  # int[n, 6]
        axial = tables.axial[self.cells]
        self.axial = torch.einsum("nij,nkj->nki", tables.matrices[which].float(), axial.float()).round().long()
        self.left = self.there.sum(1).clamp(max=COUNTS - 1)
        self._lines(numbers, at, tables)

    def _lines(self, numbers: Tensor, at: Tensor, tables: Any) -> None:
        """The ends of all lines: int[n, K, 2, 3], by length and direction; K where the line is not free."""
        n, tokens = at.shape
        none = torch.full((), tokens, device=at.device)
        near = numbers.gather(1, (at[:, :, None] + tables.ring).flatten(1).clamp(0, PADDED - 1)).view(n, tokens, AROUND)
        two = near[:, :, :3]
        three = torch.where(two < tokens, near[:, :, 6:9], none)
        ends = torch.stack([two, three], 2)
        self.ends = torch.where(self.there[:, :, None, None], ends, none)

    def offsets(self) -> Tensor:
        """int[n, K, K]: the number of the offset from one token to another."""
        apart = (self.axial[:, None] - self.axial[:, :, None]).clamp(-FAR, FAR) + FAR
        return apart[..., 1] * (2 * FAR + 1) + apart[..., 0]

    def together(self) -> Tensor:
        """float[n, K, K]: 1 where two tokens belong to the same component, each to its own."""
        apart = self.axial[:, None] - self.axial[:, :, None]
        steps = (apart.abs().sum(-1) + apart.sum(-1).abs()) // 2
        both = self.there[:, None] & self.there[:, :, None]
        linked = ((steps <= 1) & both).to(torch.float16 if apart.is_cuda else torch.float32)
        for _ in range(math.ceil(math.log2(linked.shape[1]))):
            linked = (linked @ linked).clamp(max=1)
        return linked


class Tables(nn.Module):
    """The tables of `geometry`, where the net is."""

    def __init__(self) -> None:
        super().__init__()
        tables = {
            "at": geometry.AT,
            "ring": geometry.RING,
            "axial": geometry.AXIAL,
            "matrices": geometry.MATRICES,
            "images": IMAGES,
            "around_from": np.argsort(geometry.AROUND_IMAGES, axis=1),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(np.ascontiguousarray(table, np.int64)), persistent=False)


class Attention(nn.Module):
    """Tokens look at one another, and each by itself at what it knows."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask = nn.Linear(width, 3 * width)
        self.answer = nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor, position: Position, bias: Tensor) -> Tensor:
        n, tokens, width = x.shape
        parts = self.ask(self.norm(x)).view(n, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        weights = torch.softmax(query @ key.transpose(2, 3) * (width / self.heads) ** -0.5 + bias, 3)
        x = x + self.answer((weights.to(value.dtype) @ value).transpose(1, 2).reshape(n, tokens, width))
        return x + self.outer(torch.relu(self.inner(self.second(x))))


class Convolution(nn.Module):
    """Each token with its six neighbours, and with the sums and maxima of all; what comes of it is added."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.near = nn.Linear(7 * width, width)
        self.whole = nn.Linear(2 * width, width, bias=False)
        self.outer = nn.Linear(width, width)

    def forward(self, x: Tensor, position: Position, bias: Tensor) -> Tensor:
        n, tokens, width = x.shape
        y = self.norm(x) * position.there[:, :, None]
        padded = torch.cat([y, torch.zeros_like(y[:, :1])], 1)
        index = position.near[:, :, :6].flatten(1)[:, :, None].expand(-1, -1, width)
        near = padded.gather(1, index).view(n, tokens, 6 * width)
        whole = torch.cat([SUMS * y.sum(1), y.amax(1)], 1)
        inside = torch.relu(self.near(torch.cat([y, near], 2)) + self.whole(whole)[:, None])
        return x + self.outer(inside)


class CellsNet(nn.Module):
    """sizes: planes, height, width, actions, layers, channels, and of a transformer its heads."""

    cells = False

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        super().__init__()
        self.sizes = list(sizes)
        layers, width, self.heads = *sizes[4:6], sizes[6] if len(sizes) > 6 else 0
        self.kind = "transformer" if self.heads else "hexagons"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.around = nn.Linear(AROUND, width)
            self.left, self.component = (nn.Parameter(0.1 * torch.randn(COUNTS, width)) for _ in range(2))
            made = [Attention(width, self.heads) if self.heads else Convolution(width) for _ in range(layers)]
            self.layers = nn.ModuleList(made)
            if self.heads:
                self.offset = nn.Parameter(0.1 * torch.randn(OFFSETS, layers * self.heads))
                self.together = nn.Parameter(torch.zeros(layers * self.heads))
            self.norm = nn.LayerNorm(width)
            self.lines = nn.Linear(width, 13)
            self.value, self.hidden, self.outcome = (
                nn.Linear(width, HEAD),
                nn.Linear(3 * HEAD, HEAD),
                nn.Linear(HEAD, 3),
            )
        for weights in (*self.lines.parameters(), *self.outcome.parameters()):  # no opinions before any training
            nn.init.zeros_(weights)
        self.tables = Tables()

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """float[n, 1, 12, 12] to logits[n, actions] and logits[n, 3] of win, draw and loss."""
        position = Position(planes, self.tables, self.training)
        there, linked = position.there, position.together()
        kind = self.around.weight.dtype
        size = linked.sum(2, dtype=torch.float32).long().clamp(max=COUNTS - 1)
        x = self.around((position.near < there.shape[1]).to(kind))
        x = x + embedding(position.left, self.left)[:, None] + embedding(size, self.component)
        for layer, bias in zip(self.layers, self._biases(position, linked), strict=True):
            x = layer(x, position, bias)
        x = self.norm(x)
        return self._logits(x, position), self._outcome(x, there)

    def _biases(self, position: Position, linked: Tensor) -> Sequence[Any]:
        """What attention adds for where cells lie: float[n, heads, K, K] of each layer."""
        if not self.heads:
            return [None] * len(self.layers)
        found = embedding(position.offsets(), self.offset)
        found = found + linked[..., None].to(found.dtype) * self.together
        found = found.masked_fill(~position.there[:, None, :, None], SILENT)
        return found.permute(3, 0, 1, 2).unflatten(0, (len(self.layers), self.heads)).transpose(1, 2).unbind(0)

    def _logits(self, x: Tensor, position: Position) -> Tensor:
        n, tokens, _ = x.shape
        said = self.lines(x)
        single, directed = said[:, :, :1], said[:, :, 1:].view(n, tokens, 2, 6)
        image = position.images[:, None, None].expand(-1, tokens, 2, -1)
        directed = directed.gather(3, image)  # in the directions of the board again
        index = position.ends.clamp(max=tokens - 1).flatten(2)  # [n, K, 6]
        back = directed[..., 3:].flatten(2)  # what the other end says, in the opposite direction
        lines = directed[..., :3].flatten(2) + back.gather(1, index)
        legal = torch.cat([position.there[:, :, None], (position.ends < tokens).flatten(2)], 2)
        logits = torch.where(legal, torch.cat([single, lines], 2), ILLEGAL)
        board = torch.full((n, CELLS, KINDS), ILLEGAL, device=x.device, dtype=logits.dtype)
        return board.scatter(1, position.cells[:, :, None].expand(-1, -1, KINDS), logits).flatten(1)

    def _outcome(self, x: Tensor, there: Tensor) -> Tensor:
        y = torch.relu(self.value(x)) * there[:, :, None]
        total = y.sum(1)
        pooled = torch.cat([total / there.sum(1).clamp(min=1)[:, None], SUMS * total, y.amax(1)], 1)
        return self.outcome(torch.relu(self.hidden(pooled)))

    def example(self) -> Tensor:
        """Something to put in."""
        return torch.zeros(1, *self.sizes[:3])
