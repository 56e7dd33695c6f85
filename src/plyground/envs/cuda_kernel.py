"""The steps of `kernel` on a GPU: a thread for every environment, a block for a tile of neighbouring ones.

A GPU's memory is fast where neighbouring threads meet neighbouring addresses, and rules read and write in whatever
order they have.  So they meet states, planes and masks in memory that their block shares: all its threads together copy
the tile there and back as it lies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..search.rng import below
from .kernel import Batch, Scratch, allow, begin, close, observe, play

# what these names stand for is said when the kernels are made, so that the compiler knows
cuda: Any = None
game: Any = None  # the rules
setting: Any = None  # what all environments have in common
encode: Any = None  # True, or None where the rules do not encode
ACTIONS = 0  # of the game
LISTED: Any = None  # type of the numbers in lists of actions
WORKSPACE: Any = None  # type of the record that a thread works with
WORKSPACE_WORDS = 0  # of that record; a word has 64 bits
STATE: Any = None  # type of a state
AHEAD = 0  # words of two states, for an opponent that looks ahead; 0 where there is none
AHEAD_BYTES = 0  # of the two
TILE = 0  # environments of a block
ENVIRONMENT: Any = None  # type of the record of one environment
ENVIRONMENT_WORDS = 0  # of a tile's; 0 where a block's memory is too small for them
MASK: Any = None  # type of a record with a mask as its `row`
MASK_WORDS = 0  # of a tile's
PLANES: Any = None  # type of a record with the planes of one environment as its `row`
PLANE_WORDS = 0  # of a tile's; 0 where there are none, or a block's memory is too small for them
MOVES: Any = None  # type of a record as long as the planes, with a list of actions, `moves`; None if they are too short


class Arrays(NamedTuple):
    """What lies on the GPU besides a `Batch`."""

    envs: Any  # int64[...]: those of the batch, word by word
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
        ahead = cuda.local.array(AHEAD, "int64").view(np.uint8)[:AHEAD_BYTES].view(STATE) if AHEAD > 0 else arrays.blank
        scratch = Scratch(cuda.local.array(WORKSPACE_WORDS, "int64").view(WORKSPACE), ahead)
        one = row(batch, i, batch.envs[i : i + 1], batch.observations[i : i + 1], batch.masks[i : i + 1])
        make_ready(arrays, one, scratch.workspaces[0])
        one.terminated[0] = False
        one.truncated[0] = False
        one.ended[0] = False
        one.rewards[0] = 0.0
        begin(game, one, 0, setting, arrays.blank, wanted, scratch)
        one.envs[0].rng = scratch.workspaces[0].rng
        clear(one.masks[0].row)
        if encode is not None:
            clear(one.observations[0].row)
        observe(game, one, 0, encode, setting, cuda.local.array(ACTIONS, LISTED))


def step(arrays, batch, limit, wanted):
    """Play an action in every environment; limit and wanted are those of `kernel.step_batch`."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    mask_words = cuda.shared.array(MASK_WORDS, "int64")
    if PLANE_WORDS > 0:
        plane_words = cuda.shared.array(PLANE_WORDS, "int64")
        observations = plane_words.view(np.uint8).view(PLANES)[t : t + 1]
    else:
        observations = batch.observations[i : i + 1]
    if ENVIRONMENT_WORDS > 0:
        env_words = cuda.shared.array(ENVIRONMENT_WORDS, "int64")
        fetch(env_words, arrays.envs, t)
        cuda.syncthreads()
        envs = env_words.view(ENVIRONMENT)[t : t + 1]
    else:
        envs = batch.envs[i : i + 1]
    ahead = cuda.local.array(AHEAD, "int64").view(np.uint8)[:AHEAD_BYTES].view(STATE) if AHEAD > 0 else arrays.blank
    scratch = Scratch(cuda.local.array(WORKSPACE_WORDS, "int64").view(WORKSPACE), ahead)
    one = row(batch, i, envs, observations, mask_words.view(np.uint8).view(MASK)[t : t + 1])
    make_ready(arrays, one, scratch.workspaces[0])
    # where planes will stand a list of actions may stand before
    moves = plane_words.view(np.uint8).view(MOVES)[t].moves if MOVES is not None else cuda.local.array(ACTIONS, LISTED)
    action = arrays.played[i]
    one.fits[0] = 0 <= action < ACTIONS and batch.masks[i].row[max(action, 0)] != 0
    play(game, one, 0, action, limit, setting, scratch)
    one.ended[0] = one.terminated[0] or one.truncated[0]
    if one.ended[0]:
        close(game, one, 0, encode, moves)
        begin(game, one, 0, setting, arrays.blank, wanted, scratch)
    one.envs[0].rng = scratch.workspaces[0].rng
    one.players[0] = game.player(one.envs[0].state)
    wipe(mask_words, t)
    cuda.syncthreads()
    allow(game, one, 0, moves)
    if PLANE_WORDS > 0:
        cuda.syncthreads()
        wipe(plane_words, t)
        cuda.syncthreads()
    if encode is not None:
        if PLANE_WORDS == 0:
            clear(observations[0].row)
        game.encode(one.envs[0].state, observations[0].row)
    cuda.syncthreads()
    copy(mask_words, arrays.masks, t)
    if PLANE_WORDS > 0:
        copy(plane_words, arrays.planes, t)
    if ENVIRONMENT_WORDS > 0:
        copy(env_words, arrays.envs, t)


def draw(arrays, batch, limit, wanted):
    """Draw a legal action for every environment, each as likely as any other."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    mask_words = cuda.shared.array(MASK_WORDS, "int64")
    fetch(mask_words, arrays.masks, t)
    cuda.syncthreads()
    mask = mask_words.view(np.uint8).view(MASK)[t].row
    left = below(batch.envs[i], batch.envs[i].choices) + 1
    action = -1
    while left > 0 and action + 1 < mask.size:
        action += 1
        left -= mask[action]
    arrays.drawn[i] = action


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
        batch.final_masks[i : i + 1],
        batch.final_players[i : i + 1],
    )


def make_ready(arrays, one, workspace):
    """Fill in what a thread works with."""
    workspace.rng = one.envs[0].rng
    workspace.middles = arrays.middle.size
    for j in range(arrays.middle.size):
        workspace.middle[j] = arrays.middle[j]


def wipe(words, t):
    """Set the words that a block shares to zero, a part of them by each thread."""
    for j in range(t, words.size, TILE):
        words[j] = 0


def fetch(words, whole, t):
    """Fill the words that a block shares with what belongs there from the whole, a part of them by each thread."""
    first = cuda.blockIdx.x * words.size
    for j in range(t, words.size, TILE):
        words[j] = whole[first + j]


def copy(words, whole, t):
    """Copy the words that a block shares to where they belong in the whole, a part of them by each thread."""
    first = cuda.blockIdx.x * words.size
    for j in range(t, words.size, TILE):
        whole[first + j] = words[j]


def clear(array):
    """Set all numbers of an array to zero."""
    for place in np.ndindex(array.shape):
        array[place] = 0
