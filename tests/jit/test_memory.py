"""Lists and sets that rules make: cheap to count and to grow, and the same as interpreted."""

from __future__ import annotations

import re
import sys
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys
from numba.cpython import listobj

from plyground.jit import memory
from plyground.jit.decorators import KERNEL
from plyground.jit.versions import PLAIN
from plyground.rules import inner, kernel


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


class Pair(NamedTuple):
    one: np.ndarray
    other: np.ndarray


@inner
def larger(pair, n):
    """One of the arrays that it is called with."""
    if pair.one[n] > pair.other[n]:
        return pair.one
    return pair.other


@inner
def replaced(array, n):
    """What it is called with, or another array under the same name."""
    if n % 3 == 0:
        array = np.full(n + 1, 2.0)
    for _ in range(n % 2):
        array = array + 1
    return array


@kernel
def handed_on(pair, steps):
    """Hand arrays on to functions and back: those of the caller, those with a name here and those without."""
    total = 0.0
    for n in range(steps):
        made = replaced(larger(pair, n % pair.one.size), n)
        total += replaced(replaced(made, n + 1), n)[0] + replaced(np.ones(2), n)[-1] + made[0]
        larger(pair, 0)[0] += 1
    return total


@kernel
def marked(pair):
    """Hand arrays on to a function that branches, so that Numba would count the references to each of them."""
    for n in range(pair.one.size):
        mark(pair, n)


@inner
def mark(pair, n):
    pair.one[n] = 0.0
    if pair.other[n] > 0:
        pair.one[n] = 1.0


def uncompiled(made: Any) -> Any:
    """A kernel as it is written, with the functions that it calls."""
    names = {name: getattr(value, "py_func", value) for name, value in globals().items()}
    return FunctionType(made.py_func.__code__, names)


def pair() -> Pair:
    return Pair(np.arange(4.0), np.ones(4))


@pytest.mark.skipif(not hasattr(handed_on, "py_func"), reason="the compiler is switched off")
def test_arrays_that_are_handed_on_are_as_interpreted_and_none_is_lost_or_freed_twice() -> None:
    arrays, same = pair(), pair()
    handed_on(arrays, 1)
    _nrt_python.memsys_enable_stats()
    before, held = rtsys.get_allocation_stats(), [sys.getrefcount(array) for array in arrays]
    found = handed_on(arrays, 60)
    after = rtsys.get_allocation_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 60
    assert [sys.getrefcount(array) for array in arrays] == held
    uncompiled(handed_on)(same, 1)
    assert found == uncompiled(handed_on)(same, 60) and arrays.one.tolist() == same.one.tolist()


@pytest.mark.skipif(
    PLAIN or not hasattr(marked, "py_func"), reason="kernels are compiled by plain Numba, or not at all"
)
def test_references_to_what_a_function_is_called_with_are_not_counted() -> None:
    made = njit(**KERNEL)(marked.py_func)
    made(pair())
    (found,) = made.overloads.values()
    assert not re.search("call .*@NRT_incref", found.library.get_llvm_str())


def test_other_peoples_functions_are_compiled_as_numba_does() -> None:
    walked(np.array([1]), np.zeros(3, np.int64))
    assert listobj.ListInstance.resize.__module__ == listobj.__name__
    with memory.lists_keep_memory():
        assert listobj.ListInstance.resize is memory.resize
