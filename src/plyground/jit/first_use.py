"""The first use of a game, when kernels are compiled for it; and what is said if its rules do not compile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..spec import InputError
from .errors import refusal
from .progress import NotCompiled

llvm_level: ContextVar[int | None] = ContextVar("llvm_level", default=None)  # for kernels that this thread calls


@contextmanager
def compiling(level: int = 1) -> Iterator[None]:
    """Compile the kernels that this thread calls meanwhile sooner.

    LLVM's first level makes most kernels as fast as its third, since all that is small is written out anyway.
    """
    before = llvm_level.set(level)
    try:
        yield
    finally:
        llvm_level.reset(before)


@contextmanager
def first_use(level: int = 1) -> Iterator[None]:
    """Call kernels here such that they do nothing: they are compiled, or the rules are refused in one line.

    The level is LLVM's (see `compiling`).  NotCompiled is left to whoever does not want to wait.
    """
    try:
        with compiling(level):
            yield
    except NotCompiled:
        raise
    except Exception as error:
        raise InputError(refusal(error)) from error
