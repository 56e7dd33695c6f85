"""Nets over cells, run by NumPy: the same as `model.py`, for positions of any number of cells."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .geometry import AROUND, AT, AXIAL, CELLS, FAR, KINDS, OFFSETS, PADDED, RING

COUNTS, HEAD, ILLEGAL, SILENT, SUMS = 35, 64, -30.0, -1e4, 0.1  # see `model.py`
EPSILON = 1e-5  # of PyTorch's LayerNorm
BATCH = 128  # positions judged at once: more do not fit into a cache


def shapes(sizes: list[int]) -> dict[str, tuple[int, ...]]:
    """The arrays of a net, by name."""
    layers, width = sizes[4:6]
    heads = sizes[6] if len(sizes) > 6 else 0
    linear = {"around": (width, AROUND), "lines": (13, width), "value": (HEAD, width)}
    linear |= {"hidden": (HEAD, 3 * HEAD), "outcome": (3, HEAD)}
    norms = ["norm"]
    found: dict[str, tuple[int, ...]] = {"left": (COUNTS, width), "component": (COUNTS, width)}
    for i in range(layers):
        here = f"layers.{i}."
        norms.append(f"{here}norm")
        if heads:
            norms.append(f"{here}second")
            linear |= {f"{here}ask": (3 * width, width), f"{here}answer": (width, width)}
            linear |= {f"{here}inner": (2 * width, width), f"{here}outer": (width, 2 * width)}
        else:
            linear |= {f"{here}near": (width, 7 * width), f"{here}outer": (width, width)}
            found[f"{here}whole.weight"] = (width, 2 * width)
    if heads:
        found |= {"offset": (OFFSETS, layers * heads), "together": (layers * heads,)}
    for name in norms:
        found |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
    for name, (outputs, inputs) in linear.items():
        found |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    return found


class Evaluator:
    """Judges positions: planes float32[n, 1, 12, 12] to float32[n, actions + 1]."""

    def __init__(self, sizes: list[int], arrays: Mapping[str, np.ndarray]) -> None:
        self.layers, self.width = sizes[4:6]
        self.heads = sizes[6] if len(sizes) > 6 else 0
        self.weights = {name: np.ascontiguousarray(array.T, np.float32) for name, array in arrays.items()}
        if self.heads:
            self.weights["offset"] = np.ascontiguousarray(arrays["offset"], np.float32)
        for name in ("left", "component"):
            self.weights[name] = np.ascontiguousarray(arrays[name], np.float32)

    def close(self) -> None:
        """There is nothing to end."""

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        free = planes.reshape(len(planes), CELLS) > 0.5
        answers = np.empty((len(planes), CELLS * KINDS + 1), np.float32)
        by_size = np.argsort(free.sum(1), kind="stable")  # positions of about as many cells together
        for i in range(0, len(planes), BATCH):
            here = by_size[i : i + BATCH]
            answers[here] = self._judged(free[here])
        return answers

    def _judged(self, free: np.ndarray) -> np.ndarray:
        n, tokens = len(free), max(1, int(free.sum(1).max()))
        cells = np.argsort(~free, axis=1, kind="stable")[:, :tokens]
        rows = np.arange(n)[:, None]
        there = free[rows, cells]
        at = AT[cells]
        numbers = np.full((n, PADDED), tokens)
        numbers[rows, at] = np.where(there, np.arange(tokens), tokens)
        near = numbers[rows[:, :, None], np.clip(at[:, :, None] + RING, 0, PADDED - 1)]
        axial = AXIAL[cells]
        apart = axial[:, None] - axial[:, :, None]
        linked = self._linked(apart, there)
        sizes = np.minimum(linked.sum(2).astype(np.int64), COUNTS - 1)
        left = np.minimum(there.sum(1), COUNTS - 1)
        x = self._linear("around", (near < tokens).astype(np.float32))
        x += self.weights["left"][left][:, None] + self.weights["component"][sizes]
        biases = self._biases(apart, linked, there) if self.heads else None
        for i in range(self.layers):
            if biases is not None:
                x = self._attention(f"layers.{i}.", x, biases[:, :, :, i * self.heads : (i + 1) * self.heads])
            else:
                x = self._convolution(f"layers.{i}.", x, near[:, :, :6], there)
        x = self._norm("norm", x)
        return np.concatenate([self._logits(x, cells, there, near), self._value(x, there)[:, None]], 1)

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return (x.reshape(-1, x.shape[-1]) @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]).reshape(
            *x.shape[:-1], -1
        )

    def _norm(self, name: str, x: np.ndarray) -> np.ndarray:
        y = x - x.mean(-1, keepdims=True)
        y /= np.sqrt((y * y).mean(-1, keepdims=True) + EPSILON)
        return y * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    @staticmethod
    def _linked(apart: np.ndarray, there: np.ndarray) -> np.ndarray:
        """float32[n, K, K]: 1 where two tokens belong to the same component."""
        steps = (np.abs(apart).sum(-1) + np.abs(apart.sum(-1))) // 2
        linked = ((steps <= 1) & there[:, None] & there[:, :, None]).astype(np.float32)
        known = -1
        while known != (known := int(np.count_nonzero(linked))):
            linked = np.minimum(linked @ linked, 1)
        return linked

    def _biases(self, apart: np.ndarray, linked: np.ndarray, there: np.ndarray) -> np.ndarray:
        within = np.clip(apart, -FAR, FAR) + FAR
        found = self.weights["offset"][within[..., 1] * (2 * FAR + 1) + within[..., 0]]
        found += linked[..., None] * self.weights["together"]
        found[~np.broadcast_to(there[:, None], linked.shape)] = SILENT
        return found

    def _attention(self, name: str, x: np.ndarray, bias: np.ndarray) -> np.ndarray:
        n, tokens, width = x.shape
        parts = self._linear(f"{name}ask", self._norm(f"{name}norm", x))
        query, key, value = parts.reshape(n, tokens, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
        seen = query @ key.transpose(0, 1, 3, 2) * np.float32((width / self.heads) ** -0.5) + bias.transpose(0, 3, 1, 2)
        seen = np.exp(seen - seen.max(-1, keepdims=True))
        seen /= seen.sum(-1, keepdims=True)
        x = x + self._linear(f"{name}answer", (seen @ value).transpose(0, 2, 1, 3).reshape(n, tokens, width))
        inner = self._linear(f"{name}inner", self._norm(f"{name}second", x))
        return x + self._linear(f"{name}outer", np.maximum(inner, 0))

    def _convolution(self, name: str, x: np.ndarray, near: np.ndarray, there: np.ndarray) -> np.ndarray:
        n, tokens, width = x.shape
        padded = np.zeros((n, tokens + 1, width), np.float32)
        y = padded[:, :tokens]
        y[:] = self._norm(f"{name}norm", x) * there[:, :, None]
        seen = padded[np.arange(n)[:, None, None], near].reshape(n, tokens, 6 * width)
        whole = np.concatenate([np.float32(SUMS) * y.sum(1), padded.max(1)], 1) @ self.weights[f"{name}whole.weight"]
        inside = self._linear(f"{name}near", np.concatenate([y, seen], 2)) + whole[:, None]
        return x + self._linear(f"{name}outer", np.maximum(inside, 0))

    def _logits(self, x: np.ndarray, cells: np.ndarray, there: np.ndarray, near: np.ndarray) -> np.ndarray:
        n, tokens, _ = x.shape
        said = self._linear("lines", x)
        directed = said[:, :, 1:].reshape(n, tokens, 2, 6)
        board = np.full((n, CELLS, KINDS), ILLEGAL, np.float32)
        rows = np.arange(n)[:, None]
        found = np.full((n, tokens, KINDS), ILLEGAL, np.float32)
        found[:, :, 0] = np.where(there, said[:, :, 0], ILLEGAL)
        for length, ends in enumerate((near[:, :, :3], near[:, :, 6:9])):
            free = there[:, :, None] & (near[:, :, :3] < tokens) & (ends < tokens)
            other = np.minimum(ends, tokens - 1)
            for way in range(3):
                both = directed[:, :, length, way] + directed[rows, other[:, :, way], length, way + 3]
                found[:, :, 1 + 3 * length + way] = np.where(free[:, :, way], both, ILLEGAL)
        board[rows, cells] = found
        return board.reshape(n, -1)

    def _value(self, x: np.ndarray, there: np.ndarray) -> np.ndarray:
        y = np.maximum(self._linear("value", x), 0) * there[:, :, None]
        total = y.sum(1)
        pooled = np.concatenate([total / np.maximum(there.sum(1), 1)[:, None], SUMS * total, y.max(1)], 1)
        outcome = self._linear("outcome", np.maximum(self._linear("hidden", pooled.astype(np.float32)), 0))
        chances = np.exp(outcome - outcome.max(1, keepdims=True))
        return (chances[:, 0] - chances[:, 2]) / chances.sum(1)
