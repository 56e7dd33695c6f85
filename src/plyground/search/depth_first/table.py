"""The transposition table: what a search has found out about positions, in bounded memory.

Of the 128 bits of a position's key (see `hashing`), 64 choose its two places in the table, the other 64 are kept
there and have to agree, so that in practice no position is ever taken for another.  Of the two places the
first keeps the deepest search, the second the latest.

A search within a window finds a value or a bound of it.  Whether that answers another search is a question of
windows alone (`bound_of`, `suffices`), and a proven value counts its plies from the position it is kept for
(`farther`): these three hold for any table.
"""

from __future__ import annotations

import numpy as np

from ...rules import inner, record
from .stack import PROVEN

ENTRY = record(
    [
        ("check", np.uint64),  # the second half of the key
        ("value", np.float64),  # for player 0; a proven one counts its plies from here
        ("depth", np.int16),  # plies searched; COMPLETE if no guess has entered
        ("best", np.int16),  # the best action, as the mirror image that gives the key names it
        ("bound", np.int8),  # 0 while the entry is empty
    ]
)
LOWER, EXACT, UPPER = 1, 2, 3  # what the value is: at least, just, at most
COMPLETE = 32_000  # a depth beyond all others


def new(megabytes: float) -> np.ndarray:
    """An empty table of at most this size, with a power of two of entries."""
    entries = max(2, int(megabytes * 2**20) // ENTRY.itemsize)
    return np.zeros(1 << (entries.bit_length() - 1), ENTRY)


@inner
def find(table, key, check):
    """The place of a position in the table, or -1 if it is not there."""
    place = np.int64(key & np.uint64(table.size - 2))
    for at in (place, place + 1):
        if table[at].bound != 0 and table[at].check == check:
            return at
    return np.int64(-1)


@inner
def store(table, key, check, value, depth, best, bound, ply):
    """Write down what was found; among the two places, the deeper search keeps the first."""
    place = np.int64(key & np.uint64(table.size - 2))
    if table[place].bound != 0 and table[place].check != check and table[place].depth > depth:
        place += 1
    entry = table[place]
    entry.check = check
    entry.value = farther(value, -ply, PROVEN)
    entry.depth = depth
    entry.best = best
    entry.bound = bound


@inner
def farther(value, plies, proven):
    """A value that counts its plies from a position, counted from so many plies before; `proven` is the least win."""
    if value >= proven:
        return value - plies
    return value + plies if value <= -proven else value


@inner
def bound_of(value, alpha, beta):
    """What a search within this window, fail-soft, has found: the value or a bound of it."""
    return LOWER if value >= beta else UPPER if value <= alpha else EXACT


@inner
def suffices(bound, value, alpha, beta):
    """Does such a value answer a search within this window?"""
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
