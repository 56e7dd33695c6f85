"""What searches by a net have in common, whether one player plays or two.

One simulation:

    descend    from the root to a leaf, `step` by `step`: at a player's node a rule selects the child, at a chance node
               an outcome is drawn
    wait       until the net has judged the leaf, in one batch with others (`LeafBatches`)
    expand     the leaf has a child for every action, with its prior P(a|s): softmax(logit / temperature)
    back up    what came of it is added to the mean of every node of the path

`puct` is the search for two players, with proofs and with several walkers in a tree; `single_player` that for one, with
rewards.  The rules of selection stand there: how a value is seen (by whose turn it is; between the lowest and the
highest of the tree) is most of each of them.  So do the loops back up the path, one of which carries proofs, the other
rewards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...jit.interpreted import interpreted_as
from ...rules import dtype, inner
from .. import vectorised
from ..tree import ROOT, reset

Evaluator = Callable[[np.ndarray], np.ndarray]  # inputs float32[n, ...] to answers float32[n, ...]


def search_fields(game: Any) -> list[tuple]:
    """What every search keeps of one tree but its nodes."""
    return [
        ("root", dtype(game)),
        ("wanted", np.int32),  # simulations, and those that have begun
        ("done", np.int32),
    ]


def walk_fields(game: Any, longest: int) -> list[tuple]:
    """What every walk down a tree needs: the state that it has reached and how it got there."""
    actions = game.actions()
    return [
        ("now", dtype(game)),
        ("rng", np.uint64),
        ("moves", np.int16, (actions,)),
        ("weights", np.float64, (actions,)),  # of chance outcomes
        ("path", np.int32, (longest,)),  # nodes from the root
        ("depth", np.int32),
        ("waits", np.bool_),  # for the net
        ("slot", np.int32),  # where in the batch its leaf stands
    ]


@inner
def begin_tree(tree, nodes, sims):
    """Begin a search of so many simulations, from nothing."""
    reset(nodes)
    tree.done, tree.wanted = 0, sims


@inner
def begin_walk(trees, t, walkers, w):
    """Stand at the root."""
    walkers["now"][w] = trees["root"][t]
    walkers[w].depth, walkers[w].path[0] = 0, ROOT


@inner
def step(game, walker, nodes, child):
    """Walk to a child, which is returned: play the action that leads there."""
    walker.depth += 1
    walker.path[walker.depth] = child
    game.play(walker.now, np.int64(nodes[child].action))
    return nodes[child]


@inner
def leaf_of(walker, nodes):
    """The last node of the path."""
    return nodes[walker.path[walker.depth]]


@interpreted_as(vectorised.softmax)
@inner
def softmax(nodes, parent, temperature):
    """Make priors of the logits that stand in their place in the children of a node: softmax(logit / temperature)."""
    first, end = np.int64(parent.first), np.int64(parent.first + parent.width)
    highest, total = -np.inf, 0.0
    for child in range(first, end):
        highest = max(highest, np.float64(nodes[child].prior))
    for child in range(first, end):
        nodes[child].prior = math.exp((np.float64(nodes[child].prior) - highest) / temperature)
        total += np.float64(nodes[child].prior)
    for child in range(first, end):
        nodes[child].prior /= total


@inner
def add_result(node, result, guesses):
    """Count a visit, and take its result into the mean, which began with so many guesses of the net."""
    node.visits += 1
    node.value += (result - node.value) / (node.visits + guesses)


class LeafBatches:
    """Searches that go on from batch to batch: every batch has the leaves that wait for the net.

    inputs float32[n, ...]: what the net is told of the leaves, filled from the front; answers float32[n, ...]: what it
    says of them.
    """

    inputs: np.ndarray
    answers: np.ndarray

    def run_to_leaves(self, number: int) -> int:
        """Take the answers up the first trees, and simulate until each has leaves for the net, or is done.

        Returns how many rows of the inputs wait.
        """
        raise TypeError(f"{type(self).__name__} does not walk")

    def judge(self, evaluate: Evaluator, waiting: int) -> None:
        """Let the net judge the leaves that wait."""
        self.answers[:waiting] = evaluate(self.inputs[:waiting])
