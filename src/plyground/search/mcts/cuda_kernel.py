"""Many searches at once on a GPU: the kernel of `simulate`, a thread for every tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..tree import FIXED, NONE, ROOT
from .simulate import grow

# what these names stand for is said when the kernels are made, so that the compiler knows
cuda: Any = None
game: Any = None  # the rules
chance: Any = None  # the flags of `grow`
shrinks: Any = None
heavy: Any = None
by_value: Any = None  # True if the child with the highest value is chosen, None if the one with most visits is


class Searches(NamedTuple):
    """n searches of one game."""

    workspaces: Any  # [n]
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
        workspace, nodes = searches.workspaces[i], searches.nodes[i]
        searches.workspaces["root"]["state"][i] = searches.roots[i]
        workspace.rng = searches.seeds[i]
        workspace.played = 0
        workspace.options.sign = 1 - 2 * game.player(workspace.root.state)
        for j in range(nodes[NONE].first):
            nodes[j] = searches.unused[0]
        nodes[NONE].first = FIXED
        searches.simulated[i] = 0


def simulate(searches, count, simulations):
    """Let every tree grow by so many simulations, fewer where it gets proven."""
    i = cuda.grid(1)
    if i < count:
        searches.simulated[i] += grow(
            game,
            searches.workspaces[i : i + 1],
            searches.nodes[i],
            simulations,
            chance,
            shrinks,
            heavy,
            None,
            None,
            None,
        )


def choose(searches, count, simulations):
    """Choose an action at every root: a proven win before all others, and a proven loss after them.

    As the agents rank them: one that was never tried is better than a sure loss.
    """
    i = cuda.grid(1)
    if i < count:
        workspace, nodes = searches.workspaces[i], searches.nodes[i]
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
            width = game.legal(workspace.root.state, workspace.moves)
            for child in range(root.first, root.first + root.width):
                workspace.marks[nodes[child].action] = 1
            for j in range(width - 1, -1, -1):
                if workspace.marks[workspace.moves[j]] == 0:
                    searches.chosen[i] = workspace.moves[j]
            for child in range(root.first, root.first + root.width):
                workspace.marks[nodes[child].action] = 0
        else:
            searches.chosen[i] = nodes[best].action
