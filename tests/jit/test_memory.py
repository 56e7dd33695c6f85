"""Lists and sets that rules make: cheap to count and to grow, and the same as interpreted."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.cpython import listobj

from plyground.jit import memory
from plyground.jit.decorators import KERNEL
from plyground.jit.versions import PLAIN
from plyground.rules import kernel


@kernel
def walked(steps, out):
    """Push and pop by turns, far enough that a list is moved; what is left, and how many were seen."""
    waiting, seen, total = [1], {1}, 0
    for step in steps:
        for more in range(step):
            waiting.append(more)
            seen.add(step * more)
        while len(waiting) > step // 2:
            total += waiting.pop()
    out[0], out[1], out[2] = total, len(waiting), len(seen)


def test_lists_that_are_pushed_to_and_popped_from_are_as_interpreted() -> None:
    steps = np.array([3, 40, 1, 9000, 2, 0, 700, 5])
    found, wanted = np.zeros((2, 3), np.int64)
    walked(steps, found)
    getattr(walked, "py_func", walked)(steps, wanted)
    assert found.tolist() == wanted.tolist() and wanted[0] > 0


@pytest.mark.skipif(
    PLAIN or not hasattr(walked, "py_func"), reason="kernels are compiled by plain Numba, or not at all"
)
def test_kernels_count_references_without_atomic_instructions() -> None:
    made = njit(**KERNEL)(walked.py_func)  # one from the cache does not tell what it is made of
    made(np.array([1]), np.zeros(3, np.int64))
    (found,) = made.overloads.values()
    text = found.library.get_llvm_str()
    assert "NRT_decref" in text and "atomicrmw" not in text and "fence" not in text


def test_other_peoples_functions_are_compiled_as_numba_does() -> None:
    walked(np.array([1]), np.zeros(3, np.int64))
    assert listobj.ListInstance.resize.__module__ == listobj.__name__
    with memory.lists_keep_memory():
        assert listobj.ListInstance.resize is memory.resize
