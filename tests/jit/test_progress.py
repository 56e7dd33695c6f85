"""What is told of kernels that are being compiled, and who compiles them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from plyground.jit import cache, compilers
from plyground.jit.cache import KernelCache, KernelLock, lock
from plyground.jit.first_use import first_use
from plyground.jit.progress import FRONT, Compilation, NotCompiled, compilations, without_compiling
from plyground.rules import inner, kernel
from plyground.spec import InputError

NUMBERS = np.arange(5)


@inner
def doubled(number):
    return 2 * number


def first_doubled(numbers):
    return doubled(numbers[0]) + 1


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(KernelCache, "folder", tmp_path)
    return tmp_path


def until(holds: Callable[[], object]) -> None:
    """Wait for what has to come."""
    end = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_kernel_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(compilations, "watch", lambda one, ended: seen.append((one.kernel, one.done, one.share, ended)))
    assert kernel(first_doubled)(NUMBERS) == 1
    assert seen[0] == ("first_doubled", 0, 0.0, False) and seen[-1][0] == "first_doubled" and seen[-1][3]
    assert [done for _, done, _, _ in seen] == [0, 1, 2, 2]  # the function that it calls, then itself
    assert seen[-1][2] == FRONT and not compilations.under_way


def test_the_time_left_is_that_of_the_rest_and_not_told_too_early() -> None:
    some = Compilation("grow", functions=10, begun=time.monotonic() - 7)
    assert some.seconds_left is None
    some.done = 5
    assert some.share == pytest.approx(FRONT / 2)
    assert some.seconds_left == pytest.approx(7 / some.share - 7, rel=0.2)


def test_who_does_not_want_to_wait_gets_a_kernel_that_is_there_and_no_other() -> None:
    with without_compiling():
        with pytest.raises(NotCompiled, match="first_doubled") as missing, first_use():
            kernel(first_doubled)(NUMBERS)
        assert missing.value.kernel == "first_doubled"
    assert kernel(first_doubled)(NUMBERS) == 1
    with without_compiling():
        assert kernel(first_doubled)(NUMBERS) == 1


@pytest.mark.skipif(cache.fcntl is None, reason="this system has no such locks")
def test_of_processes_that_need_the_same_kernel_one_compiles_and_the_others_wait(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kernel(first_doubled)(NUMBERS) == 1
    [file] = folder.iterdir()
    whole = file.read_bytes()
    file.unlink()
    other, answers = KernelLock(), list[int]()  # of a process that compiles the kernel at this moment
    other.take("first_doubled", file)
    monkeypatch.setattr(compilers.KernelCompiler, "compile_extra", None)  # nobody compiles here
    waiting = threading.Thread(target=lambda: answers.append(kernel(first_doubled)(NUMBERS)))
    waiting.start()
    until(lambda: compilations.under_way)
    assert not answers
    file.write_bytes(whole)
    other.release()
    waiting.join(300)
    assert answers == [1] and [*folder.iterdir()] == [file]


def test_a_kernel_that_does_not_compile_is_nobodys_any_more(folder: Path) -> None:
    with pytest.raises(InputError, match="do not compile"), first_use():
        kernel(lambda numbers: numbers.nothing)(NUMBERS)
    assert lock._held is None and not [*folder.iterdir()]
