"""The replay window of a self-play learner: the newest positions, more of them as training goes on.

Everything lies on the device of the net, in arrays that are allocated once.  A batch is drawn at random; every position
in it is turned or mirrored by one of the game's symmetries, drawn as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...nets.later import torch
from ...rules import gives

REST = ("score", "value", "weight", "action")  # numbers of a position


class Batch(NamedTuple):
    """Positions to learn from; see `kernel.sample_type`."""

    planes: torch.Tensor  # float32[n, planes, height, width]
    policy: torch.Tensor  # float32[n, actions]
    score: torch.Tensor  # float32[n]
    value: torch.Tensor
    weight: torch.Tensor
    action: torch.Tensor  # int64[n]


class Window:
    """The newest positions, up to a capacity."""

    def __init__(self, game: Any, capacity: int, device: str) -> None:
        self.shape, actions = game.planes(), game.actions()
        self.capacity, self.device, self.written = capacity, device, 0
        self.planes = torch.zeros((capacity, *self.shape), dtype=torch.float16, device=device)
        self.policy = torch.zeros((capacity, actions), dtype=torch.float16, device=device)
        self.rest = torch.zeros((capacity, len(REST)), dtype=torch.float32, device=device)
        symmetries = game.symmetries() if gives(game, "symmetries") else []
        if not symmetries:
            symmetries = [(np.arange(actions), np.arange(self.shape[1] * self.shape[2]))]
        moves, cells = (np.array(table) for table in zip(*symmetries, strict=True))
        self.moves = torch.from_numpy(moves.astype(np.int64)).to(device)
        self.actions_from = torch.from_numpy(np.argsort(moves, axis=1)).to(device)  # what is at i comes from there
        self.cells_from = torch.from_numpy(np.argsort(cells, axis=1)).to(device)

    def __len__(self) -> int:
        return min(self.written, self.capacity)

    def add(self, samples: np.ndarray) -> None:
        """Write new positions over the oldest; what they do not tell is 0."""
        told = [name in (samples.dtype.names or ()) for name in REST]
        for start in range(0, len(samples), self.capacity):
            part = samples[start : start + self.capacity]
            at = torch.from_numpy((self.written + np.arange(len(part))) % self.capacity).to(self.device)
            columns = (part[name] if has else np.zeros(len(part)) for name, has in zip(REST, told, strict=True))
            rest = np.stack(list(columns), 1).astype(np.float32)
            arrays = (part["planes"].astype(np.float16), part["policy"].astype(np.float16), rest)
            for kept, array in zip((self.planes, self.policy, self.rest), arrays, strict=True):
                kept[at] = torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
            self.written += len(part)

    def draw(self, number: int, newest: int, rng: np.random.Generator, turned: bool = True) -> Batch:
        """So many positions of the newest ones, each in one of its mirror images."""
        newest = min(newest, len(self))
        at = (self.written - 1 - rng.integers(newest, size=number)) % self.capacity
        which = rng.integers(len(self.moves), size=number) if turned else np.zeros(number, np.int64)
        index, image = torch.from_numpy(at).to(self.device), torch.from_numpy(which).to(self.device)
        flat = self.planes[index].flatten(2).float()
        planes = flat.gather(2, self.cells_from[image][:, None].expand(-1, flat.shape[1], -1))
        policy = self.policy[index].float().gather(1, self.actions_from[image])
        score, value, weight, action = self.rest[index].unbind(1)
        actions = self.moves[image].gather(1, action.long()[:, None])[:, 0]
        return Batch(planes.reshape(number, *self.shape), policy, score, value, weight, actions)

    def arrays(self) -> dict[str, np.ndarray]:
        kept = {"planes": self.planes, "policy": self.policy, "rest": self.rest}
        return {f"window.{name}": tensor[: len(self)].cpu().numpy() for name, tensor in kept.items()}

    def restore(self, arrays: dict[str, np.ndarray], written: int) -> None:
        self.written = written
        for name in ("planes", "policy", "rest"):
            array = arrays[f"window.{name}"]
            if len(array) != len(self):
                raise ValueError(f"{len(array)} positions are not {len(self)}")
            getattr(self, name)[: len(array)] = torch.from_numpy(array.copy()).to(self.device)
