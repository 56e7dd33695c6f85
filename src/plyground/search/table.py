"""The transposition table: what a search has found out about positions, in bounded memory.

A position is known by 128 bits: 64 choose its two places in the table, the other 64 are kept there and
have to agree, so that in practice no position is ever taken for another.  Where a game gives `encode` and
`symmetries`, the key is the smallest of the keys of all its mirror images, and one entry serves them all.
Of the two places the first keeps the deepest search, the second the latest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import gives, inner, record
from .frames import PROVEN

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

SHIFT, ONE = np.uint64(29), np.uint64(1)
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd numbers with well-mixed bits


def new(megabytes: float) -> np.ndarray:
    """An empty table of at most this size, with a power of two of entries."""
    entries = max(2, int(megabytes * 2**20) // ENTRY.itemsize)
    return np.zeros(1 << (entries.bit_length() - 1), ENTRY)


def mirrored(game: Any) -> bool:
    """Does the game say how to mirror its positions?"""
    return gives(game, "encode", "planes", "symmetries") and len(game.symmetries()) > 1


def key_fields(game: Any) -> list:
    """What the work record holds to take keys."""
    fields: list = [("key", np.uint64, (2,)), ("image", np.int64)]  # image: the symmetry that gives the key
    if mirrored(game):
        planes, height, width = game.planes()
        count = len(game.symmetries())
        fields += [
            ("planes", np.float32, (planes, height, width)),
            ("numbers", np.uint64, (planes * height * width, 2)),  # random, one for every cell of every plane
            ("cells", np.int32, (count, height * width)),  # where each symmetry takes a cell
            ("actions", np.int32, (count, game.actions())),  # and an action
            ("back", np.int32, (count, game.actions())),
            ("keys", np.uint64, (count, 2)),
        ]
    return fields


def prepare(game: Any, work: Any) -> None:
    """Fill in what `key_fields` names."""
    if not mirrored(game):
        return
    work.numbers[:] = np.random.default_rng(1).integers(1, 2**64, work.numbers.shape, np.uint64, endpoint=False)
    for i, (actions, cells) in enumerate(game.symmetries()):
        work.cells[i], work.actions[i] = cells, actions
        work.back[i][actions] = np.arange(game.actions())


@inner
def take_key(game, work, state, words, player, mirrors):
    """Put the key of a state into work.key and the symmetry that gives it into work.image."""
    key, check = np.uint64(player + 1) * FIRST, np.uint64(player + 1) * SECOND  # no word undoes both
    work.image = 0
    if mirrors is None:
        for i in range(words.size):
            key = (key ^ words[i]) * FIRST
            key ^= key >> SHIFT
            check = (check ^ words[i]) * SECOND
            check ^= check >> SHIFT
    else:
        planes, keys = work.planes, work.keys
        for image in range(len(keys)):
            keys[image, 0] = key
            keys[image, 1] = check
        for p in range(planes.shape[0]):
            for y in range(planes.shape[1]):
                for x in range(planes.shape[2]):
                    planes[p, y, x] = 0
        game.encode(state, planes)
        size = planes.shape[1] * planes.shape[2]
        for p in range(planes.shape[0]):
            for y in range(planes.shape[1]):
                for x in range(planes.shape[2]):
                    if planes[p, y, x] != 0:
                        much = np.uint64(np.int64(planes[p, y, x] * 65536) - 65535)  # 1 for the usual one
                        for image in range(len(keys)):
                            cell = p * size + work.cells[image, y * planes.shape[2] + x]
                            keys[image, 0] ^= work.numbers[cell, 0] * much
                            keys[image, 1] ^= work.numbers[cell, 1] * much
        for image in range(1, len(keys)):
            if keys[image, 0] < keys[work.image, 0]:
                work.image = image
        key, check = keys[work.image, 0], keys[work.image, 1]
    work.key[0] = key
    work.key[1] = check


@inner
def find(table, key, check):
    """The place of a position in the table, or -1 if it is not there."""
    place = np.int64(key & np.uint64(table.size - 2))
    for at in (place, place + 1):
        if table[at].bound != 0 and table[at].check == check:
            return at
    return np.int64(-1)


@inner
def keep(table, key, check, value, depth, best, bound, ply):
    """Write down what was found; among the two places, the deeper search keeps the first."""
    place = np.int64(key & np.uint64(table.size - 2))
    if table[place].bound != 0 and table[place].check != check and table[place].depth > depth:
        place += 1
    entry = table[place]
    if value >= PROVEN:
        value += ply
    elif value <= -PROVEN:
        value -= ply
    entry.check = check
    entry.value = value
    entry.depth = depth
    entry.best = best
    entry.bound = bound
