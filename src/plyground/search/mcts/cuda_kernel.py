"""Many searches at once on a GPU: the kernel of `simulate`, a thread for every tree; and random games, by the thousand
in every thread.

What a search meets with every move, its `near` record, lies in memory that the threads of a block share: memory that
all threads share is fast only where neighbours meet neighbouring addresses, and rules read and write in whatever order
they have.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..random_games import play_one
from ..tree import FIXED, NONE, ROOT
from ..workspace import SMALL
from .simulate import grow

# what these names stand for is said when the kernels are made, so that the compiler knows
cuda: Any = None
game: Any = None  # the rules
switches: Any = None  # `simulate.Switches`
by_value: Any = None  # True if the child with the highest value is chosen, None if the one with most visits is
NEAR: Any = None  # type of the records that are near
NEAR_WORDS = 0  # of those of a block; 0 where a block's memory is too small for them; a word has 64 bits
NOW_WORDS = 0  # of the position in one of them
LOGS: Any = None  # float64[SMALL]: sqrt(ln n)


class Searches(NamedTuple):
    """n searches of one game."""

    words: Any  # int64[...]: `near`, word by word
    near: Any  # [n]
    trails: Any  # [n]
    nodes: Any  # [n, capacity]: the trees
    unused: Any  # [1]: a node that is zero
    roots: Any  # [n]: states
    seeds: Any  # uint64[n]
    chosen: Any  # int64[n]: actions
    simulated: Any  # int64[n]: simulations so far


def plant(searches, count, simulations):
    """Begin so many searches, the first ones, each at its root with an empty tree."""
    i = cuda.grid(1)
    if i < count:
        workspace, nodes = searches.near[i], searches.nodes[i]
        searches.trails["root"]["state"][i] = searches.roots[i]
        workspace.rng = searches.seeds[i]
        workspace.played = 0
        workspace.options.sign = 1 - 2 * game.player(searches.trails[i].root.state)
        for j in range(nodes[NONE].first):
            nodes[j] = searches.unused[0]
        nodes[NONE].first = FIXED
        searches.simulated[i] = 0


def simulate(searches, count, simulations):
    """Let every tree grow by so many simulations, fewer where it gets proven."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    if NEAR_WORDS > 0:
        words = cuda.shared.array(NEAR_WORDS, "int64")
        first = cuda.blockIdx.x * NEAR_WORDS
        for j in range(t, NEAR_WORDS, cuda.blockDim.x):
            words[j] = searches.words[first + j]
        cuda.syncthreads()
        near = words.view(NEAR)[t : t + 1]
    else:
        near = searches.near[i : i + 1]
    if i < count:
        searches.simulated[i] += grow(
            game,
            near,
            searches.trails[i : i + 1],
            searches.nodes[i],
            switches,
            simulations,
        )
    if NEAR_WORDS > 0:
        cuda.syncthreads()
        for j in range(t, NEAR_WORDS, cuda.blockDim.x):
            searches.words[first + j] = words[j]


class Games(NamedTuple):
    """n streams of random games."""

    seeds: Any  # uint64[n]: where the random numbers of each stream stand
    tallies: Any  # [n]: what has become of its games
    starts: Any  # [1]: where all games begin
    near: Any  # [n]: what plays them, where a block's memory is too small for that


def play_games(batch, games, more):
    """Play random games in every stream, so many, and one more in the first ones."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    near = batch.near[i : i + 1]
    if NEAR_WORDS > 0:
        near = cuda.shared.array(NEAR_WORDS, "int64").view(NEAR)[t : t + 1]
    if i < batch.seeds.size:
        near[0].rng = batch.seeds[i]
        for _ in range(games + (i < more)):
            play_one(game, near, batch.starts, batch.tallies[i], switches)
        batch.seeds[i] = near[0].rng


def go_to_root(workspaces, trails):
    """What `simulate.go_to_root` does, word by word."""
    workspace, trail = workspaces[0], trails[0]
    for j in range(NOW_WORDS):
        workspace.now_words[j] = trail.root_words[j]


def sqrt_log(workspace, visits):
    """What `uct.sqrt_log` does, by a table that all searches have in common."""
    return LOGS[visits] if visits < SMALL else math.sqrt(math.log(visits))


def choose(searches, count, simulations):
    """Choose an action at every root: a proven win before all others, and a proven loss after them.

    As the agents rank them: one that was never tried is better than a sure loss.
    """
    i = cuda.grid(1)
    if i < count:
        workspace, trail, nodes = searches.near[i], searches.trails[i], searches.nodes[i]
        root, sign = nodes[ROOT], workspace.options.sign
        best, best_proof, best_first, best_second = NONE, -2.0, 0.0, 0.0
        for child in range(root.first, root.first + root.width):
            node = nodes[child]
            proof, value = sign * node.proof, sign * (node.value if node.proof == 0 else node.proof)
            first, second = np.float64(node.visits), value
            if by_value is not None:
                first, second = value, np.float64(node.visits)
            better = proof > best_proof or (
                proof == best_proof and (first > best_first or (first == best_first and second > best_second))
            )
            if best == NONE or better:
                best, best_proof, best_first, best_second = child, proof, first, second
        if best == NONE or (best_proof < 0 and root.width < root.branches):
            width = game.legal(trail.root.state, workspace.moves)
            for child in range(root.first, root.first + root.width):
                trail.marks[nodes[child].action] = 1
            for j in range(width - 1, -1, -1):
                if trail.marks[workspace.moves[j]] == 0:
                    searches.chosen[i] = workspace.moves[j]
            for child in range(root.first, root.first + root.width):
                trail.marks[nodes[child].action] = 0
        else:
            searches.chosen[i] = nodes[best].action
