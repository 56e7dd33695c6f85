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

from ..rules import CHANCE, inner, kernel
from . import uct
from .rollout import DEEPEST, play
from .tree import NONE, ROOT
from .uct import back_up, chance_child, evaluate, expand, list_wins

NODE = [
    ("rave_value", np.float64),  # Q~: mean result for player 0
    ("rave_visits", np.int32),  # n~
]
OPTIONS = [
    *uct.OPTIONS,
    ("equivalence", np.float64),  # k of the hand-selected schedule; 0 chooses the other one
    ("bias", np.float64),  # of the minimum-MSE schedule
]


@kernel
def grow(game, works, nodes, simulations, chance, heavy):
    """Run simulations from the work's root; return how many (fewer if the root gets proven)."""
    work = works[0]
    if heavy is not None:
        list_wins(game, work.root)
    for done in range(simulations):
        if nodes[ROOT].proof != 0:
            return done
        works["now"][0] = works["root"][0]
        depth = descend(game, work, nodes, chance, heavy)
        result = evaluate(game, works, nodes[work.path[depth]], chance, heavy, True)
        back_up(work, nodes, depth, result)
        share(work, nodes, depth, result)
    return simulations


@inner
def descend(game, work, nodes, chance, heavy):
    """Walk from the root to a new node, or to an end; return its depth.  The path is in the work."""
    now = work.now
    depth = 0
    work.path[0] = ROOT
    node = nodes[ROOT]
    while depth < DEEPEST - 1 and not game.over(now.state):
        player = game.player(now.state)
        child = NONE
        if chance is not None:
            if player == CHANCE:
                child = chance_child(game, work, nodes, node)
                if child == NONE:
                    break
        if child == NONE:
            if node.width == 0 and expand(game, work, nodes, node) == NONE:
                break
            child = select(work, nodes, node, 1 - 2 * player)
        node = nodes[child]
        work.players[depth] = player
        depth += 1
        work.path[depth] = child
        play(game, work, np.int64(node.action), heavy, True)
        if node.visits == 0 or node.proof != 0:
            break
    return depth


@inner
def select(work, nodes, parent, sign):
    """The child with the best mixture of Q and Q~; one of which nothing is known comes first."""
    options = work.options
    weight = options.c * math.sqrt(math.log(parent.visits)) if options.c > 0 else 0.0
    beta = math.sqrt(options.equivalence / (3 * parent.visits + options.equivalence))
    best, best_score = np.int64(parent.first), -np.inf
    for child in range(parent.first, parent.first + parent.width):
        node = nodes[child]
        n, m = float(node.visits), float(node.rave_visits)
        if n == 0 and (m == 0 or options.c > 0):
            return child
        if options.equivalence == 0:
            beta = m / (n + m + 4 * n * m * options.bias * options.bias)
        b = 1.0 if n == 0 else 0.0 if m == 0 else beta
        score = sign * ((1 - b) * node.value + b * node.rave_value) + weight * node.spread
        if score > best_score and sign * node.proof >= 0:
            best, best_score = child, score
    return best


@inner
def share(work, nodes, depth, result):
    """Add the result to Q~ of every action that its player played at a node of the path or later."""
    work.stamp += 1
    ply = work.now.plies
    for d in range(depth, -1, -1):
        while ply > d:
            ply -= 1
            if work.trace[ply, 0] != CHANCE:
                work.seen[work.trace[ply, 0], work.trace[ply, 1]] = work.stamp
        node = nodes[work.path[d]]
        if d < depth and work.players[d] != CHANCE:
            for child in range(node.first, node.first + node.width):
                kid = nodes[child]
                if work.seen[work.players[d], kid.action] == work.stamp:
                    kid.rave_visits += 1
                    kid.rave_value += (result - kid.rave_value) / kid.rave_visits
