"""Keys: 128 bits by which searches know a position again.

They are taken from the bytes of its state or, where a game gives `encode` and `symmetries`, from its planes:
then the smallest of the keys of all its mirror images is the key of them all.  Who moves is part of the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import dtype, gives, inner, record, with_attributes

SHIFT = np.uint64(29)
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd numbers with well-mixed bits


def mirrored(game: Any) -> bool:
    """Does the game say how to mirror its positions?"""
    return gives(game, "encode", "planes", "symmetries") and len(game.symmetries()) > 1


def images_type(game: Any) -> np.dtype:
    """What the keys of mirror images are taken with; nothing, if the game has none."""
    if not mirrored(game):
        return record([("none", np.int8)])
    planes, height, width = game.planes()
    count, cells, actions = len(game.symmetries()), height * width, game.actions()
    return record(
        [
            ("planes", np.float32, (planes, height, width)),  # the state, encoded
            ("numbers", np.uint64, (planes * cells, 2)),  # random, one for every cell of every plane
            ("cells", np.int32, (count, cells)),  # where each symmetry takes a cell
            ("actions", np.int32, (count, actions)),  # and an action
            ("back", np.int32, (count, actions)),  # and which action it takes to this one
            ("keys", np.uint64, (count, 2)),
        ]
    )


def prepare(game: Any, images: Any) -> None:
    """Fill in what stays the same in a record of this type."""
    if not mirrored(game):
        return
    images.numbers[:] = np.random.default_rng(1).integers(1, 2**64, images.numbers.shape, np.uint64, endpoint=False)
    for i, (actions, cells) in enumerate(game.symmetries()):
        images.cells[i], images.actions[i] = cells, actions
        images.back[i][actions] = np.arange(game.actions())


@inner
def key_of(game, images, state, words, player):
    """Both halves of the key of a state, and the symmetry that gives it: 0, the identity, if `images` is None.

    `words` (words,) are the state's own bytes, see `with_words`.
    """
    key, check = np.uint64(player + 1) * FIRST, np.uint64(player + 1) * SECOND  # no word undoes both
    if images is None:
        for i in range(words.size):
            key = (key ^ words[i]) * FIRST
            key ^= key >> SHIFT
            check = (check ^ words[i]) * SECOND
            check ^= check >> SHIFT
        return key, check, np.int64(0)
    planes, keys, cells, numbers = images.planes, images.keys, images.cells, images.numbers
    for i in range(len(keys)):
        keys[i, 0] = key
        keys[i, 1] = check
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
                    for i in range(len(keys)):
                        cell = p * size + cells[i, y * planes.shape[2] + x]
                        keys[i, 0] ^= numbers[cell, 0] * much
                        keys[i, 1] ^= numbers[cell, 1] * much
    least = np.int64(0)
    for i in range(1, len(keys)):
        if keys[i, 0] < keys[least, 0]:
            least = i
    return keys[least, 0], keys[least, 1], least


def with_words(game: Any, fields: list) -> np.dtype:
    """A record type that begins with a state, and the field `words`: the bytes of that state as 64-bit words."""
    plain: Any = record(fields)
    count = -(-dtype(game).itemsize // 8)
    whole: Any = {
        "names": [*plain.names, "words"],
        "formats": [*(plain[name] for name in plain.names), (np.uint64, (count,))],
        "offsets": [*(plain.fields[name][1] for name in plain.names), 0],
        "itemsize": plain.itemsize,
    }
    return with_attributes(np.dtype(whole, align=True))
