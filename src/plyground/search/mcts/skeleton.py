"""Tree search by a net (PUCT), for one player and for two.

One simulation:

    descend    from the root to a leaf, `step` by `step`: at a player's node a rule selects the child, at a chance node
               an outcome is drawn.  Whoever is on its way counts on its path as a virtual loss (Chaslot and others,
               2008), so that others of the same tree go elsewhere
    wait       until the net has judged the leaf, in one batch with others
    expand     the leaf has a child for every action, with its prior P(a|s): softmax(logit / temperature)
    back up    what came of it is added to the mean of every node of the path

A *walker* does this; a tree has one of them, or several.  `Variant` is all in which searches differ: `puct` is that for
two players, with values that change sign and with proofs; `single_player` that for one, with rewards, whose values lie
anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...jit.interpreted import interpreted_as
from ...jit.threads import hold, release
from ...rules import CHANCE, dtype, inner, kernel, let_kernels_call
from .. import vectorised
from ..tree import NONE, ROOT, reset

Evaluator = Callable[[np.ndarray], np.ndarray]  # inputs float32[n, ...] to answers float32[n, ...]
VIRTUAL_LOSS = ("virtual_loss", np.int16)  # field of a node: walkers that are on their way below


class Variant:
    """What one player's search and two players' differ in: a `NamedTuple` with these methods, which kernels call.

    The walker is walkers[w], in the state walker.now, at the last node of walker.path.  The field `lock` is a lock
    (`jit.threads`) of the tree if walkers run in threads beside one another, else None.
    """

    def select_child(variant, game, tree, walker, nodes, node, options):
        """The child that the player to move explores next."""

    def goes_on(variant, nodes, node):
        """Does a walk go on below this node, which has children?"""

    def draw_child(variant, game, walkers, w, nodes, node, options):
        """The child of an outcome of chance; NONE if there is no room for it."""

    def end_without_net(variant, game, tree, walker, nodes, options):
        """End a simulation whose leaf does not need the net; False if what that is worth is the net's to say."""

    def tell_net(variant, game, walkers, w, nodes, options, inputs, row):
        """Write what the net is told of the leaf into inputs[row:]; return the row after that."""

    def expand_leaf(variant, game, tree, walker, nodes, options, answers):
        """Give the leaf children with priors, by what the net says in answers[walker.slot:]; return its result."""

    def take_result(variant, tree, walker, nodes, d, options, result):
        """Take a result into the node at path[d]; return it as the node above sees it."""


class KernelNet:
    """A net that kernels run: a `NamedTuple` with this method."""

    def answer(net, inputs, answers):
        """Write what the net says of inputs float32[planes, height, width] into answers float32[actions + 1]."""


for _name, _method in (*vars(Variant).items(), *vars(KernelNet).items()):
    if not _name.startswith("_"):
        let_kernels_call(_name, _method, "search")


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
        ("players", np.int8, (longest,)),  # who moves at each of them
        ("depth", np.int32),
        ("tree", np.int32),
        ("waits", np.bool_),  # for the net
        ("grows", np.bool_),  # is its last node the state it is in?
        ("slot", np.int32),  # where in the batch its leaf stands
        ("rolled", np.float64),  # what came of a roll-out
    ]


@inner
def begin_tree(tree, nodes, sims):
    """Begin a search of so many simulations, from nothing."""
    reset(nodes)
    tree.done, tree.wanted = 0, sims


@kernel
def run_to_leaves(game, variant, trees, walkers, nodes, options, inputs, answers):
    """Let every walker end its simulation by what the net has said, and walk on; return how many rows wait for the net.

    trees [t], walkers [w], nodes [t, capacity]; inputs float32[n, ...] is filled from the front, and answers
    float32[n, ...] has what the net said of its rows.

    variant: a `Variant`; options [1]: its coefficients.
    """
    for w in range(walkers.size):
        walker = walkers[w]
        t = np.int64(walker.tree)
        if walker.waits:
            expand_and_back_up(game, variant, trees[t], walker, nodes[t], options[0], answers)
        walker.waits = False
    waiting = 0
    for w in range(walkers.size):
        walker = walkers[w]
        t = np.int64(walker.tree)
        walker.waits = run_until_leaf(game, variant, trees, t, walkers, w, nodes[t], options[0])
        if walker.waits:
            walker.slot = waiting
            waiting = variant.tell_net(game, walkers, w, nodes[t], options[0], inputs, waiting)
    return waiting


