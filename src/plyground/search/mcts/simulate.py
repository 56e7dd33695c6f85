"""The kernel of Monte-Carlo tree search: simulations that grow a tree.

One simulation plays a game from the root to its end.  In the tree `uct`, `rave` or `guided` says which child to
walk to, up to a new node; from there on it is a roll-out, at random or "win-block": win at once, else block a
win of the opponent, else play at random.  The winning actions of both players are lists that follow every
move (`wins_after`); the board is never searched.  At last the result is added to every node on the path.
With `solve`, proven wins and losses are backed up as well (Winands, Bjornsson and Saito, 2008).

In a game of one player a simulation ends after `horizon` moves, if not before, and its result is the score so far.
Scores have no bounds there: exploration is scaled by the range of the results seen, which is as if they were
normalised.

Five arguments are each True or None: `chance`, does the game have chance events; `shrinks`, does it give the
rule `still`; `heavy`, are the roll-outs win-block; `shared`, are values shared as RAVE does; `alone`, does one
player play.  A sixth, `net`, is None or a policy net.  None takes the code away before it is compiled.  A move is
played in one place only, and what is called once is written out: compiling is what a first use waits for.
"""

from __future__ import annotations

import math

import numpy as np

from ...rules import CHANCE, LONGEST, inner, kernel
from ..rng import below, outcome
from ..tree import CERTAIN, NONE, ROOT, add_child, proven
from . import guided, rave, uct

