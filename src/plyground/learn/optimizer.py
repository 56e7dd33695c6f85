"""PyTorch's optimizers without PyTorch's compiler.

Their methods import it, which takes one and a half seconds of a training's start, only to keep it from compiling them;
and no learner has anything compiled by it.
"""

from __future__ import annotations

from functools import cache
from inspect import unwrap
from typing import Any

from ..nets.later import torch


@cache
def uncompiled(kind: Any) -> Any:
    """An optimizer, `torch.optim.Adam` say, whose methods are as they are written: the same numbers, bit for bit."""
    plain = {name: unwrap(getattr(kind, name)) for name in ("add_param_group", "zero_grad")}
    return type(kind.__name__, (kind,), {"step": torch.no_grad()(unwrap(kind.step)), **plain})
