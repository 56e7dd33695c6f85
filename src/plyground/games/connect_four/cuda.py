"""Scores of many positions of Connect Four on a GPU, by `side_by_side`.

A launch of the kernel lets every thread go on for a second or so, and what is solved then is read in between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...jit import cuda as gpu
from ...spec import InputError
from . import cuda_kernel, negamax, side_by_side
from .book import CELLS, COLS, COLUMN, FLOOR, HIGH, have_four
from .scores import Position
from .side_by_side import ALL, FIELDS, JOB, TOTAL, Searches

BLOCK = 128  # threads
THREADS = 768  # of a multiprocessor
LAUNCH = 1.0  # seconds
FIRST = 2 * side_by_side.LOOK  # steps of the first launch, whose time says how many the next has
MOST = 1 << 20  # steps of a launch
NOTHING = Position(0, CELLS, 0)  # solved: with it threads begin, and ask for another


@cache
def kernels(cuda: Any) -> tuple[Any, Any]:
    """What lets threads go on, and what empties a table."""
    instead = {negamax.size: cuda_kernel.size, side_by_side.take: cuda_kernel.take}
    made = gpu.Kernels(cuda, cuda_kernel, {"cuda": cuda}, instead)
    return made.kernel(cuda_kernel.step), made.kernel(cuda_kernel.clear)


class CudaWorkers:
    """What `making.Workers` are, on a GPU: threads that find the scores of positions with one table."""

    def __init__(
        self, todo: Sequence[tuple[int, Position]], threads: int = 0, memory: float = 1024, block: int = BLOCK
    ) -> None:
        """threads: of all blocks together, 0: as many as run at once; memory: megabytes for the table."""
        self._cuda = gpu.load()
        self._keys = [key for key, _ in todo]
        self._order = np.arange(len(todo))  # in which positions are begun
        self._begun = 0
        self._steps, self.nodes = FIRST, 0
        self._shape = -(-(threads or self._multiprocessors * THREADS) // block), block
        self.threads = self._shape[0] * block
        self._step, self._clear = kernels(self._cuda)
        arrays = new_searches([position for _, position in todo], self.threads)
        self._low, self._high = arrays.low[:-1], arrays.high[:-1]
        self._done = np.zeros(len(todo), bool)  # solved and said so, or given up
        self.contradictions = 0
        try:
            self._searches = Searches(self._new_table(memory), *(gpu.put(self._cuda, array) for array in arrays[1:]))
        except Exception as error:
            if type(error).__name__ != "CudaAPIError":
                raise
            raise InputError(f"{memory:g} megabytes for the table cannot be had on the GPU; give less") from None

    @property
    def _multiprocessors(self) -> int:
        return 1 if gpu.is_simulated(self._cuda) else self._cuda.get_current_device().MULTIPROCESSOR_COUNT

    def _new_table(self, memory: float) -> Any:
        bits = max(COLS * HIGH - negamax.MOST_TAG + 1, math.floor(math.log2(memory * 2**17)))
        self._tag = negamax.tag_bits(COLS * HIGH, 1 << bits)
        if gpu.is_simulated(self._cuda):
            return np.zeros(1 << bits, np.int64)
        table = self._cuda.device_array(1 << bits, np.int64)
        self._clear[self._multiprocessors * 8, 256](table)
        return table

    @property
    def busy(self) -> bool:
        return not self._done.all()

    def more(self) -> list[tuple[int, int]]:
        """Let all threads go on for a while; the keys and scores of positions that are solved since."""
        searches, begun = self._searches, time.perf_counter()
        unsolved = self._low < self._high
        fresh = self._order[self._begun :]
        helped = self._order[: self._begun][unsolved[self._order[: self._begun]]]
        queue = np.concatenate([fresh, np.random.default_rng(self._begun).permutation(helped)])
        if unsolved.any():
            gpu.write(searches.queue, queue)
            gpu.write(searches.taker, np.zeros(1, np.int64))
            self._step[self._shape](searches, self._steps, len(queue), len(fresh), self._tag)
            self._low, self._high = (gpu.read(array, len(self._keys)) for array in (searches.low, searches.high))
            self._begun += min(int(gpu.read(searches.taker, 1)[0]), len(fresh))
            self.nodes = int(gpu.read(searches.threads[TOTAL], self.threads).sum())
            passed = time.perf_counter() - begun
            self._steps = min(max(int(self._steps * min(LAUNCH / passed, 8)), FIRST), MOST)
        new = (self._low >= self._high) & ~self._done
        self._done |= new
        self.contradictions += int((new & (self._low > self._high)).sum())
        return [(self._keys[i], int(self._low[i])) for i in np.flatnonzero(new & (self._low == self._high))]

    def stop(self) -> list[tuple[int, int]]:
        """Nothing runs between two launches."""
        return []

    def __str__(self) -> str:
        blocks, block = self._shape
        megabytes = self._searches.table.nbytes >> 20
        return f"{blocks * block:,} threads in blocks of {block} on a GPU, a table of {megabytes:,} MB"

    @property
    def registers(self) -> int:
        """Of a thread; 0 before the kernel is compiled."""
        return 0 if gpu.is_simulated(self._cuda) else max(self._step.get_regs_per_thread().values(), default=0)


def new_searches(positions: Sequence[Position], threads: int) -> Searches:
    """Positions that nobody has begun to search, and threads with nothing to do, without a table."""
    mine, taken, left = np.array([*positions, NOTHING], np.int64).T.copy()
    wins = left == 0
    for col in range(COLS):
        move = taken + FLOOR & CELLS & COLUMN << col * HIGH
        wins |= (move != 0) & have_four(mine | move)
    low, high = np.where(wins, left + 1 >> 1, -(left // 2)), np.where(wins, left + 1 >> 1, left - 1 >> 1)
    kept, frames = np.zeros((FIELDS, threads), np.int64), np.zeros((ALL + 1, threads), np.int64)
    kept[JOB] = len(positions)
    empty = np.zeros(0, np.int64)
    return Searches(empty, mine, taken, low, high, np.arange(len(mine)), np.zeros(1, np.int64), kept, frames)
