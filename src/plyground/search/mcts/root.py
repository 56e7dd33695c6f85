"""The root of a search by a net: noise, sequential halving, and what is to be learnt from the search.

With Gumbel noise g (Danihelka and others, 2022) the root's actions are chosen by sequential halving: of those with the
highest g + logit + scaled value the better half is looked at again and again.  What is learnt from a search is either
each action's share of the visits or the *improved policy*, softmax(logit + scaled value).
"""

from __future__ import annotations

import math

import numpy as np

from ...rules import inner
from ..rng import FINE, below
from ..tree import CERTAIN, NONE, ROOT

TINY = 1e-9


def schedule(considered: int, simulations: int) -> list[int]:
    """Sequential halving: how many visits the action has that is chosen next, simulation after simulation."""
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    visits, left, found = [0] * considered, considered, list[int]()
    while len(found) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            found += visits[:left]
            visits[:left] = [n + 1 for n in visits[:left]]
        left = max(2, left // 2)
    return found[:simulations]


@inner
def worth(node, sign):
    """The value of a visited node for a player, proven or not."""
    return np.float64(sign * node.proof) if node.proof != 0 else sign * node.value


@inner
def begin_range(tree, alone):
    """Where two play, values lie between -1 and 1; where one does, nothing is known of them at first."""
    tree.lowest, tree.highest = -1.0, 1.0
    if alone is not None:
        tree.lowest, tree.highest = np.inf, -np.inf


@inner
def half_range(tree):
    """Half of the range of the values in a tree: 1 where two play, and before anything is known."""
    return (tree.highest - tree.lowest) / 2 if tree.highest > tree.lowest else 1.0


@inner
def worst(tree, sign):
    """The lowest of the values in a tree for a player: -1 where two play."""
    return tree.lowest if sign > 0 else -tree.highest


@inner
def between(tree, sign, value):
    """A value between 0 and 1: the lowest and the highest in the tree."""
    return (value - worst(tree, sign)) / (2 * half_range(tree))


@inner
def scale(nodes, root, options):
    """The weight of values (between 0 and 1) against logits: it grows with the visits."""
    most = 0
    for child in range(root.first, root.first + root.width):
        most = max(most, nodes[child].visits)
    return options.value_scale * (options.visit_scale + most)


@inner
def gumbel_score(node, tree, sign, weight):
    """The Gumbel score of a child of the root: logit + noise, where there is some, + scaled value, if it was tried."""
    score = math.log(np.float64(node.prior) + TINY)
    if tree.considered > 0:
        score += np.float64(tree.gumbel[node.action])
    if node.visits > 0:
        score += weight * between(tree, sign, worth(node, sign))
    return score


@inner
def select_gumbel(nodes, tree, sign, options, visits):
    """Of the root's children with so many visits, the one with the highest noise + logit + scaled value; else NONE."""
    root = nodes[ROOT]
    weight = scale(nodes, root, options)
    best, best_score = NONE, -np.inf
    for child in range(root.first, root.first + root.width):
        node = nodes[child]
        if node.visits + node.virtual_loss != visits:
            continue
        score = gumbel_score(node, tree, sign, weight)
        if score > best_score or best == NONE:
            best, best_score = np.int64(child), score
    return best


@inner
def most_visited(nodes, tree, sign, options):
    """The child of the root to play: a proven win, else the most visited that is not lost for certain.

    Of several as often visited, that with the highest noise + logit + scaled value.
    """
    root = nodes[ROOT]
    weight = scale(nodes, root, options)
    best, best_rank, best_score = NONE, -np.inf, -np.inf
    for child in range(root.first, root.first + root.width):
        node = nodes[child]
        rank = CERTAIN * sign * node.proof + node.visits
        score = gumbel_score(node, tree, sign, weight)
        if best == NONE or rank > best_rank or (rank == best_rank and score > best_score):
            best, best_rank, best_score = np.int64(child), rank, score
    return best


@inner
def unit(workspace):
    """A random number between 0 and 1, neither of them."""
    return (below(workspace, FINE) + 0.5) / FINE


@inner
def draw_gumbel(tree):
    """Draw the noise of a search."""
    for action in range(tree.gumbel.size):
        tree.gumbel[action] = -math.log(-math.log(unit(tree)))


@inner
def quiet(tree):
    """Search without noise."""
    for action in range(tree.gumbel.size):
        tree.gumbel[action] = 0


@inner
def gamma(workspace, shape):
    """A number from the gamma distribution of this shape (Marsaglia and Tsang, 2000)."""
    boost = 1.0
    if shape < 1:
        boost = math.pow(unit(workspace), 1 / shape)
        shape += 1.0
    d = shape - 1 / 3
    while True:
        x = math.sqrt(-2 * math.log(unit(workspace))) * math.cos(2 * math.pi * unit(workspace))
        v = 1 + x / math.sqrt(9 * d)
        if v > 0:
            v = v * v * v
            if math.log(unit(workspace)) < 0.5 * x * x + d * (1 - v + math.log(v)):
                return boost * d * v


@inner
def draw_noise(tree, nodes, share, concentration):
    """Mix Dirichlet noise into the priors of the root; `concentration` is spread over its actions."""
    root = nodes[ROOT]
    total = 0.0
    for child in range(root.first, root.first + root.width):
        action = nodes[child].action
        tree.gumbel[action] = gamma(tree, concentration / root.width)
        total += np.float64(tree.gumbel[action])
    for child in range(root.first, root.first + root.width):
        node = nodes[child]
        noise = np.float64(tree.gumbel[node.action]) / max(total, TINY)
        node.prior = (1 - share) * np.float64(node.prior) + share * noise


@inner
def improved(nodes, tree, sign, options, policy):
    """Write the improved policy into policy[actions]: softmax of logit + scaled value over the actions.

    An action that was not tried has the value of the mixture: the net's own, and those that were tried, by priors.
    If the root is proven won, its winning actions share everything.
    """
    root = nodes[ROOT]
    for action in range(policy.size):
        policy[action] = 0
    first, end = np.int64(root.first), np.int64(root.first + root.width)
    mass, mean, visits, wins = 0.0, 0.0, 0, 0
    for child in range(first, end):
        node = nodes[child]
        wins += node.proof == sign
        if node.visits > 0:
            mass += np.float64(node.prior)
            mean += np.float64(node.prior) * worth(node, sign)
            visits += node.visits
    if wins > 0:
        for child in range(first, end):
            if nodes[child].proof == sign:
                policy[nodes[child].action] = 1 / wins
        return
    mixed = np.float64(tree.value)
    if mass > 0:
        mixed = (mixed + visits * mean / mass) / (1 + visits)
    weight = scale(nodes, root, options)
    highest, total = -np.inf, 0.0
    for child in range(first, end):
        node = nodes[child]
        q = worth(node, sign) if node.visits > 0 else mixed
        policy[node.action] = math.log(np.float64(node.prior) + TINY) + weight * between(tree, sign, q)
        highest = max(highest, np.float64(policy[node.action]))
    for child in range(first, end):
        action = nodes[child].action
        policy[action] = math.exp(np.float64(policy[action]) - highest)
        total += np.float64(policy[action])
    for child in range(first, end):
        policy[nodes[child].action] /= total


@inner
def visited(nodes, sign, policy, temperature):
    """Write each action's share of the root's visits into policy[actions]; proven losses get none if others have some.

    temperature: shares of visits ** (1 / temperature).
    """
    root = nodes[ROOT]
    for action in range(policy.size):
        policy[action] = 0
    first, end = np.int64(root.first), np.int64(root.first + root.width)
    most, wins, total = 0, 0, 0.0
    for child in range(first, end):
        node = nodes[child]
        wins += node.proof == sign
        if node.proof != -sign:
            most = max(most, node.visits)
    for child in range(first, end):
        node = nodes[child]
        share = 0.0
        if wins > 0:
            share = 1.0 if node.proof == sign else 0.0
        elif most == 0:  # everything loses, or nothing was tried
            share = np.float64(node.prior)
        elif node.proof != -sign and node.visits > 0:
            share = math.pow(node.visits / most, 1 / temperature)
        policy[node.action] = share
        total += share
    for child in range(first, end):
        policy[nodes[child].action] /= total
