"""Kernels side by side, and their locks."""

from __future__ import annotations

import numpy as np

from plyground.jit.threads import SideBySide, hold, new_lock, release
from plyground.rules import kernel

TIMES = 200_000


@kernel
def count(lock, both):
    """Add one to two numbers so many times; they differ while somebody is at it."""
    met = 0
    for _ in range(TIMES):
        hold(lock)
        both[0] += 1
        met += both[0] != both[1] + 1
        both[1] += 1
        release(lock)
    return met


def test_who_holds_a_lock_is_alone():
    both, lock = np.zeros(2, np.int64), new_lock()
    count(lock, both)
    assert SideBySide(3)(lambda _: count(lock, both)) == [0, 0, 0]
    assert both.tolist() == [4 * TIMES, 4 * TIMES] and lock[0] == 0


def test_without_a_lock_nobody_waits():
    both = np.zeros(2, np.int64)
    assert count(None, both) == 0 and both[0] == TIMES
