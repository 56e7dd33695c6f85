"""UCT: Monte-Carlo tree search with UCB1 as its bandit (Kocsis and Szepesvari, 2006).

One simulation walks down the tree by Q + c * sqrt(ln N / n), adds a node, plays a roll-out from it and
adds the result to every node on the path.  With `solve`, proven wins and losses are backed up as well
(Winands, Bjornsson and Saito, 2008).
"""

from __future__ import annotations

import math

import numpy as np

from ..rules import CHANCE, inner, kernel
from .rng import below
from .rollout import DEEPEST, SMALL, drawn, play, rollout
from .tree import NONE, ROOT, add_child

CERTAIN = 1e9  # value of a proven node, beyond every mean and bound

OPTIONS = [  # what the kernel is told; the agent's options say what each one does
    ("sign", np.float64),  # 1 if player 0 searches, -1 if player 1: turns a score to the owner of the rewards
    ("c", np.float64),
    ("count_root", np.bool_),
    ("expand_all", np.bool_),
    ("rollouts", np.int64),
    ("win", np.float64),
    ("draw", np.float64),
    ("loss", np.float64),
    ("discount", np.float64),
    ("solve", np.bool_),
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
        result = evaluate(game, works, nodes[work.path[depth]], chance, heavy, None)
        back_up(work, nodes, depth, result)
    return simulations


@inner
def list_wins(game, position):
    """List the winning actions of both players, for win-block roll-outs."""
    for player in range(2):
        position.win_count[player] = game.wins(position.state, player, position.wins[player])


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
        if child == NONE and (node.width < node.branches or node.branches == 0):
            child = expand(game, work, nodes, node)
        if child == NONE and node.width > 0:
            child = select(work, nodes, node, 1 - 2 * player)
        if child == NONE:
            break
        node = nodes[child]
        work.players[depth] = player
        depth += 1
        work.path[depth] = child
        play(game, work, np.int64(node.action), heavy, None)
        if node.visits == 0 or node.proof != 0:
            break
    return depth


@inner
def select(work, nodes, parent, sign):
    """The child with the highest upper confidence bound for the player to move (unvisited: infinite)."""
    child, end = np.int64(parent.first), np.int64(parent.first + parent.width)
    if nodes[end - 1].visits == 0:  # they are visited in their order
        while nodes[child].visits > 0:
            child += 1
        return child
    visits = nodes[ROOT].visits if work.options.count_root else parent.visits
    weight = work.options.c * (work.logs[visits] if visits < SMALL else math.sqrt(math.log(visits)))
    best, best_score = child, -np.inf
    for child in range(parent.first, end):
        score = sign * nodes[child].value + weight * nodes[child].spread
        if score > best_score:
            best, best_score = child, score
    return best


@inner
def expand(game, work, nodes, parent):
    """Add a child for a random action without one, or for every action; NONE if there is no room."""
    count = game.legal(work.now.state, work.moves)
    parent.branches = count
    if count == 0:
        return NONE
    if work.options.expand_all:
        block = np.int64(nodes[NONE].first)
        if block + count > nodes.size:
            return NONE
        nodes[NONE].first = block + count
        for i in range(count):
            j = i + below(work, count - i)
            nodes[block + i].action = work.moves[j]
            work.moves[j] = work.moves[i]
        parent.first = block
        parent.width = count
        return block
    first, width = np.int64(parent.first), np.int64(parent.width)
    for child in range(first, first + width):
        work.marks[nodes[child].action] = 1
    skip = below(work, count - width)
    i = -1
    while skip >= 0:
        i += 1
        skip -= work.marks[work.moves[i]] == 0
    for child in range(first, first + width):
        work.marks[nodes[child].action] = 0
    return add_child(nodes, parent, work.moves[i])


@inner
def chance_child(game, work, nodes, node):
    """The child of a chance outcome drawn by its probability; NONE if there is no room for it."""
    outcome = drawn(game, work)
    for child in range(node.first, node.first + node.width):
        if nodes[child].action == outcome:
            return child
    node.branches = game.chance(work.now.state, work.moves, work.weights)
    return add_child(nodes, node, outcome)


@inner
def evaluate(game, works, leaf, chance, heavy, trace):
    """The mean reward of the roll-outs from the leaf, for player 0; a proven leaf needs none."""
    work = works[0]
    options = work.options
    sign = options.sign
    if options.solve and game.over(work.now.state):
        leaf.proof = np.int64(game.score(work.now.state))
    if options.rollouts > 1:
        works["leaf"][0] = works["now"][0]
    total = 0.0
    for i in range(options.rollouts):
        if i > 0:
            works["now"][0] = works["leaf"][0]
        score = sign * (np.float64(leaf.proof) if leaf.proof != 0 else rollout(game, work, chance, heavy, trace))
        if score > 0:
            reward = options.draw + (options.win - options.draw) * score
        else:
            reward = options.draw + (options.draw - options.loss) * score
        if options.discount != 1:
            reward *= math.pow(options.discount, work.now.plies)
        total += sign * reward
    return total / options.rollouts


@inner
def back_up(work, nodes, depth, result):
    """Add the result to every node of the path; carry a proof up as far as it holds.

    A node is won for the player to move if one child is, and lost if all of them are.
    """
    proof = nodes[work.path[depth]].proof
    for d in range(depth, -1, -1):
        node = nodes[work.path[d]]
        if proof != 0 and d < depth:
            if work.players[d] == CHANCE:
                proof = 0
            elif proof != 1 - 2 * work.players[d]:
                if node.width < node.branches:
                    proof = 0
                for child in range(node.first, node.first + node.width):
                    if nodes[child].proof != proof:
                        proof = 0
            node.proof = proof
        node.visits += 1
        node.value += (result - node.value) / node.visits
        node.spread = 1.0 / math.sqrt(node.visits)
        if node.proof != 0:
            node.value = CERTAIN * node.proof
