"""Tree search by a net in a game of one player, with or without chance events after its actions.

The net tells of every action a logit, and what is to come after it; values are returns, r + gamma * what is to come.
A simulation goes down the tree to a state that was never seen.  There it waits until the net has judged its actions,
in one batch with the leaves of many other trees; then its value goes back up.

    selection     Q + c P(a|s) sqrt(ln N(s) / (1 + N(s,a))), Q between 0 and 1: the lowest and the highest in the tree
    chance        the outcome that is most behind its share of the visits
    leaf          V = (1 - lambda) v + lambda z;  v: the mean of the returns that the net expects, by its policy;
                  z: the return of a roll-out by a fast policy, a scoring as in `lookahead`
    backup        Q is the mean of what came of an action; what the net expected of it is the first of these numbers

Points that chance itself gives count with the action before.  An action that ends the game is worth what it scores; or,
where the end is a loss, nothing, and it is tried only if all do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules import CHANCE, dtype, inner, record
from ..depth_first import lookahead as lookahead  # lets kernels call `rate` of a fast policy
from ..rng import below, outcome
from ..tree import NONE, ROOT, allocate_children
from .skeleton import add_result, begin_walk, leaf_of, search_fields, softmax, step, walk_fields

MOST = 500  # simulations of a search
LONGEST = 4 * MOST  # nodes of a path below the root
LEAF, END, FULL = 0, 1, 2  # where a walk down the tree comes to: an open state, the game's end, no room for more
GOES_ON, ENDS, LOSES, OUTCOME = 0, 1, 2, 3  # what leads to a node: an action; one that ends the game; one that does so,
# which is a loss, and is not to be tried; or chance
NODE = [
    ("prior", np.float64),  # P(a|s) of the action that leads here
    ("reward", np.float64),  # of what leads here
    ("kind", np.int8),  # GOES_ON, ENDS, LOSES or OUTCOME
]
OPTIONS = [
    ("c", np.float64),  # weight of exploration
    ("soften", np.float64),  # logits are divided by this: more than 1 makes the policy's chances more alike
    ("gamma", np.float64),  # what a reward one action later is worth
    ("alive", np.float64),  # reward of an action that does not end the game
    ("point", np.float64),  # reward of a point that the game counts
    ("rollout", np.float64),  # lambda
    ("horizon", np.int64),  # actions of a roll-out
    ("end_is_loss", np.bool_),  # an action that ends the game is worth nothing, and tried only if all do
]


def tree_type(game: Any, features: Any) -> np.dtype:
    """What a search keeps of one tree but its nodes, and what its only walker has on it."""
    return record(
        [
            *search_fields(game),
            *walk_fields(game, LONGEST + 1),
            ("after", dtype(game)),
            ("points", np.float64, (game.actions(),)),
            ("room", record(features.room(game))),  # of the features, and of the fast policy
            ("lowest", np.float64),  # of the values of actions
            ("highest", np.float64),
            ("rolled", np.float64),  # return of the roll-out
        ]
    )


@inner
def run_until_leaf(game, trees, t, nodes, options):
    """Simulate until a leaf needs the net: True; or until the search of this tree is over: False."""
    tree = trees[t]
    while tree.done < tree.wanted:
        tree.done += 1
        reached = descend(game, trees, t, nodes, options)
        if reached == LEAF:
            return True
        if reached == FULL:
            tree.wanted = tree.done
        else:
            back_up(tree, nodes, options, 0.0)
    return False


@inner
def descend(game, trees, t, nodes, options):
    """Walk down from the root: to a LEAF, a state without children; to an END of the game; or the tree is FULL."""
    tree = trees[t]
    begin_walk(trees, t, trees, t)
    node = nodes[ROOT]
    while node.width > 0:
        if tree.depth == LONGEST:
            return FULL
        node = step(game, tree, nodes, select(tree, nodes, node, options))
        while node.kind != ENDS and not game.over(tree.now) and game.player(tree.now) == CHANCE:
            drawn = chance_child(game, tree, nodes, node)
            if drawn == NONE or tree.depth == LONGEST:
                return FULL
            before = game.score(tree.now)
            node = step(game, tree, nodes, drawn)
            node.reward = options.point * (game.score(tree.now) - before)
        if node.kind == ENDS or game.over(tree.now):
            return END
    return LEAF if nodes[NONE].first + tree.moves.size <= nodes.size else FULL


@inner
def select(tree, nodes, parent, options):
    """The action with the highest bound, the first of several."""
    first = np.int64(parent.first)
    weight = options.c * math.sqrt(math.log(max(parent.visits - 1.0, 1.0)))
    span = tree.highest - tree.lowest
    best, best_bound = first, -np.inf
    for child in range(first, first + parent.width):
        node = nodes[child]
        bound = (node.value - tree.lowest) / span if span > 0 else 0.0
        bound += weight * node.prior / math.sqrt(1.0 + node.visits)
        if node.kind != LOSES and bound > best_bound:
            best, best_bound = child, bound
    return best


@inner
def chance_child(game, tree, nodes, node):
    """The outcome with the fewest visits for its probability; where several are alike, chance decides.

    NONE where the tree has no room for the outcomes.
    """
    count = game.chance(tree.now, tree.moves, tree.weights)
    if node.width == 0:
        block = allocate_children(nodes, node, tree.moves, count)
        if block == NONE:
            return NONE
        for child in range(block, block + count):
            nodes[child].kind = OUTCOME
    start = below(tree, count)
    best, most = start, -np.inf
    for k in range(count):
        i = (start + k) % count
        behind = tree.weights[i] * (node.visits + 1) - nodes[node.first + i].visits
        if behind > most + 1e-9:
            best, most = i, behind
    return np.int64(node.first + best)


@inner
def expand(game, features, trees, t, nodes, options, inputs, count):
    """Give the leaf its actions and tell about them from inputs[count] on; return where that ends."""
    tree = trees[t]
    width = game.legal(tree.now, tree.moves)
    block = allocate_children(nodes, leaf_of(tree, nodes), tree.moves, width)
    losses = 0
    for i in range(width):
        node = nodes[block + i]
        trees["after"][t] = trees["now"][t]
        game.play(tree.after, np.int64(node.action))
        features.see(game, tree.now, np.int64(node.action), tree.after, tree.room, inputs[count + i])
        over = game.over(tree.after)
        node.kind = ENDS if over else GOES_ON
        if over and options.end_is_loss:
            node.kind = LOSES
            losses += 1
        else:
            node.reward = options.point * (game.score(tree.after) - game.score(tree.now))
            node.reward += 0.0 if over else options.alive
    if losses == width:  # something has to be tried
        for i in range(width):
            nodes[block + i].kind = ENDS
    return count + width


@inner
def judge_and_back_up(tree, nodes, options, answers):
    """Make priors and values of what the net says of the leaf's actions, and end the simulation."""
    leaf = leaf_of(tree, nodes)
    first, width = np.int64(leaf.first), np.int64(leaf.width)
    for i in range(width):
        node = nodes[first + i]
        node.prior = -np.inf if node.kind == LOSES else np.float64(answers[tree.slot + i, 0])
        node.value = node.reward
        if node.kind == GOES_ON:
            node.value += options.gamma * answers[tree.slot + i, 1]
    softmax(nodes, leaf, options.soften)
    value = 0.0
    for i in range(width):
        node = nodes[first + i]
        if node.kind != LOSES:
            value += node.prior * node.value
            widen(tree, node.value)
    back_up(tree, nodes, options, value + options.rollout * (tree.rolled - value))


