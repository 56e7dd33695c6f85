"""A learner whose training is a few random numbers: runs can be tested without waiting."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from plyground.learn.base import Learner, Options, stream, stream_state
from plyground.nets.card import Card
from plyground.spec import About

if TYPE_CHECKING:  # PyTorch is there when there is a net to be left
    from plyground.nets.models import MLP


@dataclass(frozen=True)
class ToyOptions(Options):
    games: Annotated[int, About("how many", low=1)] = 40
    pause: Annotated[float, About("seconds a step", low=0)] = 0.0
    measure_every: int = 10
    checkpoint_every: int = 10


class Toy(Learner):
    """Walks its bias at random."""

    options_type = ToyOptions
    presets: ClassVar = {"short": {"games": 10}}
    curve = ("luck",)

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.rng = np.random.default_rng(seed)
        self.bias = np.zeros(9, np.float32)

    def advance(self) -> dict[str, float]:
        time.sleep(self.options.pause)
        self.bias += self.rng.normal(size=9).astype(np.float32)
        self.done += 2
        return {"luck": float(self.rng.random()), "loss": float("nan")}

    def arrays(self) -> dict[str, np.ndarray]:
        return {"bias": self.bias}

    def notes(self) -> dict[str, Any]:
        return {"done": self.done, "rng": stream_state(self.rng)}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.rng, self.bias = notes["done"], stream(notes["rng"]), arrays["bias"].copy()

    def measure(self) -> dict[str, float]:
        return {"mistakes": 0.5}

    def samples(self) -> list[dict[str, Any]]:
        return [{"moves": "b2 a1"}]

    def net(self) -> tuple[MLP, Card]:
        import torch

        from plyground.nets.models import MLP

        net = MLP([9, 9])
        net.layers[0].bias.data = torch.from_numpy(self.bias.copy())
        return net, Card([9, 9], "signed", "q", self.name)
