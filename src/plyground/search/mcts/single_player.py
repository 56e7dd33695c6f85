"""Tree search by a net in a game of one player, with or without chance events after its actions.

The net tells of every action a logit, and what is to come after it; values are returns, r + gamma * what is to come.
`skeleton` is the search itself; here stands what is its own where one plays:

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
from typing import Any, NamedTuple

import numpy as np

from ...rules import CHANCE, dtype, inner, record
from ..depth_first import lookahead as lookahead  # lets kernels call `rate` of a fast policy
from ..rng import below, outcome
from ..tree import NONE, allocate_children
from .skeleton import VIRTUAL_LOSS, add_result, back_up, leaf_of, search_fields, softmax, walk_fields

MOST = 500  # simulations of a search
LONGEST = 4 * MOST  # nodes of a path below the root
GOES_ON, ENDS, LOSES, OUTCOME = 0, 1, 2, 3  # what leads to a node: an action; one that ends the game; one that does so,
# which is a loss, and is not to be tried; or chance
NODE = [
    ("prior", np.float64),  # P(a|s) of the action that leads here
    ("reward", np.float64),  # of what leads here
    ("kind", np.int8),  # GOES_ON, ENDS, LOSES or OUTCOME
    VIRTUAL_LOSS,
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


def tree_type(game: Any) -> np.dtype:
    """What a search keeps of one tree but its nodes."""
    return record(
        [
            *search_fields(game),
            ("lowest", np.float64),  # of the values of actions
            ("highest", np.float64),
        ]
    )


def walker_type(game: Any, features: Any) -> np.dtype:
    """What the only walker of a tree has on it."""
    return record(
        [
            *walk_fields(game, LONGEST + 1),
            ("after", dtype(game)),
            ("points", np.float64, (game.actions(),)),
            ("room", record(features.room(game))),  # of the features, and of the fast policy
            ("drawn", np.float64),  # rewards of chance that are backed up with the action before
        ]
    )


class OnePlayer(NamedTuple):
    """See `Variant`.  The net is told of every action of the leaf, a row each; an answer is its logit and what is to
    come after it."""

    features: Any  # of an action: see `nets.afterstates`
    fast: Any  # a scoring that plays roll-outs, or None
    lock: Any = None

    def select_child(variant, game, tree, walker, nodes, node, options):
        return select(tree, nodes, node, options)

    def goes_on(variant, nodes, node):
        return True

    def draw_child(variant, game, walkers, w, nodes, node, options):
        walker = walkers[w]
        child = chance_child(game, walker, nodes, node)
        if child == NONE or walker.depth == LONGEST:
            return NONE
        if nodes[child].visits == 0:
            after = look_ahead(game, walkers, w, nodes[child].action)
            nodes[child].reward = options.point * (game.score(after) - game.score(walker.now))
        return child

    def end_without_net(variant, game, tree, walker, nodes, options):
        """Nothing comes after the end of the game; a tree that is full ends its search."""
        if game.over(walker.now):
            back_up(variant, tree, walker, nodes, options, 0.0)
            return True
        if walker.grows and has_room(walker, nodes):
            return False
        tree.wanted = tree.done
        return True

    def tell_net(variant, game, walkers, w, nodes, options, inputs, row):
        row = add_actions(game, variant.features, walkers, w, nodes, options, inputs, row)
        roll_out(game, walkers[w], options, variant.fast)
        return row

    def expand_leaf(variant, game, tree, walker, nodes, options, answers):
        """V of the leaf, with priors and values of its actions."""
        leaf = leaf_of(walker, nodes)
        first, width = np.int64(leaf.first), np.int64(leaf.width)
        for i in range(width):
            node, row = nodes[first + i], walker.slot + i
            node.prior = -np.inf if node.kind == LOSES else np.float64(answers[row, 0])
            node.value = node.reward
            if node.kind == GOES_ON:
                node.value += options.gamma * answers[row, 1]
        softmax(nodes, leaf, options.soften)
        value = 0.0
        for i in range(width):
            node = nodes[first + i]
            if node.kind != LOSES:
                value += node.prior * node.value
                widen(tree, node.value)
        return value + options.rollout * (walker.rolled - value)

    def take_result(variant, tree, walker, nodes, d, options, result):
        """An outcome takes what is to come; an action r + gamma * that, with what chance gave since."""
        node = nodes[walker.path[d]]
        if d == walker.depth:
            walker.drawn = 0.0
        if d == 0 or node.kind == OUTCOME:
            add_result(node, result, 0)
            walker.drawn += node.reward
            return result
        result = node.reward + walker.drawn + options.gamma * result
        walker.drawn = 0.0
        add_result(node, result, 1)
        widen(tree, node.value)
        return result


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
def chance_child(game, walker, nodes, node):
    """The outcome with the fewest visits for its probability; where several are alike, chance decides.

    NONE where the tree has no room for the outcomes.
    """
    count = game.chance(walker.now, walker.moves, walker.weights)
    if node.width == 0:
        block = allocate_children(nodes, node, walker.moves, count)
        if block == NONE:
            return NONE
        for child in range(block, block + count):
            nodes[child].kind = OUTCOME
    start = below(walker, count)
    best, most = start, -np.inf
    for k in range(count):
        i = (start + k) % count
        behind = walker.weights[i] * (node.visits + 1) - nodes[node.first + i].visits
        if behind > most + 1e-9:
            best, most = i, behind
    return np.int64(node.first + best)


@inner
def look_ahead(game, walkers, w, action):
    """The state that an action leaves, or an outcome of chance."""
    walkers["after"][w] = walkers["now"][w]
    game.play(walkers[w].after, np.int64(action))
    return walkers[w].after


@inner
def has_room(walker, nodes):
    """Can the leaf have children?  Not where its path is as long as can be, or the tree full."""
    return leaf_of(walker, nodes).width == 0 and nodes[NONE].first + walker.moves.size <= nodes.size


@inner
def add_actions(game, features, walkers, w, nodes, options, inputs, row):
    """Give the leaf a child for each of its actions, with what that earns, and tell of them in inputs[row:]."""
    walker = walkers[w]
    width = game.legal(walker.now, walker.moves)
    block = allocate_children(nodes, leaf_of(walker, nodes), walker.moves, width)
    losses = 0
    for i in range(width):
        node = nodes[block + i]
        after = look_ahead(game, walkers, w, node.action)
        features.see(game, walker.now, np.int64(node.action), after, walker.room, inputs[row + i])
        over = game.over(after)
        node.kind = ENDS if over else GOES_ON
        if over and options.end_is_loss:
            node.kind = LOSES
            losses += 1
        else:
            node.reward = options.point * (game.score(after) - game.score(walker.now))
            node.reward += 0.0 if over else options.alive
    if losses == width:  # something has to be tried
        for i in range(width):
            nodes[block + i].kind = ENDS
    return row + width


@inner
def widen(tree, value):
    """Values have been seen as low and as high as this."""
    tree.lowest, tree.highest = min(tree.lowest, value), max(tree.highest, value)


@inner
def roll_out(game, walker, options, fast):
    """Note the return of the leaf when a fast policy plays on; the state of the walk is lost by that."""
    if fast is None:
        return
    found, factor = 0.0, 1.0
    for _ in range(options.horizon):
        before = game.score(walker.now)
        count = game.legal(walker.now, walker.moves)
        fast.rate(game, walker.now, walker.moves, count, walker.points, walker.room)
        best = 0
        for i in range(1, count):
            if walker.points[i] > walker.points[best]:
                best = i
        game.play(walker.now, np.int64(walker.moves[best]))
        ends = game.over(walker.now)
        if ends and options.end_is_loss:
            break
        while not game.over(walker.now) and game.player(walker.now) == CHANCE:
            game.play(walker.now, outcome(game, walker.now, walker))
        found += factor * ((0.0 if ends else options.alive) + options.point * (game.score(walker.now) - before))
        if game.over(walker.now):
            break
        factor *= options.gamma
    walker.rolled = found
