"""What this process compiles at the moment and how far that is; and calls that must not wait for a compiler."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

FRONT = 0.7  # the share of the time in which functions are typed and lowered one by one; LLVM takes the rest at once
EARLY = 0.1  # done: before that nobody can say how long the rest takes


@dataclass
class Compilation:
    """One kernel on its way to machine code."""

    kernel: str
    functions: int = 1  # that it is likely to be made of
    done: int = 0  # of these
    begun: float = field(default_factory=time.monotonic)

    @property
    def share(self) -> float:
        """How much of it is done, as far as functions tell: 0 to FRONT."""
        return FRONT * min(1.0, self.done / self.functions)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take; None if that cannot be told yet."""
        passed, share = time.monotonic() - self.begun, self.share
        return None if share < EARLY else passed / share * (1 - share)


def described(kernel: str, share: float, seconds_left: float | None) -> str:
    """What is being compiled and how far that is, for people."""
    left = "" if seconds_left is None else f", about {max(1, round(seconds_left))} s left"
    return f"compiling {kernel}, {share:.0%} done{left}"


class Compilations:
    """The kernels that are being compiled here, or that another process compiles for us.

    If asked to, it tells on stderr that a first use compiles.  `watch` is told whenever something has changed: the
    compilation and whether it has ended.
    """

    def __init__(self) -> None:
        self.under_way: list[Compilation] = []
        self.say = False
        self.watch: Callable[[Compilation, bool], None] | None = None
        self._turn = threading.Lock()

    @contextmanager
    def one(self, kernel: str, functions: int = 1) -> Iterator[None]:
        """A kernel is being compiled."""
        compilation = Compilation(kernel, max(1, functions))
        with self._turn:
            self.under_way.append(compilation)
            say, self.say = self.say, False
        if say:
            print("plyground: compiling for the first use of this game, a few seconds ...", file=sys.stderr, flush=True)
        self._tell(compilation)
        try:
            yield
        finally:
            with self._turn:
                self.under_way.remove(compilation)
            self._tell(compilation, ended=True)

    def function_done(self) -> None:
        """One of the functions of the kernel that this thread compiles is typed and lowered."""
        if self.under_way:  # one at a time: Numba's lock sees to it
            self.under_way[-1].done += 1
            self._tell(self.under_way[-1])

    def _tell(self, compilation: Compilation, ended: bool = False) -> None:
        if self.watch:
            self.watch(compilation, ended)


compilations = Compilations()


def say_when_compiling() -> None:
    """Announce the next compilation of this process, once."""
    compilations.say = True


class NotCompiled(Exception):
    """A kernel would have to be compiled, where nobody wants to wait for that."""

    def __init__(self, kernel: str) -> None:
        super().__init__(f"{kernel} is not compiled yet")
        self.kernel = kernel


may_compile: ContextVar[bool] = ContextVar("may_compile", default=True)  # kernels that this thread calls


@contextmanager
def without_compiling() -> Iterator[None]:
    """Kernels that this thread calls meanwhile are loaded, or NotCompiled is raised."""
    before = may_compile.set(False)
    try:
        yield
    finally:
        may_compile.reset(before)