@inner
def widen(tree, value):
    """Values have been seen as low and as high as this."""
    tree.lowest, tree.highest = min(tree.lowest, value), max(tree.highest, value)


@inner
def back_up(tree, nodes, options, result):
    """Add what came of it to every node of the path; result: what the last one is worth."""
    drawn = 0.0  # what chance gave since the action before
    for d in range(tree.depth, -1, -1):
        node = nodes[tree.path[d]]
        if d == 0 or node.kind == OUTCOME:
            add_result(node, result, 0)
            drawn += node.reward
        else:
            result = node.reward + drawn + options.gamma * result
            drawn = 0.0
            add_result(node, result, 1)
            widen(tree, node.value)


@inner
def roll_out(game, fast, tree, options):
    """The return of the leaf when a fast policy plays on; the state of the walk is lost by that."""
    found, factor = 0.0, 1.0
    for _ in range(options.horizon):
        before = game.score(tree.now)
        count = game.legal(tree.now, tree.moves)
        fast.rate(game, tree.now, tree.moves, count, tree.points, tree.room)
        best = 0
        for i in range(1, count):
            if tree.points[i] > tree.points[best]:
                best = i
        game.play(tree.now, np.int64(tree.moves[best]))
        ends = game.over(tree.now)
        if ends and options.end_is_loss:
            break
        while not game.over(tree.now) and game.player(tree.now) == CHANCE:
            game.play(tree.now, outcome(game, tree.now, tree))
        found += factor * ((0.0 if ends else options.alive) + options.point * (game.score(tree.now) - before))
        if game.over(tree.now):
            break
        factor *= options.gamma
    return found
