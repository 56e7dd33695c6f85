"""MC-RAVE: UCT that shares the value of an action over a subtree (Gelly and Silver, 2011).

Besides Q(s,a), a child keeps Q~(s,a): the mean result of the simulations in which the same player played
a at s or later.  Actions are chosen by (1 - b) Q + b Q~ + c * sqrt(ln N / n), where b falls with the
visits, by one of two schedules:

    hand-selected   b = sqrt(k / (3 N + k))
    minimum MSE     b = n~ / (n + n~ + 4 n n~ bias^2)

All children of a node are added at once, since Q~ says something of those that were never tried.
"""

from __future__ import annotations

import math

import numpy as np

from ...rules import CHANCE, inner

NODE = [
    ("rave_value", np.float64),  # Q~: mean result for player 0
    ("rave_visits", np.int32),  # n~
]


@inner
def select(workspace, nodes, parent, sign):
    """The child with the best mixture of Q and Q~; one of which nothing is known comes first."""
    options = workspace.options
    if parent.visits == 0:  # the root, in the first simulation
        return np.int64(parent.first)
    weight = options.c * math.sqrt(math.log(parent.visits))
    beta = math.sqrt(options.equivalence / (3 * parent.visits + options.equivalence))
    best, best_score = np.int64(parent.first), -np.inf
    for child in range(parent.first, parent.first + parent.width):
        node = nodes[child]
        n, m = float(node.visits), float(node.rave_visits)
        if n == 0 and (m == 0 or options.c > 0):
            return child
        if options.equivalence == 0:
            beta = m / (n + m + 4 * n * m * options.bias * options.bias)
        q, exploration = bound(node, sign, weight, 1.0 if n == 0 else 0.0 if m == 0 else beta)
        if q + exploration > best_score and sign * node.proof >= 0:
            best, best_score = child, q + exploration
    return best


@inner
def bound(node, sign, weight, b):
    """The two terms by which a child is chosen: the mixture of Q and Q~, and exploration."""
    return sign * ((1 - b) * node.value + b * node.rave_value), weight * node.spread


@inner
def share(workspace, nodes, depth, result):
    """Add the result to Q~ of every action that its player played at a node of the path or later."""
    workspace.stamp += 1
    ply = workspace.now.plies
    for d in range(depth, -1, -1):
        while ply > d:
            ply -= 1
            if workspace.record[ply, 0] != CHANCE:
                workspace.seen[workspace.record[ply, 0], workspace.record[ply, 1]] = workspace.stamp
        node = nodes[workspace.path[d]]
        if d < depth and workspace.players[d] != CHANCE:
            for child in range(node.first, node.first + node.width):
                kid = nodes[child]
                if workspace.seen[workspace.players[d], kid.action] == workspace.stamp:
                    kid.rave_visits += 1
                    kid.rave_value += (result - kid.rave_value) / kid.rave_visits
