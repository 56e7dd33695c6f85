"""The decorators of kernels where nothing is compiled: they leave functions as they are, and need no Numba."""

from __future__ import annotations

import os
from typing import Any

# Numba's own switch; Numba itself, imported for a process that never uses it, would take most of that process's start
DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def plain(function: Any) -> Any:
    """The function itself."""
    return function


kernel = inner = recursive = standalone = any_order = plain
