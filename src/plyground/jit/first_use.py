"""The first use of a game, when kernels are compiled for it; and what is said if its rules do not compile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..spec import InputError
from .errors import reason

llvm_level: ContextVar[int | None] = ContextVar("llvm_level", default=None)  # for kernels that this thread calls


@contextmanager
def compiling(level: int = 1) -> Iterator[None]:
    """Compile the kernels that this thread calls meanwhile a quarter sooner.

    LLVM's first level makes most kernels as fast as its third, since all that is small is written out anyway;
    and the compiler makes so many objects that the garbage collector takes a seventh of its time.
    """
    before = llvm_level.set(level)
    try:
        yield
    finally:
        llvm_level.reset(before)


@contextmanager
def first_use(level: int = 1) -> Iterator[None]:
    """Call kernels here such that they do nothing: they are compiled, or the rules are refused in one line.

    The level is LLVM's (see `compiling`).
    """
    try:
        with compiling(level):
            yield
    except Exception as error:
        raise InputError(f"the rules do not compile: {reason(error)}") from error


class Compilations:
    """Counts the kernels that are being compiled and, if asked to, tells on stderr that a first use compiles."""

    def __init__(self) -> None:
        self.now = 0
        self.say = False
        self._turn = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """A kernel is being compiled."""
        with self._turn:
            self.now += 1
            say, self.say = self.say, False
        if say:
            print("plyground: compiling for the first use of this game, a few seconds ...", file=sys.stderr, flush=True)
        try:
            yield
        finally:
            with self._turn:
                self.now -= 1


compilations = Compilations()


def say_when_compiling() -> None:
    """Announce the next compilation of this process, once."""
    compilations.say = True
