"""What a GPU does otherwise than `side_by_side`, of which it runs a thread for every thread there."""

from __future__ import annotations

from typing import Any

from .side_by_side import run

cuda: Any = None  # numba.cuda, when the kernel is made


def step(searches, steps, waiting, fresh, tag_bits):
    """Let all threads take so many steps."""
    t = cuda.grid(1)
    if t < searches.threads.shape[1]:
        run(searches, t, steps, waiting, fresh, tag_bits)


def clear(table):
    """Empty the table."""
    for i in range(cuda.grid(1), table.size, cuda.gridsize(1)):
        table[i] = 0


def take(taker):
    """How many have asked before, by whom it may be asked at the same time."""
    return cuda.atomic.add(taker, 0, 1)


def size(cells):
    """How many cells these are, by the processor's own instruction."""
    return cuda.popc(cells)