OPTIONS = [  # what the kernel is told; the agent's options say what each one does
    ("sign", np.float64),  # 1 if player 0 searches, -1 if player 1: turns a score to the owner of the rewards
    ("deepest", np.int64),  # the tree grows no deeper; 0 leaves nothing but roll-outs
    ("c", np.float64),  # in a game of one player, at every time `relative_c` times half the range of the results
    ("relative_c", np.float64),
    ("horizon", np.int64),  # moves of a simulation, in a game of one player
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
def grow(game, works, nodes, simulations, chance, shrinks, heavy, shared, net, alone):
    """Run simulations from the work's root; return how many (fewer if the root gets proven)."""
    work = works[0]
    now, root, options = work.now, work.root, work.options
    if heavy is not None:
        for player in range(2):
            root.win_count[player] = game.wins(root.state, player, root.wins[player])
    for done in range(simulations):
        node = nodes[ROOT]
        if node.proof != 0:
            return done
        works["now"][0] = works["root"][0]
        if options.rollouts > 1:
            works["leaf"][0] = works["root"][0]
        work.path[0] = ROOT
        depth = np.int64(0)
        walking = options.deepest > 0
        result = 0.0
        for i in range(options.rollouts):
            if i > 0:
                works["now"][0] = works["leaf"][0]
            count = 0  # candidates of the roll-out in work.moves; 0 when they have to be listed
            moves = 0  # in a game of one player
            if alone is not None:
                for d in range(depth):
                    moves += work.players[d] != CHANCE
            while not game.over(now.state) and node.proof == 0 and now.plies < LONGEST:
                player = game.player(now.state)
                if alone is not None:
                    if player != CHANCE:
                        if moves == options.horizon:
                            break
                        moves += 1
                action, drawn = -1, -1
                if chance is not None:
                    if player == CHANCE:
                        action = outcome(game, now.state, work)
                        count = 0
                if walking:
                    child = NONE
                    if chance is not None:
                        if player == CHANCE:
                            child = chance_child(game, work, nodes, node, action)
                    if player != CHANCE:
                        if node.width < node.branches or node.branches == 0:
                            child = expand(work, nodes, node, game.legal(now.state, work.moves))
                            if net is not None and child != NONE:
                                guided.advise(game, work, nodes, node, net)
                        if shared is not None:
                            if node.width > 0:
                                child = rave.select(work, nodes, node, 1 - 2 * player)
                        elif net is not None:
                            if node.width > 0:
                                child = guided.select(work, nodes, node, 1 - 2 * player)
                        elif child == NONE and node.width > 0:
                            child = uct.select(work, nodes, node, 1 - 2 * player)
                    walking = child != NONE
                    if walking:
                        node = nodes[child]
                        action = np.int64(node.action)
                        work.players[depth] = player
                        depth += 1
                        work.path[depth] = child
                        walking = node.visits > 0 and depth < options.deepest
                if heavy is not None:
                    if action < 0:  # win at once, or take a win from the opponent
                        owner = player if now.win_count[player] > 0 else 1 - player
                        if now.win_count[owner] > 0:
                            action = np.int64(now.wins[owner, below(work, now.win_count[owner])])
                if action < 0:
                    if count == 0:
                        count = game.legal(now.state, work.moves)
                        if count == 0:
                            break
                    drawn = below(work, count)
                    action = np.int64(work.moves[drawn])
                if shrinks is not None:  # a candidate that is no longer legal is dropped
                    if drawn >= 0 and not game.still(now.state, action):
                        count -= 1
                        work.moves[drawn] = work.moves[count]
                        if count == 0:  # the rules contradict themselves
                            break
                        continue
                if shared is not None:
                    work.record[now.plies, 0] = player
                    work.record[now.plies, 1] = action
                now.plies += 1
                game.play(now.state, action)
                if heavy is not None:
                    for owner in range(2):
                        wins = now.wins[owner]
                        now.win_count[owner] = game.wins_after(now.state, action, owner, wins, now.win_count[owner])
                if shrinks is not None:
                    if drawn >= 0 and not game.still(now.state, action):
                        count -= 1
                        work.moves[drawn] = work.moves[count]
                else:
                    count = 0
                if now.plies == depth and options.rollouts > 1:
                    works["leaf"][0] = works["now"][0]

            if alone is not None:
                result += game.score(now.state)
            else:  # the reward of the player who searches, seen by player 0
                score = float(node.proof)
                if node.proof == 0 and game.over(now.state):
                    score = game.score(now.state)
                    if options.solve and now.plies == depth and abs(score) == 1:
                        node.proof = np.int64(score)
                score *= options.sign
                side = options.win if score > 0 else options.loss
                reward = options.draw + (side - options.draw) * abs(score)
                if options.discount != 1:
                    reward *= math.pow(options.discount, np.float64(now.plies))
                result += options.sign * reward
            work.played += now.plies
        result /= options.rollouts
        if alone is not None:
            work.lowest = min(work.lowest, result)
            work.highest = max(work.highest, result)
            half = (work.highest - work.lowest) / 2
            options.c = options.relative_c * (half if half > 0 else 1.0)
        back_up(work, nodes, depth, result)
        if shared is not None:
            rave.share(work, nodes, depth, result)
    return simulations


@inner
def expand(work, nodes, parent, count):
    """Add a child for one of the `count` actions in work.moves, or for each; NONE if there is no room."""
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
def chance_child(game, work, nodes, node, action):
    """The child of a chance outcome, added if need be; NONE if there is no room for it."""
    for child in range(node.first, node.first + node.width):
        if nodes[child].action == action:
            return child
    node.branches = game.chance(work.now.state, work.moves, work.weights)
    return add_child(nodes, node, action)


@inner
def back_up(work, nodes, depth, result):
    """Add the result to every node of the path; carry a proof up as far as it holds."""
    proof = np.int64(nodes[work.path[depth]].proof)
    for d in range(depth, -1, -1):
        node = nodes[work.path[d]]
        if proof != 0 and d < depth:
            proof = proven(nodes, node, work.players[d], proof)
            node.proof = proof
        node.visits += 1
        node.value += (result - node.value) / node.visits
        node.spread = 1.0 / math.sqrt(node.visits)
        if node.proof != 0:
            node.value = CERTAIN * node.proof
