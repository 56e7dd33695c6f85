"""Keys: 128 bits by which searches know a position again.

They are taken from the bytes of its state or, where a game gives `encode` and `symmetries`, from its planes:
then the smallest of the keys of all its mirror images is the key of them all.  Who moves is part of the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import dtype, gives, inner

SHIFT = np.uint64(29)
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd numbers with well-mixed bits


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


def words_of(game: Any, frames: np.ndarray) -> np.ndarray:
    """The states with which the frames begin, as 64-bit words: shape (frames, words)."""
    words = -(-dtype(game).itemsize // 8)
    return frames.view(np.uint64).reshape(frames.size, -1)[:, :words]
