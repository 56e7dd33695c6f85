"""Nets over cells as kinds of nets: made, read from files and run (`nets.kinds` says what is asked of them)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....spec import InputError
from ..hexagons import SIDE
from ..rules import LineTaking
from .geometry import CELLS, KINDS

SHAPE = [1, SIDE, SIDE, CELLS * KINDS]
MOST = 24, 512, 16  # layers, channels, heads


@dataclass(frozen=True)
class CellsKind:
    """A kind of nets over cells, with its usual sizes: layers, channels, and of a transformer its heads."""

    name: str
    usual: tuple[int, ...]

    def sizes(self, game: Any) -> list[int]:
        if not isinstance(game, LineTaking):
            raise InputError(f"net {self.name} is for line-taking")
        return [*SHAPE, *self.usual]

    def must_make_sense(self, sizes: list[int]) -> None:
        own = sizes[4:]
        if sizes[:4] != SHAPE or len(own) != len(self.usual):
            raise ValueError
        if not all(type(n) is int and 1 <= n <= most for n, most in zip(own, MOST[: len(own)], strict=True)):
            raise ValueError
        if len(own) == len(MOST) and own[1] % own[2]:
            raise ValueError

    def model(self, sizes: list[int], seed: int) -> Any:
        from .model import CellsNet

        return CellsNet(sizes, seed)

    def shapes(self, sizes: list[int]) -> dict[str, tuple[int, ...]]:
        from .evaluator import shapes

        return shapes(sizes)

    def evaluator(self, sizes: list[int], arrays: Mapping[str, np.ndarray]) -> Any:
        from .evaluator import Evaluator

        return Evaluator(sizes, arrays)


TRANSFORMER = CellsKind("transformer", (6, 96, 4))
HEXAGONS = CellsKind("hexagons", (6, 96))
