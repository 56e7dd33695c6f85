"""The kernel of Monte-Carlo tree search: simulations that grow a tree.

One simulation plays a game from the root to its end:

    descend     in the tree, `uct`, `rave` or `guided` says which child to walk to, up to a new node
    roll out    from there on at random, or "win-block": win at once, else block a win of the opponent, else at random
    back up     the result is added to every node on the path

The winning actions of both players are lists that follow every move (`wins_after`); the board is never searched.
With `solve`, proven wins and losses are backed up as well (Winands, Bjornsson and Saito, 2008).

In a game of one player a simulation ends after `horizon` moves, if not before, and its result is the score so far.
Scores have no bounds there: exploration is scaled by the range of the results seen, which is as if they were
normalised.

What a kernel is compiled for is set by arguments that are True or None, since None takes code away before it is
compiled: `chance`, does the game have chance events; `shrinks`, does it give the rule `still`; `heavy`, are the
roll-outs win-block; `shared`, are values shared as RAVE does; `solo`, does one player play.  `net` is None or a policy
net.  `workspaces` is one workspace, in an array, since NumPy copies states between fields of arrays.
"""

from __future__ import annotations

import math

import numpy as np

from ...rules import CHANCE, LONGEST, inner, kernel
from ..rng import below, outcome
from ..tree import CERTAIN, NONE, ROOT, add_child, proven
from . import guided, rave, uct

