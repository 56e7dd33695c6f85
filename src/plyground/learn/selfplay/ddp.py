"""Learning on several GPUs of one machine: a process a GPU, by PyTorch's DistributedDataParallel.

The process that trains has the first GPU and the replay window.  At every step it gives each of the others its part of
the batch; each has a copy of the net and of Adam, gradients are averaged, and all take the same step.  So the others
have nothing of their own to be kept: a run goes on from its checkpoint with as many of them as there are then.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from datetime import timedelta
from multiprocessing.connection import wait
from typing import Any

import torch
from torch import distributed, multiprocessing
from torch.nn.parallel import DistributedDataParallel

from ...arena.parallel import end_with_parent
from ...nets.inference import half_is_faster
from ...spec import InputError
from .. import checkpoint
from ..optimizer import uncompiled
from .window import Batch

SILENCE = timedelta(seconds=120)  # without a word of another process, after which training ends
ENDING = 2.0  # seconds in which a process has ended that has let go of the others

Losses = Callable[[Any, Any, Batch], dict[str, torch.Tensor]]


class Rank:
    """One of the processes that learn."""

    def __init__(self, rank: int, number: int, store: str, net: Any, adam: Any, losses: Losses, options: Any) -> None:
        self.rank, self.number, self.net, self.adam = rank, number, net, adam
        self.losses, self.options = losses, options
        self.device = next(net.parameters()).device
        backend = "nccl" if self.device.type == "cuda" else "gloo"
        distributed.init_process_group(
            backend, init_method=f"file://{store}", rank=rank, world_size=number, timeout=SILENCE
        )
        self.shared = DistributedDataParallel(net, [self.device] if backend == "nccl" else None)

    def step(self, batch: Batch, lr: float) -> dict[str, torch.Tensor]:
        """Learn from the own part of a batch, with all others; the mean losses of the whole batch."""
        self.net.train()
        for group in self.adam.param_groups:
            group["lr"] = lr
        half = half_is_faster(self.device.type)
        self.adam.zero_grad()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            found = self.losses(self.options, self.shared, batch)
        torch.stack(list(found.values())).sum().backward()
        self.adam.step()
        told = torch.stack([loss.detach().float() for loss in found.values()]) / self.number
        distributed.all_reduce(told)
        return dict(zip(found, told, strict=True))

    def given(self, parts: list[torch.Tensor] | None, like: torch.Tensor) -> torch.Tensor:
        """The own part of a tensor, which the first process shares out."""
        own = torch.empty_like(like)
        distributed.scatter(own, parts, 0)
        return own

    def broadcast(self, *what: Any) -> list[Any]:
        """What the first process says to the others."""
        words = list(what) if self.rank == 0 else [None] * 2
        distributed.broadcast_object_list(words, 0, device=self.device)
        return words


class Ranks:
    """All processes that learn; this one is the first of them.

    net, adam: what this process has; the others begin with copies.
    losses: a function of the learner's class, which others can import.
    """

    def __init__(self, number: int, net: Any, adam: Any, losses: Losses, options: Any) -> None:
        self._open, self._lost = ExitStack(), False
        store = self._open.enter_context(tempfile.TemporaryDirectory()) + "/store"
        taken = checkpoint.arrays_of(net, adam), checkpoint.steps(net, adam)
        sent = next(net.parameters()).device.type, deepcopy(net).cpu(), taken, losses, options
        context = multiprocessing.get_context("spawn")
        self._others = [
            context.Process(target=follow, args=(i, number, store, *sent), daemon=True) for i in range(1, number)
        ]
        for process in self._others:
            process.start()
        try:
            self.first = Rank(0, number, store, net, adam, losses, options)
        except BaseException:
            self._end()
            raise

    def step(self, batch: Batch, lr: float) -> dict[str, torch.Tensor]:
        """One step of Adam; the mean losses."""
        parts = [tensor.tensor_split(self.first.number) for tensor in batch]
        try:
            self.first.broadcast(lr, [(part[0].shape, part[0].dtype) for part in parts])
            own = [self.first.given([one.contiguous() for one in part], part[0]) for part in parts]
            return self.first.step(Batch(*own), lr)
        except RuntimeError as error:
            silent = "timed out" in str(error).lower()
            if not silent and not wait([process.sentinel for process in self._others], ENDING):
                raise
            self._lost = True
            how = "does not answer" if silent else "has ended"
            raise InputError(f"one of the processes that learn {how}; --resume goes on: {error!s:.200}") from None

    def close(self) -> None:
        """Let the others end."""
        if not self._lost and all(process.is_alive() for process in self._others):
            self.first.broadcast(None, None)
            for process in self._others:
                process.join(10)
        self._end()
        distributed.destroy_process_group()

    def _end(self) -> None:
        for process in self._others:
            process.kill()
        self._open.close()


def follow(
    rank: int, number: int, store: str, device: str, net: Any, taken: tuple[Any, float], losses: Losses, options: Any
) -> None:
    """What the other processes do: learn from the parts that they are given, until they are told to end."""
    end_with_parent()
    torch.set_num_threads(1)
    place = torch.device(device, rank) if device == "cuda" else torch.device(device)
    net.to(place)
    adam = uncompiled(torch.optim.AdamW)(net.parameters(), lr=options.lr, weight_decay=options.decay)
    checkpoint.restore(net, adam, *taken)
    own = Rank(rank, number, store, net, adam, losses, options)
    while True:
        lr, shapes = own.broadcast()
        if lr is None:
            return
        parts = [own.given(None, torch.empty(shape, dtype=dtype, device=place)) for shape, dtype in shapes]
        own.step(Batch(*parts), lr)
