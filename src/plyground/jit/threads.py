"""Kernels side by side in threads, and the locks that they hold for a moment where they share data.

A lock is an int32[1], 0 while nobody holds it, or None where there are no other threads, which compiles to nothing.
Who waits asks again and again: a lock is for microseconds, and for no more threads than there are cores.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .interpreted import DISABLED


class SideBySide:
    """So many threads, which do the same work, each for a number of its own."""

    def __init__(self, number: int) -> None:
        self.number, self._pool = number, ThreadPoolExecutor(number)

    def __call__(self, work: Callable[[int], int]) -> list[int]:
        return list(self._pool.map(work, range(self.number)))


def new_lock() -> Any:
    """A lock that nobody holds."""
    return np.zeros(1, np.int32)


if DISABLED:  # Python runs one walker after the other

    def hold(lock):
        """Wait until nobody else holds the lock, and hold it."""

    def release(lock):
        """Let others hold the lock."""

else:
    from numba import types
    from numba.extending import intrinsic

    from .decorators import inner

    @intrinsic
    def _swap(context, words, value):
        """Write a number into words[0], and return what was there, in one step; no reads or writes pass it."""

        def make(context, builder, signature, values):
            array = context.make_array(signature.args[0])(context, builder, values[0])
            return builder.atomic_rmw("xchg", array.data, values[1], "seq_cst")

        return types.int32(words, types.int32), make

    @inner
    def hold(lock):
        """Wait until nobody else holds the lock, and hold it."""
        if lock is not None:
            while _swap(lock, np.int32(1)) != 0:
                pass

    @inner
    def release(lock):
        """Let others hold the lock."""
        if lock is not None:
            _swap(lock, np.int32(0))