@kernel
def run_to_end(game, variant, trees, walkers, nodes, options, inputs, answers):
    """The same for one walker and a net that kernels run, `variant.net`: nobody waits; return 0.

    Others may do so in threads of their own: whoever reads or changes the tree holds its lock.  Most of the time goes
    to the net and to proofs, which need no tree.

    The arguments are those of `run_to_leaves`, each with one row.
    """
    walker = walkers[0]
    walker.waits, walker.slot = False, 0
    while run_until_leaf(game, variant, trees, 0, walkers, 0, nodes[0], options[0]):
        variant.tell_net(game, walkers, 0, nodes[0], options[0], inputs, 0)
        variant.net.answer(inputs[0], answers[0])
        expand_and_back_up(game, variant, trees[0], walker, nodes[0], options[0], answers)
    return 0


@inner
def run_until_leaf(game, variant, trees, t, walkers, w, nodes, options):
    """Simulate until a leaf needs the net: True; or until the search of this tree is over: False.

    While one walker waits at a root without children, there is nothing to do for the others.
    """
    tree = trees[t]
    while True:
        hold(variant.lock)
        begins = may_begin(tree, nodes[ROOT])
        if begins:
            tree.done += 1
            descend(game, variant, trees, t, walkers, w, nodes, options)
        release(variant.lock)
        if not begins:
            return False
        if not variant.end_without_net(game, tree, walkers[w], nodes, options):
            return True


@inner
def may_begin(tree, root):
    """Is there another simulation to begin?"""
    return tree.done < tree.wanted and root.proof == 0 and (root.width > 0 or root.virtual_loss == 0)


@inner
def descend(game, variant, trees, t, walkers, w, nodes, options):
    """Walk from the root to a leaf: a node without children, or where the result is proven or the game over, or where
    the variant knows enough.

    Where there is no room for what chance has drawn, the walk ends at the last node that there is.
    """
    tree, walker, node = trees[t], walkers[w], nodes[ROOT]
    walkers["now"][w] = trees["root"][t]
    walker.depth, walker.path[0], walker.grows = 0, ROOT, True
    node.virtual_loss += 1
    while not game.over(walker.now) and node.proof == 0:
        player = game.player(walker.now)
        if player == CHANCE:
            child = variant.draw_child(game, walkers, w, nodes, node, options)
            if child == NONE:
                walker.grows = False
                break
        elif node.width == 0 or walker.depth == walker.path.size - 1:
            break
        else:
            child = variant.select_child(game, tree, walker, nodes, node, options)
        walker.players[walker.depth] = player
        node = step(game, walker, nodes, child)
        node.virtual_loss += 1
        if not variant.goes_on(nodes, node):
            break


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


@inner
def expand_and_back_up(game, variant, tree, walker, nodes, options, answers):
    """End a simulation by what the net says of its leaf."""
    hold(variant.lock)
    result = variant.expand_leaf(game, tree, walker, nodes, options, answers)
    back_up(variant, tree, walker, nodes, options, result)
    release(variant.lock)


@inner
def back_up(variant, tree, walker, nodes, options, result):
    """Add a result to every node of the path, from the leaf to the root."""
    for d in range(walker.depth, -1, -1):
        nodes[walker.path[d]].virtual_loss -= 1
        result = variant.take_result(tree, walker, nodes, d, options, result)


@inner
def add_result(node, result, guesses):
    """Count a visit, and take its result into the mean, which began with so many guesses of the net."""
    node.visits += 1
    node.value += (result - node.value) / (node.visits + guesses)


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


class LeafBatches:
    """Searches that go on from batch to batch: every batch has the leaves that wait for the net.

    inputs float32[n, ...]: what the net is told of the leaves, filled from the front; answers float32[n, ...]: what it
    says of them.
    """

    game: Any
    variant: Any
    trees: np.ndarray
    walkers: np.ndarray
    options: np.ndarray
    inputs: np.ndarray
    answers: np.ndarray

    def run_to_leaves(self, walkers: np.ndarray, nodes: np.ndarray, kernel: Any = run_to_leaves) -> int:
        """Take the answers up the trees of these walkers, and simulate until each of them is at a leaf for the net, or
        its search is over; return how many rows of the inputs wait."""
        given = self.trees, walkers, nodes, self.options, self.inputs, self.answers
        with np.errstate(over="ignore"):  # keys of positions wrap around, also where Python runs the kernel
            return int(kernel(self.game, self.variant, *given))

    def judge(self, evaluate: Evaluator, waiting: int) -> None:
        """Let the net judge the leaves that wait."""
        self.answers[:waiting] = evaluate(self.inputs[:waiting])
