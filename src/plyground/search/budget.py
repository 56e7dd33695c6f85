"""What one search may spend, and how it finds out that it is spent: the only place where a search looks at the clock.

A `Budget` is made when the search begins; its clock runs from then on.  A search runs under it in one of two ways:

    in slices   the kernel makes as many steps as it is asked for and comes back (simulations of a tree):

                    done = 0
                    while asked := budget.slice(done):
                        done += kernel(asked)

    beside      the kernel works until it is ready, in a thread of its own, and ends early when a flag says so
                (alpha-beta):

                    budget.run(work, halt)

Either way it beats (see `heartbeat`) as long as it comes further.

Agents make theirs from a `Limit` and their own options: see `Limit.budget`.  Memory is no part of it: trees and tables
have their size before a search begins.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..heartbeat import beat

SLICE = 0.02  # seconds between two looks at the clock
FIRST = 1000  # steps before the first look, unless there is a time limit
FASTER = 8  # a slice is at most so many times what was done before it: the first steps say little of the speed
PACE = 0.1  # seconds between two times that a watcher is told
ENDLESS = 2**62  # steps

T = TypeVar("T")


@dataclass
class Budget:
    """Bounds on one search, of which the first that is reached ends it; without any bound it goes on for ever."""

    steps: int | None = None  # simulations, or nodes
    seconds: float | None = None
    stop: Callable[[], bool] | None = None  # asked at every look at the clock: shall the search end here?
    watch: Callable[[], Any] | None = None  # called now and then, every PACE seconds
    begun: float = field(default_factory=lambda: time.perf_counter())

    def __post_init__(self) -> None:
        self._told = self.begun

    @property
    def passed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.begun

    @property
    def seconds_left(self) -> float:
        """Seconds, less than 0 when the time is up; infinity without a time limit."""
        return math.inf if self.seconds is None else self.seconds - self.passed

    def over(self) -> bool:
        """Look at the clock: is the time up, or does `stop` say so?  The watcher is told, if it is due."""
        beat()
        return self._look()

    def _look(self) -> bool:
        now = time.perf_counter()
        if self.watch and now - self._told >= PACE:
            self._told = now
            self.watch()
        return self.seconds_left <= 0 or bool(self.stop and self.stop())

    def left(self, done: int) -> int:
        """How many steps are left after so many; none if it is over.  Whatever the clock says, there is a first one."""
        left = ENDLESS if self.steps is None else self.steps - done
        return 0 if left <= 0 or (done > 0 and self.over()) else left

    def slice(self, done: int) -> int:
        """How many steps to make, after so many, before the next look at the clock; 0: the search is over."""
        left = self.left(done)
        if left == 0 or done == 0:
            return min(left, FIRST if self.seconds is None else 1)
        in_time = done / max(self.passed, 1e-9) * max(0.0, min(SLICE, self.seconds_left))
        return min(left, max(1, min(FASTER * done, int(in_time))))

    def run(self, work: Callable[[], T], halt: Callable[[], Any], nodes: Callable[[], int] | None = None) -> T:
        """Let `work` run beside this thread until it is ready or the budget is over; its result.

        `halt` makes it end soon.  It is called in any case, after an exception (an interruption) as well.
        nodes: how many it has looked at so far; while these become more, it comes further.
        """
        seen = -1
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(work)
            try:
                while not wait([running], max(0.001, min(SLICE, self.seconds_left))).done and not self._look():
                    before, seen = seen, nodes() if nodes else seen + 1
                    if seen != before:
                        beat()
            finally:
                halt()
            return running.result()

    def noting(self, note: Callable[[], Any]) -> Budget:
        """The same budget for a search that writes down, by `note`, how far it is, whenever a watcher is to be told."""
        watch = self.watch

        def look() -> None:
            note()
            if watch:
                watch()

        return replace(self, watch=look)

    def within(self, seconds: float) -> Budget:
        """A budget for a part of the search: so many seconds from now on, if as many are left.  It is silent."""
        return Budget(None, max(0.0, min(seconds, self.seconds_left)), self.stop)

    def until(self, share: float) -> Budget:
        """A budget for a part of the search: until this share of the whole time has passed.  It is silent."""
        return self.within(math.inf if self.seconds is None else share * self.seconds - self.passed)

    def after(self, done: int) -> Budget:
        """What is left for a second search, after so many steps of a first; at least one.  It is silent."""
        return replace(self, steps=None if self.steps is None else max(1, self.steps - done), watch=None)

    def split(self, number: int) -> list[Budget]:
        """Budgets of searches side by side, which share the steps; the first tells the watcher."""
        steps = [None if self.steps is None else (self.steps + i) // number for i in range(number)]
        return [replace(self, steps=n, watch=None if i else self.watch) for i, n in enumerate(steps)]


def least(*bounds: Any) -> Any:
    """The smallest of the bounds that are given."""
    given = [bound for bound in bounds if bound is not None]
    return min(given) if given else None
