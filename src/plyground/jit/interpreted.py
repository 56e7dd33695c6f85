"""Where nothing is compiled: decorators that leave functions as they are, and need no Numba; twins of slow loops."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

# Numba's own switch; Numba itself, imported for a process that never uses it, would take most of that process's start
DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def plain(function: Any) -> Any:
    """The function itself."""
    return function


def bound(function: Any, *arguments: Any, then: tuple = ()) -> Callable[..., Any]:
    """A call with these very arguments."""
    return partial(function, *arguments)


kernel = inner = recursive = standalone = any_order = plain


def interpreted_as(twin: Callable[..., Any]) -> Callable[[Any], Any]:
    """Take the twin of a function for kernels, or of a rule, where the compiler is switched off: by NumPy, say.

    The loop remains its `py_func`, as a compiled function has one: who watches a search reads that.
    """

    def chosen(function: Any) -> Any:
        if not DISABLED:
            return function
        twin.py_func = function  # type: ignore[attr-defined]
        return twin

    return chosen
