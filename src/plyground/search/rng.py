"""Random numbers for kernels: xorshift64, whose state is the word `rng` of a workspace.

It needs shifts and exclusive-or alone, so interpreted and compiled kernels draw the same numbers.
"""

from __future__ import annotations

import operator

import numpy as np

from ..rules import inner

FINE = 2**31  # steps of a random number between 0 and 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64
A, B, C, HALF = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)


def seeded(seed: int) -> np.uint64:
    """A generator's state for any int; neighbouring seeds give unrelated streams (splitmix64)."""
    z = (seed + GOLDEN) % 2**64
    z = (z ^ z >> 30) * FIRST % 2**64
    z = (z ^ z >> 27) * SECOND % 2**64
    return np.uint64(z ^ z >> 31 or 1)


def streams(seed: int, number: int) -> np.ndarray:
    """The states of so many generators, uint64[number], no two alike; the first is that of `seeded`."""
    return scrambled(np.uint64(operator.index(seed) % 2**64) + np.uint64(GOLDEN) * np.arange(number, dtype=np.uint64))


def scrambled(seeds: np.ndarray) -> np.ndarray:
    """What `seeded` makes of each of these seeds, uint64[...]."""
    z = seeds + np.uint64(GOLDEN)
    z = (z ^ z >> np.uint64(30)) * np.uint64(FIRST)
    z = (z ^ z >> np.uint64(27)) * np.uint64(SECOND)
    z ^= z >> np.uint64(31)
    return np.where(z == 0, np.uint64(1), z)


@inner
def below(workspace, n):
    """A random int in range(n), for n up to 2**31."""
    x = workspace.rng
    x ^= x << A
    x ^= x >> B
    x ^= x << C
    workspace.rng = x
    return np.int64((x >> HALF) * np.uint64(n) >> HALF)


@inner
def drawn(workspace, values, weights, count):
    """One of values[:count], drawn by their weights, which add up to 1."""
    x = below(workspace, FINE) / FINE
    for i in range(count - 1):
        x -= weights[i]
        if x < 0:
            return np.int64(values[i])
    return np.int64(values[count - 1])


@inner
def outcome(game, state, workspace):
    """The outcome of a chance event, drawn by its probability; the workspace has room for `moves` and `weights`."""
    count = game.chance(state, workspace.moves, workspace.weights)
    return drawn(workspace, workspace.moves, workspace.weights, count)