OPTIONS = [  # the kernel's; the agent's options say what each one does
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
def grow(game, workspaces, trails, nodes, simulations, chance, shrinks, heavy, shared, net, solo):
    """Run simulations from the root; return how many (fewer if the root gets proven).

    workspaces [1]; trails [1]: those of its fields that are met but a few times in a simulation (`root`, `leaf`,
    `path`, `players`, `marks`), the same array again, or on a GPU another one in slower memory; nodes [capacity]: the
    tree.  Moves are played here alone, and arrays are handed on as seldom as can be: rules are written out where they
    are called, and a call counts references to its arrays.
    """
    workspace, trail = workspaces[0], trails[0]
    now, options = workspace.now, workspace.options
    if heavy is not None:
        for player in range(2):
            trail.root.win_count[player] = game.wins(trail.root.state, player, trail.root.wins[player])
    for done in range(simulations):
        node, depth, result = nodes[ROOT], np.int64(0), 0.0
        if node.proof != 0:
            return done
        go_to_root(workspaces, trails)
        if options.rollouts > 1:
            trails["leaf"][0] = trails["root"][0]
        trail.path[0] = ROOT
        in_tree = options.deepest > 0
        for i in range(options.rollouts):
            if i > 0:
                workspaces["now"][0] = trails["leaf"][0]
            count = np.int64(0)  # candidates of the roll-out
            moves = moves_of(trail, depth) if solo is not None else 0
            while not game.over(now.state) and node.proof == 0 and now.plies < LONGEST:
                player = game.player(now.state)
                if solo is not None:
                    if player != CHANCE and moves == options.horizon:
                        break
                    moves += player != CHANCE
                action, place = np.int64(-1), np.int64(-1)
                if in_tree:
                    child = descend(game, workspace, trail, nodes, node, player, chance, shared, net)
                    in_tree = child != NONE
                    if in_tree:
                        node = nodes[child]
                        action = np.int64(node.action)
                        trail.players[depth] = player
                        depth += 1
                        trail.path[depth] = child
                        in_tree = node.visits > 0 and depth < options.deepest
                if action < 0:
                    action, place, count = roll_out(game, workspace, player, count, chance, shrinks, heavy)
                    if action < 0:
                        break
                if shared is not None:
                    workspace.record[now.plies, 0] = player
                    workspace.record[now.plies, 1] = action
                now.plies += 1
                game.play(now.state, action)
                if heavy is not None:
                    for owner in range(2):
                        wins = now.wins[owner]
                        now.win_count[owner] = game.wins_after(now.state, action, owner, wins, now.win_count[owner])
                count = left(game, workspace, action, place, count, shrinks)
                if now.plies == depth and options.rollouts > 1:
                    trails["leaf"][0] = workspaces["now"][0]
            if solo is not None:
                result += game.score(now.state)
            else:
                score = np.float64(node.proof)
                if node.proof == 0 and game.over(now.state):
                    score = game.score(now.state)
                    if options.solve and now.plies == depth and abs(score) == 1:
                        node.proof = np.int64(score)
                result += reward(workspace, score)
            workspace.played += now.plies
        result /= options.rollouts
        if solo is not None:
            rescale(workspace, result)
        back_up(trail, nodes, depth, result)
        if shared is not None:
            rave.share(workspace, nodes, depth, result)
    return simulations


@inner
def go_to_root(workspaces, trails):
    """A simulation begins where the search does."""
    workspaces["now"][0] = trails["root"][0]


@inner
def moves_of(trail, depth):
    """How many of the actions on the path were a player's, not nature's."""
    moves = 0
    for d in range(depth):
        moves += trail.players[d] != CHANCE
    return moves


@inner
def descend(game, workspace, trail, nodes, node, player, chance, shared, net):
    """The child to walk to, a new one where not all were tried; NONE if there is no room for children."""
    child = NONE
    if chance is not None:
        if player == CHANCE:
            child = chance_child(game, workspace, nodes, node)
    if player != CHANCE:
        if node.width < node.branches or node.branches == 0:
            child = expand(workspace, trail, nodes, node, game.legal(workspace.now.state, workspace.moves))
            if net is not None and child != NONE:
                guided.advise(game, workspace, nodes, node, net)
        if shared is not None:
            if node.width > 0:
                child = rave.select(workspace, nodes, node, 1 - 2 * player)
        elif net is not None:
            if node.width > 0:
                child = guided.select(workspace, nodes, node, 1 - 2 * player)
        elif child == NONE and node.width > 0:
            child = uct.select(workspace, nodes, node, 1 - 2 * player)
    return child


@inner
def roll_out(game, workspace, player, count, chance, shrinks, heavy):
    """The next action of a roll-out (-1: there is none), its place among the candidates (-1: it is none of them), and
    how many those are.

    Candidates stand in workspace.moves[:count] and are listed where count is 0.  Where a game `shrinks` they are kept
    from move to move, and one that is no longer legal is dropped when it is drawn.
    """
    if chance is not None:
        if player == CHANCE:
            return outcome(game, workspace.now.state, workspace), np.int64(-1), np.int64(0)
    if heavy is not None:  # win at once, or take a win from the opponent
        owner = player if workspace.now.win_count[player] > 0 else 1 - player
        if workspace.now.win_count[owner] > 0:
            return (
                np.int64(workspace.now.wins[owner, below(workspace, workspace.now.win_count[owner])]),
                np.int64(-1),
                count,
            )
    if count == 0:
        count = np.int64(game.legal(workspace.now.state, workspace.moves))
    while count > 0:
        place = below(workspace, count)
        action = np.int64(workspace.moves[place])
        if shrinks is None:
            return action, place, count
        if shrinks is not None:
            if game.still(workspace.now.state, action):
                return action, place, count
        count -= 1
        workspace.moves[place] = workspace.moves[count]
    return np.int64(-1), np.int64(-1), np.int64(0)


@inner
def left(game, workspace, action, place, count, shrinks):
    """How many candidates of a roll-out are left when an action has been played, which stood in this place."""
    if shrinks is None:
        return np.int64(0)
    if place >= 0 and not game.still(workspace.now.state, action):
        count -= 1
        workspace.moves[place] = workspace.moves[count]
    return count


@inner
def reward(workspace, score):
    """What a score is worth to who searches, as player 0 sees it; later results are worth less."""
    options = workspace.options
    score *= options.sign
    side = options.win if score > 0 else options.loss
    found = options.draw + (side - options.draw) * abs(score)
    if options.discount != 1:
        found *= math.pow(options.discount, np.float64(workspace.now.plies))
    return options.sign * found


@inner
def rescale(workspace, result):
    """One player's results have no bounds: the weight of exploration follows half of their range."""
    workspace.lowest, workspace.highest = min(workspace.lowest, result), max(workspace.highest, result)
    half = (workspace.highest - workspace.lowest) / 2
    workspace.options.c = workspace.options.relative_c * (half if half > 0 else 1.0)


@inner
def expand(workspace, trail, nodes, parent, count):
    """Add a child for one of the `count` actions in workspace.moves, or for each; NONE if there is no room."""
    parent.branches = count
    if count == 0:
        return NONE
    if workspace.options.expand_all:
        block = np.int64(nodes[NONE].first)
        if block + count > nodes.size:
            return NONE
        nodes[NONE].first = block + count
        for i in range(count):
            j = i + below(workspace, count - i)
            nodes[block + i].action = workspace.moves[j]
            workspace.moves[j] = workspace.moves[i]
        parent.first = block
        parent.width = count
        return block
    first, width = np.int64(parent.first), np.int64(parent.width)
    for child in range(first, first + width):
        trail.marks[nodes[child].action] = 1
    skip = below(workspace, count - width)
    i = -1
    while skip >= 0:
        i += 1
        skip -= trail.marks[workspace.moves[i]] == 0
    for child in range(first, first + width):
        trail.marks[nodes[child].action] = 0
    return add_child(nodes, parent, workspace.moves[i])


@inner
def chance_child(game, workspace, nodes, node):
    """The child of an outcome that is drawn by its probability, added if need be.

    NONE if there is no room for it; then nothing counts as drawn, and the roll-out draws the same.
    """
    before = workspace.rng
    action = outcome(game, workspace.now.state, workspace)
    for child in range(node.first, node.first + node.width):
        if nodes[child].action == action:
            return child
    node.branches = game.chance(workspace.now.state, workspace.moves, workspace.weights)
    added = add_child(nodes, node, action)
    if added == NONE:
        workspace.rng = before
    return added


@inner
def back_up(trail, nodes, depth, result):
    """Add the result to every node of the path; carry a proof up as far as it holds."""
    proof = np.int64(nodes[trail.path[depth]].proof)
    for d in range(depth, -1, -1):
        node = nodes[trail.path[d]]
        if proof != 0 and d < depth:
            proof = proven(nodes, node, trail.players[d], proof)
            node.proof = proof
        node.visits += 1
        node.value += (result - node.value) / node.visits
        node.spread = 1.0 / math.sqrt(node.visits)
        if node.proof != 0:
            node.value = CERTAIN * node.proof
