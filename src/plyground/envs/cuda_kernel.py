"""The steps of `kernel` on a GPU: a thread for every environment, a block for a tile of neighbouring ones.

A GPU's memory is fast where neighbouring threads meet neighbouring addresses.  So environments are stored word by word,
the first words of all of them, then all the second ones.  And a thread writes planes and mask, in whatever order the
rules have, into memory that its block shares, from where all threads of the block copy the tile as it lies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..search.rng import below
from .kernel import Batch, begin, close, observe, play

# what these names stand for is said when the kernels are made, so that the compiler knows
cuda: Any = None
game: Any = None  # the rules
setting: Any = None  # what all environments have in common
encode: Any = None  # True, or None where the rules do not encode
ENVIRONMENT: Any = None  # type of the record of one environment
WORDS = 0  # of that record; a word has 64 bits
TAIL: Any = None  # type of what stands in that record after the state
TAIL_WORDS = 0
WORKSPACE: Any = None  # type of the record that a thread works with
WORKSPACE_WORDS = 0
TILE = 0  # environments of a block
MASK: Any = None  # type of a record with one `mask`
MASK_WORDS = 0  # of a tile's
PLANES: Any = None  # type of a record with the `planes` of one environment
PLANE_WORDS = 0  # of a tile's; 0 where there are none, or a block's memory is too small for them


class Arrays(NamedTuple):
    """What lies on the GPU besides a `Batch`."""

    store: Any  # int64[WORDS, n]: the environments
    masks: Any  # int64[...]: those of the batch, word by word
    planes: Any  # int64[...]: its observations, word by word
    chosen: Any  # bool[n]: where to begin a game
    played: Any  # int64[n]: the actions to play
    drawn: Any  # int64[n]: random actions
    blank: Any  # one zeroed state
    middle: Any  # int32[...]: the actions that the opponent takes before others


def begin_chosen(arrays, batch, limit, wanted):
    """Begin a game in the environments that are chosen."""
    i = cuda.grid(1)
    if arrays.chosen[i]:
        words = cuda.local.array(WORDS, "int64")
        workspaces = cuda.local.array(WORKSPACE_WORDS, "int64").view(WORKSPACE)
        one = row(batch, i, words.view(ENVIRONMENT), batch.observations[i : i + 1], batch.masks[i : i + 1])
        fetch(arrays, i, words, one, workspaces)
        one.terminated[0] = False
        one.truncated[0] = False
        one.ended[0] = False
        one.rewards[0] = 0.0
        begin(game, one, 0, setting, arrays.blank, wanted, workspaces)
        clear(one.masks[0])
        if encode is not None:
            clear(one.observations[0])
        observe(game, one, 0, encode, setting, workspaces[0])
        keep(arrays, i, words, one, workspaces)


def step(arrays, batch, limit, wanted):
    """Play an action in every environment; limit and wanted are those of `kernel.step_all`."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    mask_words = cuda.shared.array(MASK_WORDS, "int64")
    wipe(mask_words, t)
    if PLANE_WORDS > 0:
        plane_words = cuda.shared.array(PLANE_WORDS, "int64")
        wipe(plane_words, t)
        observations = plane_words.view(np.uint8).view(PLANES)["planes"][t : t + 1]
    else:
        observations = batch.observations[i : i + 1]
    cuda.syncthreads()
    words = cuda.local.array(WORDS, "int64")
    workspaces = cuda.local.array(WORKSPACE_WORDS, "int64").view(WORKSPACE)
    one = row(batch, i, words.view(ENVIRONMENT), observations, mask_words.view(np.uint8).view(MASK)["mask"][t : t + 1])
    fetch(arrays, i, words, one, workspaces)
    action = arrays.played[i]
    one.fits[0] = 0 <= action < batch.masks.shape[1] and batch.masks[i, max(action, 0)] != 0
    play(game, one, 0, action, limit, setting, workspaces)
    one.ended[0] = one.terminated[0] or one.truncated[0]
    if one.ended[0]:
        close(game, one, 0, encode)
        begin(game, one, 0, setting, arrays.blank, wanted, workspaces)
    if PLANE_WORDS == 0:
        if encode is not None:
            clear(observations[0])
    observe(game, one, 0, encode, setting, workspaces[0])
    keep(arrays, i, words, one, workspaces)
    cuda.syncthreads()
    copy(mask_words, arrays.masks, t)
    if PLANE_WORDS > 0:
        copy(plane_words, arrays.planes, t)


def draw(arrays, batch, limit, wanted):
    """Draw a legal action for every environment, each as likely as any other."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    mask_words = cuda.shared.array(MASK_WORDS, "int64")
    first = cuda.blockIdx.x * MASK_WORDS
    for j in range(t, MASK_WORDS, TILE):
        mask_words[j] = arrays.masks[first + j]
    words = cuda.local.array(TAIL_WORDS, "int64")
    tails, before = words.view(TAIL), WORDS - words.size
    for w in range(words.size):
        words[w] = arrays.store[before + w, i]
    cuda.syncthreads()
    mask = mask_words.view(np.uint8).view(MASK)[t].mask
    left = below(tails[0], tails[0].choices) + 1
    action = -1
    while left > 0 and action + 1 < mask.size:
        action += 1
        left -= mask[action]
    arrays.drawn[i] = action
    for w in range(words.size):
        arrays.store[before + w, i] = words[w]


def row(batch, i, envs, observations, masks):
    """A batch of one environment, the i-th, with its record, observation and mask where they are said to be."""
    return Batch(
        envs,
        observations,
        masks,
        batch.rewards[i : i + 1],
        batch.terminated[i : i + 1],
        batch.truncated[i : i + 1],
        batch.ended[i : i + 1],
        batch.players[i : i + 1],
        batch.waits[i : i + 1],
        batch.fits[i : i + 1],
        batch.final_observations[i : i + 1],
        batch.finals[i : i + 1],
    )


def fetch(arrays, i, words, one, workspaces):
    """Take an environment out of the store, and make the workspace ready."""
    for w in range(WORDS):
        words[w] = arrays.store[w, i]
    workspaces[0].rng = one.envs[0].rng
    workspaces[0].middles = arrays.middle.size
    for j in range(arrays.middle.size):
        workspaces[0].middle[j] = arrays.middle[j]


def keep(arrays, i, words, one, workspaces):
    """Put an environment back into the store."""
    one.envs[0].rng = workspaces[0].rng
    for w in range(WORDS):
        arrays.store[w, i] = words[w]


def wipe(words, t):
    """Set the words that a block shares to zero, a part of them by each thread."""
    for j in range(t, words.size, TILE):
        words[j] = 0


def copy(words, whole, t):
    """Copy the words that a block shares to where they belong in the whole, a part of them by each thread."""
    first = cuda.blockIdx.x * words.size
    for j in range(t, words.size, TILE):
        whole[first + j] = words[j]


def clear(array):
    """Set all numbers of an array to zero."""
    for place in np.ndindex(array.shape):
        array[place] = 0
