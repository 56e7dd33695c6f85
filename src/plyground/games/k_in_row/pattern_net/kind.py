"""The pattern net as a kind of nets: made, read from files and run (`nets.kinds` says what is asked of it).

Whoever reads no more than its card, or makes its table, does not wait for the import of Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ....jit.first_use import first_use
from ....spec import InputError
from . import kept
from .lines import LARGEST_REACH, reach_of
from .weights import ONE, integers, names, weights_of

if TYPE_CHECKING:
    from .kernel import Board, KernelNet

FEATURES = CHANNELS = 32
WIDEST = 256  # channels


def sizes(game: Any) -> list[int]:
    """Planes, height, width, actions, reach of the patterns, features of the table, channels after it."""
    if not hasattr(game, "k") or game.planes()[0] != 2:
        raise InputError("net patterns is for games of k in a row")
    return [*game.planes(), game.actions(), reach_of(game.k), FEATURES, CHANNELS]


def must_make_sense(sizes: list[int]) -> None:
    planes, _, _, _, reach, features, channels = sizes
    even = features % 4 == channels % 4 == 0
    if planes != 2 or not (1 <= reach <= LARGEST_REACH and even and min(features, channels) >= 4):
        raise ValueError
    if features > FEATURES or channels > WIDEST:  # products of more would not be exact
        raise ValueError


def model(sizes: list[int], seed: int) -> Any:
    from .model import PatternNet

    return PatternNet(sizes, seed)


def shapes(sizes: list[int]) -> dict[str, tuple[int, ...]]:
    return names(*sizes[4:])


class Evaluator:
    """Judges positions one after the other, each as a change of the one before it."""

    def __init__(
        self, sizes: list[int], arrays: Mapping[str, np.ndarray], table_of: Callable[..., np.ndarray] = kept.table
    ) -> None:
        self.reach, self.net = sizes[4], weights_of(arrays, sizes[4], table_of)
        self._boards: dict[tuple[int, int], Board] = {}

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """float32[n, 2, rows, columns] to float32[n, rows * columns + 1]."""
        from . import kernel

        rows, columns = planes.shape[2:]
        if (rows, columns) not in self._boards:
            self._boards[rows, columns] = kernel.new(self.net, rows, columns, self.reach)
            with first_use():
                self._judged(planes[:0])
        return self._judged(planes)

    def _judged(self, planes: np.ndarray) -> np.ndarray:
        from . import kernel

        rows, columns = planes.shape[2:]
        answers = np.zeros((len(planes), rows * columns + 1), np.float32)
        kernel.judge_all(self.net, self._boards[rows, columns], np.ascontiguousarray(planes, np.float32), answers)
        return answers

    def for_kernels(self, rows: int, columns: int) -> KernelNet:
        """The same net for a search that asks it within its kernel."""
        from . import kernel

        return kernel.KernelNet(self.net, kernel.new(self.net, rows, columns, self.reach))

    def close(self) -> None:
        """There is nothing to end."""


evaluator = Evaluator


def in_training(model: Any) -> Evaluator:
    """Of a model as it is now; its table is made where the model is, on a GPU in no time, and not kept on disk."""
    import torch

    def table_of(*_: Any) -> np.ndarray:
        with torch.no_grad():
            return integers(model.table().cpu().numpy(), ONE, np.int16)

    arrays = {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}
    return Evaluator(model.sizes, arrays, table_of)
