"""Tree search by a net in a game of one player, with or without chance events after its actions.

The net tells of every action a logit, and what is to come after it; values are returns, r + gamma * what is to come.
A simulation goes down the tree to a state that was never seen.  There it waits until the net has judged its actions,
in one batch with the leaves of many other trees; then its value goes back up.

    selection     Q + c P(a|s) sqrt(ln N(s) / (1 + N(s,a))), Q between 0 and 1: the lowest and the highest in the tree
    chance        the outcome that is most behind its share of the visits
    leaf          V = (1 - lambda) v + lambda z;  v: the mean of the returns that the net expects, by its policy;
                  z: the return of a roll-out by a fast policy, a scoring as in `ahead`
    backup        Q is the mean of what came of an action; what the net expected of it is the first of these numbers

Points that chance itself gives count with the action before.  An action that ends the game is worth what it scores; or,
where the end is a loss, nothing, and it is tried only if all do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules import CHANCE, dtype, inner, kernel, record
from ..rng import below, outcome
from ..tree import NONE, ROOT, allocate_children, reset

MOST = 500  # simulations of a search
LONGEST = 4 * MOST  # nodes of a path below the root
LEAF, END, FULL = 0, 1, 2  # where a walk down the tree comes to: an open state, the game's end, no room for more
GOES_ON, ENDS, OUTCOME = 0, 1, 2  # what leads to a node: an action, one that ends the game, or chance
NODE = [
    ("prior", np.float64),  # P(a|s) of the action that leads here; negative: it is not to be tried
    ("reward", np.float64),  # of what leads here
    ("kind", np.int8),  # GOES_ON, ENDS or OUTCOME
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


def tree_type(game: Any, sight: Any) -> np.dtype:
    """What a search keeps of one tree but its nodes."""
    actions = game.actions()
    return record(
        [
            *((name, dtype(game)) for name in ("root", "now", "after")),
            ("rng", np.uint64),
            ("moves", np.int16, (actions,)),
            ("weights", np.float64, (actions,)),
            ("points", np.float64, (actions,)),
            ("room", record(sight.room(game))),  # of the sight, and of the fast policy
            ("path", np.int32, (LONGEST + 1,)),  # nodes: the root, an action, what chance drew, an action, ...
            ("depth", np.int32),
            ("lowest", np.float64),  # of the values of actions
            ("highest", np.float64),
            ("rolled", np.float64),  # return of the roll-out
            ("slot", np.int32),  # where in the batch the actions of its leaf begin
            ("waits", np.bool_),
            ("done", np.int32),  # simulations
            ("wanted", np.int32),
        ]
    )


@kernel
def turn(game, sight, fast, trees, nodes, options, inputs, answers):
    """End the simulations whose leaves were judged, and walk on; return how many actions are to be judged.

    nodes [trees, capacity]; inputs float32[n, numbers] is filled from the front; fast: a scoring, or None.
    """
    for t in range(trees.size):
        if trees[t].waits:
            expand_and_back_up(trees[t], nodes[t], options[0], answers)
            trees[t].waits = False
    count = 0
    for t in range(trees.size):
        tree = trees[t]
        while tree.done < tree.wanted and not tree.waits:
            tree.done += 1
            reached = descend(game, trees, t, nodes[t], options[0])
            if reached == FULL:
                tree.wanted = tree.done
            elif reached == END:
                back_up(tree, nodes[t], options[0], 0.0)
            else:
                tree.slot, tree.waits = count, True
                count = unfold(game, sight, trees, t, nodes[t], options[0], inputs, count)
                if fast is not None:
                    tree.rolled = roll_out(game, fast, tree, options[0])
    return count


@inner
def descend(game, trees, t, nodes, options):
    """Walk down from the root: to a LEAF, a state without children; to an END of the game; or the tree is FULL."""
    tree = trees[t]
    trees["now"][t] = trees["root"][t]
    node, tree.depth, tree.path[0] = nodes[ROOT], 0, ROOT
    while node.width > 0:
        if tree.depth == LONGEST:
            return FULL
        action = select(tree, nodes, node, options)
        node = nodes[action]
        game.play(tree.now, np.int64(node.action))
        tree.depth += 1
        tree.path[tree.depth] = action
        while node.kind != ENDS and not game.over(tree.now) and game.player(tree.now) == CHANCE:
            drawn = draw(game, tree, nodes, node)
            if drawn == NONE or tree.depth == LONGEST:
                return FULL
            node, before = nodes[drawn], game.score(tree.now)
            game.play(tree.now, np.int64(node.action))
            node.reward = options.point * (game.score(tree.now) - before)
            tree.depth += 1
            tree.path[tree.depth] = drawn
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
        if node.prior >= 0 and bound > best_bound:
            best, best_bound = child, bound
    return best


@inner
def draw(game, tree, nodes, node):
    """The outcome with the fewest visits for its probability; where several are alike, chance decides.

    NONE where the tree has no room for the outcomes.
    """
    count = game.chance(tree.now, tree.moves, tree.weights)
    if node.width == 0:
        block = allocate_children(nodes, node, count)
        if block == NONE:
            return NONE
        for i in range(count):
            nodes[block + i].action, nodes[block + i].kind = tree.moves[i], OUTCOME
    start = below(tree, count)
    best, most = start, -np.inf
    for k in range(count):
        i = (start + k) % count
        behind = tree.weights[i] * (node.visits + 1) - nodes[node.first + i].visits
        if behind > most + 1e-9:
            best, most = i, behind
    return np.int64(node.first + best)


@inner
def unfold(game, sight, trees, t, nodes, options, inputs, count):
    """Give the leaf its actions and tell about them from inputs[count] on; return where that ends."""
    tree = trees[t]
    width = game.legal(tree.now, tree.moves)
    block = allocate_children(nodes, nodes[tree.path[tree.depth]], width)
    for i in range(width):
        node = nodes[block + i]
        node.action = tree.moves[i]
        trees["after"][t] = trees["now"][t]
        game.play(tree.after, np.int64(node.action))
        sight.see(game, tree.now, np.int64(node.action), tree.after, tree.room, inputs[count + i])
        over = game.over(tree.after)
        node.kind = ENDS if over else GOES_ON
        if over and options.end_is_loss:
            node.prior = -1.0
        else:
            node.reward = options.point * (game.score(tree.after) - game.score(tree.now))
            node.reward += 0.0 if over else options.alive
    return count + width


@inner
def expand_and_back_up(tree, nodes, options, answers):
    """Make priors and values of what the net says of the leaf's actions, and end the simulation."""
    leaf = nodes[tree.path[tree.depth]]
    first, width = np.int64(leaf.first), np.int64(leaf.width)
    survives, top = False, -np.inf
    for i in range(width):
        survives = survives or nodes[first + i].prior >= 0
    for i in range(width):
        if nodes[first + i].prior >= 0 or not survives:
            top = max(top, answers[tree.slot + i, 0])
    total, value = 0.0, 0.0
    for i in range(width):
        node = nodes[first + i]
        if node.prior >= 0 or not survives:
            power = math.exp((answers[tree.slot + i, 0] - top) / options.soften)
            node.value = node.reward
            if node.kind != ENDS:
                node.value += options.gamma * answers[tree.slot + i, 1]
            node.prior = power
            total += power
            value += power * node.value
            widen(tree, node.value)
    for i in range(width):
        if nodes[first + i].prior >= 0:
            nodes[first + i].prior /= total
    value /= total
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
        node.visits += 1
        if d == 0 or node.kind == OUTCOME:
            node.value += (result - node.value) / node.visits
            drawn += node.reward
        else:
            result = node.reward + drawn + options.gamma * result
            drawn = 0.0
            node.value += (result - node.value) / (node.visits + 1)
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


@kernel
def begin(trees, nodes, sims):
    """Begin a search in every tree, from nothing."""
    for t in range(trees.size):
        reset(nodes[t])
        tree = trees[t]
        tree.done, tree.wanted, tree.waits, tree.rolled = 0, sims, False, 0.0
        tree.lowest, tree.highest = np.inf, -np.inf
