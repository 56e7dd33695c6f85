"""PyTorch, and what is made of it, imported when it is first used.

It takes seconds to import, while what a learner is, which options it takes and which games it fits can be told without
it.  So a learner writes `from plyground.nets.later import torch` at the top of its file, and all else as ever.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch as torch

    from . import inference as inference
    from . import models as models
else:

    class Later:
        """A module that is imported when somebody asks for something in it."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._module), name)

    torch = Later("torch")
    inference, models = Later(f"{__package__}.inference"), Later(f"{__package__}.models")
