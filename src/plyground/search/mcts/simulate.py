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

`workspaces` is one workspace, in an array, since NumPy copies states between fields of arrays.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...rules import CHANCE, LONGEST, gives, inner, kernel, recursive
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


class Switches(NamedTuple):
    """What a kernel is compiled for.  Each field is None or switches a part of the search on, as in
    `depth_first.stack.Context`: the function that does such a part is handed the field as its first argument."""

    nature: Any = None  # True: the game has chance events
    shrinks: Any = None  # True: the game gives the rule `still`
    heavy: Any = None  # True: roll-outs are win-block
    shared: Any = None  # True: values are shared as RAVE does
    net: Any = None  # the policy net that guides the search, an `MLP`
    solo: Any = None  # True: one player plays


def switches_of_rollouts(game: Any, heavy: bool = False) -> Switches:
    """Those of games that are played to their end."""
    on = gives(game, "chance"), gives(game, "still"), heavy
    return Switches(*(True if value else None for value in on))


def switches_of_search(game: Any, heavy: bool, shared: bool = False, net: Any = None) -> Switches:
    """Those of a search."""
    more = {"shared": shared or None, "net": net, "solo": game.alone() or None}
    return switches_of_rollouts(game, heavy)._replace(**more)


@kernel
def grow(game, workspaces, trails, nodes, switches, simulations):
    """Run simulations from the root; return how many (fewer if the root gets proven).

    workspaces [1]; trails [1]: those of its fields that are met but a few times in a simulation (`root`, `leaf`,
    `path`, `players`, `marks`), the same array again, or on a GPU another one in slower memory; nodes [capacity]: the
    tree; switches: what this is compiled for.
    """
    list_wins(switches.heavy, game, trails[0].root)
    for done in range(simulations):
        if nodes[ROOT].proof != 0:
            return done
        go_to_root(workspaces, trails)
        depth, moves = descend(game, workspaces[0], trails[0], nodes, switches)
        result = evaluate(switches.solo, game, workspaces, trails, nodes, depth, moves, switches)
        back_up(trails[0], nodes, depth, result)
        share(switches.shared, workspaces[0], nodes, depth, result)
    return simulations


@inner
def list_wins(heavy, game, position):
    """List the winning actions of both players."""
    if heavy is not None:
        for player in range(2):
            position.win_count[player] = game.wins(position.state, player, position.wins[player])


@inner
def go_to_root(workspaces, trails):
    """A simulation begins where the search does."""
    workspaces["now"][0] = trails["root"][0]


@inner
def descend(game, workspace, trail, nodes, switches):
    """Walk from the root to a leaf: a node that is new, or at which the game is over or its result proven, or below
    which the tree does not grow.  Return its depth, and how many moves led there, without those of nature."""
    now, options = workspace.now, workspace.options
    node, depth, moves = nodes[ROOT], np.int64(0), np.int64(0)
    trail.path[0] = ROOT
    goes_on = options.deepest > 0
    while goes_on and not game.over(now.state) and node.proof == 0:
        player = np.int64(game.player(now.state))
        if ends(switches.solo, workspace, player, moves):
            break
        child = select_child(
            switches.nature, switches.shared, switches.net, game, workspace, trail, nodes, node, player
        )
        if child == NONE:
            break
        node = nodes[child]
        trail.players[depth] = player
        depth += 1
        trail.path[depth] = child
        moves += player != CHANCE
        play_on(game, workspace, player, np.int64(node.action), moves, switches)
        goes_on = node.visits > 0 and depth < options.deepest
    return depth, moves


@inner
def ends(solo, workspace, player, moves):
    """Does a simulation end here, in a game of one player, who has made so many moves?"""
    if solo is not None:
        return player != CHANCE and moves == workspace.options.horizon
    return False


@inner
def select_child(nature, shared, net, game, workspace, trail, nodes, node, player):
    """The child to walk to by the rule of the search, which adds children where not all were tried; UCT walks to a new
    one at once.  NONE if there is no room for children."""
    if nature is not None:
        if player == CHANCE:
            return chance_child(game, workspace, nodes, node)
    new = NONE
    if node.width < node.branches or node.branches == 0:
        new = expand(workspace, trail, nodes, node, game.legal(workspace.now.state, workspace.moves))
    if node.width == 0:
        return NONE
    sign = 1 - 2 * player
    if shared is not None:
        return rave.select(workspace, nodes, node, sign)
    if net is not None:
        if new != NONE:
            guided.advise(game, workspace, nodes, node, net)
        return guided.select(workspace, nodes, node, sign)
    return uct.select(workspace, nodes, node, sign) if new == NONE else new


