"""PUCT: tree search by a net that says what a position is worth and which actions are worth exploring.

    Q(s,a) + c P(a|s) sqrt(N(s)) / (1 + N(s,a))                               (Silver and others, 2017)

A *walker* goes down a tree to a leaf and waits there until the net has judged it; a batch of leaves, of many trees or
of one, is judged at once.  Whoever waits counts on its path as a `virtual_loss` (Chaslot and others, 2008), until the
truth is known.

At the root `root.select_gumbel` may choose in the place of this rule.
With `solve`, proven wins and losses are backed up, as in `simulate`.  A *prover*, which some games have, may know the
result of a leaf, or that only a few moves make sense there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...jit.interpreted import interpreted_as
from ...rules import CHANCE, dtype, inner, record
from .. import vectorised
from ..rng import below, outcome
from ..tree import CERTAIN, NONE, ROOT, allocate_children, proven
from ..workspace import DEEPEST
from .guided import set_priors
from .root import select_gumbel
from .skeleton import add_result, begin_walk, leaf_of, search_fields, step, walk_fields

NODE = [
    ("prior", np.float32),  # P(a|s) of the action that leads here
    ("virtual_loss", np.int16),  # walkers that wait below: each counts as a visit that lost
]
PUCT, PLAIN = 0, 1  # rules of selection: see `select`
OPTIONS = [
    ("c", np.float64),  # weight of exploration
    ("fpu", np.float64),  # how much less than its parent an action is worth that was never tried, if all others were
    ("rule", np.int8),
    ("solve", np.bool_),
    ("visit_scale", np.float64),  # of the values against the priors, where the root is chosen by Gumbel
    ("value_scale", np.float64),
    ("rollout", np.float64),  # share of a roll-out's result in the value of a leaf
]


def tree_type(game: Any) -> np.dtype:
    """What a search keeps of one tree but its nodes."""
    return record(
        [
            *search_fields(game),
            ("rng", np.uint64),
            ("gumbel", np.float32, (game.actions(),)),  # noise by action
            ("value", np.float32),  # the net's, of the root, for the player to move
            ("considered", np.int32),  # actions that sequential halving begins with; 0: PUCT at the root too
        ]
    )


def walker_type(game: Any, prover: Any = None) -> np.dtype:
    """What a walker has on it: the state it has reached and how it got there, and what a prover needs."""
    return record(
        [
            *([] if prover is None else [("room", prover.empty.dtype)]),
            *walk_fields(game, DEEPEST),
            ("spare", dtype(game)),  # for a roll-out
            ("players", np.int8, (DEEPEST,)),  # who moves at each node of the path
            ("tree", np.int32),
            ("rolled", np.float64),  # the roll-out's result for player 0
            ("grows", np.bool_),  # is its last node the state it is in?
        ]
    )


@interpreted_as(vectorised.select)
@inner
def select(nodes, parent, sign, options):
    """The child with the highest bound for the player to move, the first of several.

    First-play urgency: an action never tried is worth as much as its parent, less `fpu` times the root of the priors
    tried so far.  The rule PLAIN is Q + c sqrt(ln N / (1 + n)), 0 for what was never tried, the higher prior first.
    """
    first, end = np.int64(parent.first), np.int64(parent.first + parent.width)
    total = parent.visits + parent.virtual_loss
    fresh = 0.0
    if options.rule == PUCT:
        weight = options.c * math.sqrt(total)
        tried = 0.0
        for child in range(first, end):
            if nodes[child].visits > 0:
                tried += np.float64(nodes[child].prior)
        fresh = sign * parent.value - options.fpu * math.sqrt(tried)
    else:
        weight = options.c * math.sqrt(math.log(max(total - 1, 1)))
    best, best_score = first, -np.inf
    for child in range(first, end):
        node = nodes[child]
        q, exploration = bound(node, sign, weight, fresh, options.rule)
        score = q + exploration
        first_by_prior = options.rule != PUCT and score == best_score and node.prior > nodes[best].prior
        if score > best_score or first_by_prior:
            best, best_score = child, score
    return best


@inner
def bound(node, sign, weight, fresh, rule):
    """The two terms of a child's bound: Q, `fresh` if it was never tried, and exploration."""
    n = node.visits + node.virtual_loss
    q = (sign * node.value * node.visits - node.virtual_loss) / n if n > 0 else fresh
    return q, weight * node.prior / (1 + n) if rule == PUCT else weight / math.sqrt(1 + n)


@inner
def descend(game, trees, t, walkers, w, nodes, options, visits, chance):
    """Walk from the root to a leaf; `visits` as in `schedule`, for the choice at the root.

    Does the leaf need the net?  Not if the game is over there, or its result proven.
    """
    tree, walker = trees[t], walkers[w]
    begin_walk(trees, t, walkers, w)
    node, walker.grows = nodes[ROOT], True
    node.virtual_loss += 1
    while not game.over(walker.now) and node.proof == 0:
        player = game.player(walker.now)
        child = NONE
        if chance is not None:
            if player == CHANCE:
                action = outcome(game, walker.now, walker)
                if walker.grows and walker.depth < DEEPEST - 1:
                    child = chance_child(game, walker, nodes, node, action)
                if child == NONE:
                    walker.grows = False
                    game.play(walker.now, action)
                    continue
        if player != CHANCE:
            if node.width == 0 or not walker.grows or walker.depth == DEEPEST - 1:
                break
            if walker.depth == 0 and tree.considered > 0:
                child = select_gumbel(nodes, tree, 1 - 2 * player, options, visits)
            if child == NONE:
                child = select(nodes, node, 1 - 2 * player, options)
        walker.players[walker.depth] = player
        node = step(game, walker, nodes, child)
        node.virtual_loss += 1
    return not game.over(walker.now) and node.proof == 0


