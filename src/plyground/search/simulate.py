"""The kernel of Monte-Carlo tree search: simulations that grow a tree.

One simulation walks down the tree to a new node, plays roll-outs from it, and adds the result to every
node on the path.  `uct` and `rave` say which child to walk to.  With `solve`, proven wins and losses are
backed up as well (Winands, Bjornsson and Saito, 2008).

Four arguments run through the kernels, each True or None: `chance`, does the game have chance events;
`shrinks`, does it give the rule `still`; `heavy`, are the roll-outs win-block; `shared`, are values shared
as RAVE does.  None takes the code away before it is compiled.  The kernel is one function, since every
function costs a tenth of a second to compile.
"""

from __future__ import annotations

import math

import numpy as np

from ..rules import CHANCE, inner, kernel
from . import rave, uct
from .rng import below
from .rollout import DEEPEST, drawn, play, rollout
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
    ("equivalence", np.float64),  # k of RAVE's hand-selected schedule; 0 chooses the other one
    ("bias", np.float64),  # of RAVE's minimum-MSE schedule
]


@kernel
def grow(game, works, nodes, simulations, chance, shrinks, heavy, shared):
    """Run simulations from the work's root; return how many (fewer if the root gets proven)."""
    work = works[0]
    now, root, options = work.now, work.root, work.options
    if heavy is not None:
        for player in range(2):
            root.win_count[player] = game.wins(root.state, player, root.wins[player])
    for done in range(simulations):
        if nodes[ROOT].proof != 0:
            return done
        works["now"][0] = works["root"][0]

        # walk from the root to a new node, or to an end of the game
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
            if (child == NONE or shared is not None) and node.width > 0 and player != CHANCE:
                if shared is not None:
                    child = rave.select(work, nodes, node, 1 - 2 * player)
                else:
                    child = uct.select(work, nodes, node, 1 - 2 * player)
            if child == NONE:
                break
            node = nodes[child]
            work.players[depth] = player
            depth += 1
            work.path[depth] = child
            play(game, work, np.int64(node.action), heavy, shared)
            if node.visits == 0 or node.proof != 0:
                break

        # the mean reward of roll-outs from there, for player 0; a proven node needs none
        if options.solve and game.over(now.state):
            node.proof = np.int64(game.score(now.state))
        works["leaf"][0] = works["now"][0]
        result = 0.0
        for i in range(options.rollouts):
            if i > 0:
                works["now"][0] = works["leaf"][0]
            score = float(node.proof)
            if node.proof == 0:
                score = rollout(game, work, chance, shrinks, heavy, shared)
            score *= options.sign
            side = options.win if score > 0 else options.loss
            reward = options.draw + (side - options.draw) * abs(score)
            if options.discount != 1:
                reward *= math.pow(options.discount, np.float64(now.plies))
            result += options.sign * reward
        result /= options.rollouts

        back_up(work, nodes, depth, result)
        if shared is not None:
            rave.share(work, nodes, depth, result)
    return simulations


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