@inner
def make_move(heavy, shared, game, workspace, player, action):
    """Play an action in the state that the simulation has reached."""
    now = workspace.now
    if shared is not None:
        workspace.record[now.plies, 0] = player
        workspace.record[now.plies, 1] = action
    now.plies += 1
    game.play(now.state, action)
    if heavy is not None:
        for owner in range(2):
            wins = now.wins[owner]
            now.win_count[owner] = game.wins_after(now.state, action, owner, wins, now.win_count[owner])


@inner
def evaluate(solo, game, workspaces, trails, nodes, depth, moves, switches):
    """What the leaf is worth: the mean result of roll-outs from there; its result, where that is proven.

    With `solve` a game that is over at the leaf proves the leaf.
    """
    workspace, trail = workspaces[0], trails[0]
    now, options, leaf = workspace.now, workspace.options, nodes[trail.path[depth]]
    total = 0.0
    if options.rollouts > 1:
        trails["leaf"][0] = workspaces["now"][0]
    for i in range(options.rollouts):
        if i > 0:
            workspaces["now"][0] = trails["leaf"][0]
        over = leaf.proof == 0 and roll_out(game, workspace, moves, switches)
        workspace.played += now.plies
        if solo is not None:
            total += game.score(now.state)
        else:
            score = game.score(now.state) if over else np.float64(leaf.proof)
            if over and options.solve and now.plies == depth and abs(score) == 1:
                leaf.proof = np.int64(score)
            total += reward(workspace, score)
    if solo is not None:
        rescale(workspace, total / options.rollouts)
    return total / options.rollouts


@inner
def roll_out(game, workspace, moves, switches):
    """Play to the end of the game by the policy of roll-outs; is it over, or did the simulation end before?"""
    return play_on(game, workspace, np.int64(CHANCE), np.int64(-1), moves, switches)


@recursive
def play_on(game, workspace, player, action, moves, switches):
    """Play an action of this player's alone or, where it is -1, go on by the policy of roll-outs; is the game over?

    The tree and roll-outs have this in common since rules are compiled anew in every place that calls them.

    Candidates stand in workspace.moves[:count] and are listed where count is 0.  Where a game `shrinks` they are kept
    from move to move, and one that is no longer legal is dropped when it is drawn.
    """
    now, alone, place, count = workspace.now, action >= 0, np.int64(-1), np.int64(0)
    while True:
        if not alone:
            over = game.over(now.state)
            if over or now.plies >= LONGEST:
                return over
            player = game.player(now.state)
            if ends(switches.solo, workspace, player, moves):
                return False
            moves += player != CHANCE
            action, place, count = draw_action(
                switches.nature, switches.heavy, switches.shrinks, game, workspace, player, count
            )
            if action < 0:
                return False
        make_move(switches.heavy, switches.shared, game, workspace, player, action)
        if alone:
            return False
        count = left(switches.shrinks, game, workspace, action, place, count)


@inner
def draw_action(nature, heavy, shrinks, game, workspace, player, count):
    """The next action of a roll-out (-1: there is none), its place among the candidates (-1: it is none of them), and
    how many those are."""
    now, moves = workspace.now, workspace.moves
    if nature is not None:
        if player == CHANCE:
            return outcome(game, now.state, workspace), np.int64(-1), np.int64(0)
    if heavy is not None:  # win at once, or take a win from the opponent
        owner = player if now.win_count[player] > 0 else 1 - player
        if now.win_count[owner] > 0:
            return np.int64(now.wins[owner, below(workspace, now.win_count[owner])]), np.int64(-1), count
    if count == 0:
        count = np.int64(game.legal(now.state, moves))
    while count > 0:
        place = below(workspace, count)
        action = np.int64(moves[place])
        if shrinks is None:
            return action, place, count
        if shrinks is not None:
            if game.still(now.state, action):
                return action, place, count
        count -= 1
        moves[place] = moves[count]
    return np.int64(-1), np.int64(-1), np.int64(0)


@inner
def left(shrinks, game, workspace, action, place, count):
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


@inner
def share(shared, workspace, nodes, depth, result):
    """Share the result with the same actions elsewhere on the path, as RAVE does."""
    if shared is not None:
        rave.share(workspace, nodes, depth, result)