@inner
def chance_child(game, walker, nodes, node, action):
    """The child of a chance outcome, all added at the first visit; NONE if there is no room."""
    if node.width == 0:
        count = game.chance(walker.now, walker.moves, walker.weights)
        if allocate_children(nodes, node, walker.moves, count) == NONE:
            return NONE
    for child in range(node.first, node.first + node.width):
        if nodes[child].action == action:
            return np.int64(child)
    return NONE


@inner
def finish(game, walker, nodes, options, known):
    """End a simulation whose leaf does not need the net: with the proof, what is known, or the score of the game."""
    leaf = leaf_of(walker, nodes)
    result = np.float64(leaf.proof if leaf.proof != 0 else known)
    if result == 0:
        result = game.score(walker.now)
        if options.solve and walker.grows and abs(result) == 1:
            leaf.proof = np.int64(result)
    back_up(walker, nodes, result)


@inner
def expand_and_back_up(game, tree, walker, nodes, options, answers, rolls, prover):
    """End a simulation by what the net says of its leaf.

    answers float32[batch, actions + 1]: logits of the actions, then the value for who moves there; the leaf's stand in
    the row walker.slot.
    """
    leaf = leaf_of(walker, nodes)
    actions = game.actions()
    value = np.float64(answers[walker.slot, actions])
    if walker.depth == 0:
        tree.value = value
    result = value * (1 - 2 * game.player(walker.now))
    if rolls is not None:
        result += options.rollout * (walker.rolled - result)
    if leaf.width == 0 and walker.grows:
        count = game.legal(walker.now, walker.moves)
        if prover is not None:
            count = prover.narrow(game.player(walker.now), walker.room, walker.moves, count)
        if allocate_children(nodes, leaf, walker.moves, count) != NONE:
            set_priors(nodes, leaf, answers[walker.slot])
    back_up(walker, nodes, result)


@inner
def back_up(walker, nodes, result):
    """Add the result to every node of the path; carry a proof up as far as it holds."""
    proof = np.int64(leaf_of(walker, nodes).proof)
    for d in range(walker.depth, -1, -1):
        node = nodes[walker.path[d]]
        if proof != 0 and d < walker.depth:
            proof = proven(nodes, node, walker.players[d], proof)
            if proof != 0:
                node.proof = proof
        node.virtual_loss -= 1
        add_result(node, result, 0)
        if node.proof != 0:
            node.value = CERTAIN * node.proof


@inner
def run_until_leaf(game, trees, t, walkers, w, nodes, options, table, chance, rolls, prover):
    """Simulate until a leaf needs the net: True; or until the search of this tree is over: False.

    While one walker waits at a root without children, there is nothing to do for the others.
    table int32[considered, simulation]: what `schedule` says.
    """
    tree, walker = trees[t], walkers[w]
    while tree.done < tree.wanted and nodes[ROOT].proof == 0:
        if nodes[ROOT].width == 0 and nodes[ROOT].virtual_loss > 0:
            return False
        visits = np.int64(0)
        if tree.considered > 0 and nodes[ROOT].width > 0:
            considered = min(tree.considered, nodes[ROOT].width)
            visits = np.int64(table[considered, min(max(tree.done - 1, 0), table.shape[1] - 1)])
        tree.done += 1
        needs = descend(game, trees, t, walkers, w, nodes, options, visits, chance)
        known = np.int64(0)
        if prover is not None:
            if needs:
                known = proven_result(game, walker, nodes, options, prover)
                needs = known == 0
        if needs:
            if rolls is not None:
                roll_out(game, walkers, w, chance)
            return True
        finish(game, walker, nodes, options, known)
    return False


@inner
def proven_result(game, walker, nodes, options, prover):
    """What the prover has proven of a new leaf, for player 0; 0 if it is the net's turn.

    The move that says why is the leaf's only child.  Where proofs are not asked for, nothing is noted as proven, and
    what is lost is left to the net.
    """
    leaf = leaf_of(walker, nodes)
    if leaf.width > 0 or not walker.grows:
        return np.int64(0)
    player = game.player(walker.now)
    found = np.int64(prover.prove(walker.now, player, walker.room, walker.moves))
    if found == 0 or (found < 0 and not options.solve):
        return np.int64(0)
    block = allocate_children(nodes, leaf, walker.moves, 1)
    if block == NONE:
        return np.int64(0)
    proof = found * (1 - 2 * player)
    nodes[block].prior = 1.0
    if options.solve:
        leaf.proof = nodes[block].proof = proof
    return proof


@inner
def roll_out(game, walkers, w, chance):
    """Play the leaf to its end by a fast policy: win at once, else block, else at random."""
    walker = walkers[w]
    walkers["spare"][w] = walkers["now"][w]
    state = walker.spare
    while not game.over(state):
        player = game.player(state)
        action = np.int64(-1)
        if chance is not None:
            if player == CHANCE:
                action = outcome(game, state, walker)
        if action < 0:
            count = game.wins(state, player, walker.moves)
            if count == 0:
                count = game.wins(state, 1 - player, walker.moves)
            if count == 0:
                count = game.legal(state, walker.moves)
            action = np.int64(walker.moves[below(walker, count)])
        game.play(state, action)
    walker.rolled = game.score(state)
