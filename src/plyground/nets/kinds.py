"""Kinds of nets that families of games bring along: with policy and value, played by code of their own, without ONNX.

The module of a kind has

    sizes(game) -> list[int]            of a net for this game, unless told otherwise
    must_make_sense(sizes)              ValueError for sizes that no such net has
    model(sizes, seed) -> nn.Module     to be trained: planes to logits and outcomes, as `models.ResNet`
    shapes(sizes) -> dict               the arrays of its file, by name
    evaluator(sizes, arrays)            runs it: planes float32[n, ...] to float32[n, actions + 1]; it may have a method
                                        for_kernels(rows, columns) -> `search.mcts.skeleton.KernelNet`
    in_training(model)                  such an evaluator of a model as it is now; of kinds that kernels can run
"""

from __future__ import annotations

from typing import Any

from ..manifest import load, registered
from ..spec import look_up

ATOMS = 300  # of a value in points, on either side of 0: see `models.ResNet`


def known() -> dict[str, str]:
    """All such kinds, by name."""
    return registered("net_kinds")


def of(kind: str) -> Any:
    """The module of a kind; InputError if there is none."""
    look_up("kind of net", kind, ["resnet", *known()])
    return load("kind of net", kind, known()[kind])


def run_in_kernels(model: Any) -> bool:
    """Can kernels run nets of this model's kind?"""
    return model.kind in known() and hasattr(of(model.kind), "in_training")


def in_training(model: Any) -> Any:
    """What runs a model as it is now within kernels; None if they cannot run nets of its kind."""
    return of(model.kind).in_training(model) if run_in_kernels(model) else None
