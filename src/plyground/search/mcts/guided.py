"""Policy-guided UCT: a net says in advance which actions are worth exploring.

    U(s,a) = Q(s,a) + c * P(a|s) * sqrt(ln N(s) / (N(s,a) + 1))

Q is the mean result, 0 for an action that was never tried; P the net's softmax over the legal actions.  All
children of a node are added at once, since P says something of those that were never tried.  Where the bonus is
zero or the bounds are equal for another reason, as at the first choice in a node, the higher prior decides.
"""

from __future__ import annotations

import math

import numpy as np

from ...jit.interpreted import interpreted_as
from ...rules import inner
from .. import vectorised
from . import mlp
from .skeleton import softmax
from .uct import sqrt_log

NODE = [("prior", np.float64)]  # P(a|s) of the action that leads here


@inner
def select(workspace, nodes, parent, sign):
    """The child with the highest bound for the player to move."""
    visits = parent.visits
    weight = workspace.options.c * sqrt_log(workspace, visits)
    best, best_score = np.int64(parent.first), -np.inf
    for child in range(parent.first, parent.first + parent.width):
        node = nodes[child]
        q, exploration = bound(node, sign, weight)
        score = q + exploration
        if score > best_score or (score == best_score and node.prior > nodes[best].prior):
            best, best_score = child, score
    return best


@inner
def bound(node, sign, weight):
    """The two terms of a child's bound: Q, and exploration by its prior."""
    return sign * node.value, weight * node.prior / math.sqrt(node.visits + 1)


@inner
def advise(game, workspace, nodes, parent, net):
    """Ask the net for the priors of a node's children, in the state that the simulation has reached."""
    mlp.encode(game, workspace.now.state, net)
    mlp.forward(net.sizes, net.theta, net.signals, net.awake)
    set_priors(nodes, parent, net.signals[net.sizes.size - 1], 1.0)


@interpreted_as(vectorised.set_priors)
@inner
def set_priors(nodes, parent, logits, temperature):
    """Give the children of a node their priors: the softmax of the logits of their actions, over the temperature."""
    for child in range(parent.first, parent.first + parent.width):
        nodes[child].prior = logits[nodes[child].action]
    softmax(nodes, parent, temperature)
