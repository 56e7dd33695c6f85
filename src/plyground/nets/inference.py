"""Inference by PyTorch for self-play, nets with policy and value: on a CPU, in half precision where it can, or a GPU.

On a GPU the net is recorded once as a CUDA graph, for batches of one size, which smaller ones are filled up to; its
weights are written over in place when there are new ones.  So a batch costs one launch.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from .models import CNN, InferenceNet, ResNet


def half_is_faster(device: str) -> bool:
    """Is half precision (bfloat16) faster than full on this device?"""
    if device != "cpu":
        return True
    knows = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return bool(knows and knows())


class Inference:
    """The evaluator of a net that is being trained; `take` gives it the newest weights."""

    def __init__(self, net: ResNet | CNN, device: str = "cpu", half: bool | None = None) -> None:
        self.device = torch.device(device)
        self.dtype = torch.bfloat16 if (half_is_faster(device) if half is None else half) else torch.float32
        self.judge = self._made(net)
        self._graph: Any = None

    def _made(self, net: ResNet | CNN) -> InferenceNet:
        made = InferenceNet(net).to(self.device, self.dtype)
        return made.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def close(self) -> None:
        """Nothing is held that does not go with this object."""

    def take(self, net: ResNet | CNN) -> None:
        """Take the weights of this net from now on."""
        with torch.no_grad():
            for old, new in zip(self.judge.state_dict().values(), self._made(net).state_dict().values(), strict=True):
                old.copy_(new)

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            if self.device.type == "cuda":
                return self._on_gpu(planes)
            inputs = torch.from_numpy(planes).to(self.dtype).contiguous(memory_format=torch.channels_last)
            return self.judge(inputs).float().numpy()

    def prepare(self, planes: np.ndarray) -> None:
        """Make ready for batches of this size and smaller ones, while nobody else uses the GPU."""
        if self.device.type == "cuda" and (self._graph is None or len(self._inputs) < len(planes)):
            with torch.inference_mode():
                self._record(planes)

    def _on_gpu(self, planes: np.ndarray) -> np.ndarray:
        self.prepare(planes)
        with torch.cuda.stream(self._stream):
            self._pinned.numpy()[: len(planes)] = planes
            self._inputs.copy_(self._pinned, non_blocking=True)
            self._graph.replay()
            self._back.copy_(self._outputs, non_blocking=True)
            self._event.record()
        self._event.synchronize()
        return self._back.numpy()[: len(planes)]

    def replay(self, seconds: float) -> float:
        """Positions a second that the GPU judges if it does nothing else: no copies, no trees."""
        count, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            with torch.cuda.stream(self._stream):
                for _ in range(10):
                    self._graph.replay()
            self._stream.synchronize()
            count += 10 * len(self._inputs)
        return count / (time.perf_counter() - begun)

    def _record(self, planes: np.ndarray) -> None:
        """Record the graph for batches like this one."""
        self._stream, self._event = torch.cuda.Stream(), torch.cuda.Event()
        self._pinned = torch.zeros(planes.shape, pin_memory=True)  # what no batch has written is asked, too
        self._inputs = torch.zeros(planes.shape, device=self.device)
        with torch.cuda.stream(self._stream):
            for _ in range(3):
                self._asked()
        self._stream.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=self._stream):
            self._outputs = self._asked()
        self._back = torch.empty(self._outputs.shape, pin_memory=True)
        torch.cuda.synchronize()

    def _asked(self) -> torch.Tensor:
        inputs = self._inputs.to(self.dtype).contiguous(memory_format=torch.channels_last)
        return self.judge(inputs).float()
