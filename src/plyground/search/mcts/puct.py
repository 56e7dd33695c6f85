"""PUCT: tree search by a net that says what a position is worth and which actions are worth exploring.

    Q(s,a) + c P(a|s) sqrt(N(s)) / (1 + N(s,a))                               (Silver and others, 2017)

At the root `root.select_gumbel` may choose in the place of this rule.

Where two play, values lie between -1 and 1.  Where one plays they are *returns* from the root on, the points of every
move and at the leaf what the net expects, each move discounted, and have no bounds: c, first-play urgency and virtual
losses are then in units of half the range of the values in the tree, which is as if they lay between -1 and 1 (MuZero:
Schrittwieser and others, 2020).

With `solve`, proven wins and losses are backed up, as in `simulate`.  A *prover*, which some games have, may know the
result of a leaf, or that only a few moves make sense there.  With `transpositions` a position that several moves lead
to is judged once.  `skeleton` is the search itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...jit.interpreted import interpreted_as
from ...jit.threads import hold, release
from ...rules import CHANCE, dtype, inner, record
from .. import vectorised
from ..depth_first.hashing import with_words
from ..rng import below, outcome
from ..tree import CERTAIN, NONE, allocate_children, proven
from ..workspace import DEEPEST
from . import local_patterns, transpositions
from .guided import set_priors
from .root import half_range, select_gumbel, worst
from .skeleton import VIRTUAL_LOSS, add_result, back_up, leaf_of, search_fields, walk_fields
from .transpositions import enter, know_again, others_know_more

NODE = [
    *transpositions.NODE,
    ("prior", np.float32),  # P(a|s) of the action that leads here
    VIRTUAL_LOSS,  # each counts as a visit that lost
    transpositions.JUDGED,
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
    ("discount", np.float64),  # one player: what a point is worth one move later
    ("policy_temperature", np.float64),  # priors: softmax(logit / policy_temperature)
    (
        "least",
        np.float64,
    ),  # share of the likeliest action's probability, by the net, that a child needs, but of the root
]


def tree_type(game: Any) -> np.dtype:
    """What a search keeps of one tree but its nodes."""
    return record(
        [
            *search_fields(game),
            ("rng", np.uint64),
            ("gumbel", np.float32, (game.actions(),)),  # noise by action
            ("value", np.float32),  # the net's, of the root, for the player to move
            ("lowest", np.float64),  # all values lie between these
            ("highest", np.float64),
            ("considered", np.int32),  # actions that sequential halving begins with; 0: PUCT at the root too
            ("table", np.int8),  # the one that sequential halving goes by
        ]
    )


def walker_type(game: Any, prover: Any = None) -> np.dtype:
    """What a walker has on it: the state it has reached and how it got there, and what a prover needs."""
    now, *way = walk_fields(game, DEEPEST)
    return with_words(
        game,
        [
            now,
            ("key", np.uint64),  # of the leaf's position, where transpositions are known
            *([] if prover is None else [("room", prover.empty.dtype)]),
            *([("points", np.float64, (DEEPEST,))] if game.alone() else []),  # at every node of the path
            *way,
            ("spare", dtype(game)),  # for a roll-out
            ("known", np.int8),  # result of the leaf for player 0 where it is proven, else 0
        ],
    )


class PolicyValue(NamedTuple):
    """See `Variant`.  Values are player 0's; an answer of the net is the logits of all actions, then the value for who
    moves at the leaf."""

    tables: np.ndarray  # int32[table, considered, simulation]: what `schedule` says
    nature: Any  # True if the game has chance events, else None
    alone: Any  # True if one plays, else None
    rolls: Any  # True if leaves are played to their end, too, else None
    prover: Any
    seen: Any = None  # the table of `transpositions`, if positions are known again
    fast: Any = None  # the policy of these roll-outs, `local_patterns.LocalPatterns`; None: win-block
    net: Any = None  # the net, if kernels can run it: see `skeleton.KernelNet`
    lock: Any = None

    def select_child(variant, game, tree, walker, nodes, node, options):
        sign = 1 - 2 * game.player(walker.now)
        note_points(game, walker, variant.alone)
        if walker.depth == 0 and tree.considered > 0:
            considered, last = min(tree.considered, node.width), variant.tables.shape[2] - 1
            visits = np.int64(variant.tables[tree.table, considered, min(max(tree.done - 2, 0), last)])
            child = select_gumbel(nodes, tree, sign, options, visits)
            if child != NONE:
                return child
        return select(nodes, tree, node, sign, options)

    def goes_on(variant, nodes, node):
        return not others_know_more(nodes, node, variant.seen)

    def draw_child(variant, game, walkers, w, nodes, node, options):
        note_points(game, walkers[w], variant.alone)
        return drawn(game, walkers[w], nodes, node, variant.nature)

    def end_without_net(variant, game, tree, walker, nodes, options):
        """With the proof of the leaf, the score of the game, what is known of the position, or the prover's result."""
        leaf = leaf_of(walker, nodes)
        walker.known = leaf.proof
        result = np.float64(leaf.proof)
        if result == 0 and game.over(walker.now):
            result = final_result(game, walker, leaf, options, variant.alone)
        elif result == 0 and know_again(game, walker, nodes, leaf, variant.seen, variant.lock):
            walker.known = leaf.proof
            result = np.float64(leaf.proof) if leaf.proof != 0 else leaf.value
        elif result == 0:
            known = variant.prover, variant.seen
            walker.known = proven_result(game, walker, nodes, options, *known, variant.lock)
            result = np.float64(walker.known)
            if result == 0:
                return False
        hold(variant.lock)
        back_up(variant, tree, walker, nodes, options, result)
        release(variant.lock)
        return True

    def tell_net(variant, game, walkers, w, nodes, options, inputs, row):
        roll_out(game, walkers, w, nodes, variant.nature, variant.rolls, variant.fast)
        put(game, walkers[w].now, inputs[row])
        return row + 1

    def expand_leaf(variant, game, tree, walker, nodes, options, answers):
        answer = answers[walker.slot]
        asked = variant.rolls, variant.prover, variant.seen, variant.alone
        return expand(game, tree, walker, nodes, options, answer, *asked)

    def take_result(variant, tree, walker, nodes, d, options, result):
        """The result, and the proof of the node below as far as it holds."""
        node = nodes[walker.path[d]]
        if d < walker.depth:
            proof = np.int64(nodes[walker.path[d + 1]].proof)
            if proof != 0 and node.proof == 0:
                node.proof = proven(nodes, node, walker.players[d], proof)
        add_result(node, result, 0)
        if node.proof != 0:
            node.value = CERTAIN * node.proof
        if variant.alone is not None:
            tree.lowest, tree.highest = min(tree.lowest, node.value), max(tree.highest, node.value)
        return result


@interpreted_as(vectorised.select)
@inner
def select(nodes, tree, parent, sign, options):
    """The child with the highest bound for the player to move, the first of several.

    First-play urgency: an action never tried is worth as much as its parent, less `fpu` times the root of the priors
    tried so far.  The rule PLAIN is Q + c sqrt(ln N / (1 + n)), 0 for what was never tried, the higher prior first.
    """
    first, end = np.int64(parent.first), np.int64(parent.first + parent.width)
    total, unit = parent.visits + parent.virtual_loss, half_range(tree)
    fresh = 0.0
    if options.rule == PUCT:
        weight = unit * options.c * math.sqrt(total)
        tried = 0.0
        for child in range(first, end):
            if nodes[child].visits > 0:
                tried += np.float64(nodes[child].prior)
        fresh = sign * parent.value - unit * options.fpu * math.sqrt(tried)
    else:
        weight = unit * options.c * math.sqrt(math.log(max(total - 1, 1)))
    best, best_score, loss = first, -np.inf, worst(tree, sign)
    for child in range(first, end):
        node = nodes[child]
        q, exploration = bound(node, sign, weight, fresh, loss, options.rule)
        score = q + exploration
        first_by_prior = options.rule != PUCT and score == best_score and node.prior > nodes[best].prior
        if score > best_score or first_by_prior:
            best, best_score = child, score
    return best


@inner
def bound(node, sign, weight, fresh, loss, rule):
    """The two terms of a child's bound: Q, `fresh` if it was never tried, and exploration; loss: what a virtual one is
    worth."""
    n = node.visits + node.virtual_loss
    q = (sign * node.value * node.visits + loss * node.virtual_loss) / n if n > 0 else fresh
    return q, weight * node.prior / (1 + n) if rule == PUCT else weight / math.sqrt(1 + n)


@inner
def drawn(game, walker, nodes, node, chance):
    """The child of an outcome that is drawn by its probability; NONE if there is no room.

    Then nature moves all the same, as long as it has to, and the net is asked about what comes of it.
    """
    if chance is None:
        return NONE
    action = outcome(game, walker.now, walker)
    child = NONE
    if walker.depth < DEEPEST - 1:
        child = chance_child(game, walker, nodes, node, action)
    if child == NONE:
        game.play(walker.now, action)
        while not game.over(walker.now) and game.player(walker.now) == CHANCE:
            game.play(walker.now, outcome(game, walker.now, walker))
    return child


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
def proven_result(game, walker, nodes, options, prover, seen, lock):
    """What the prover has proven of a new leaf, for player 0; 0 if it is the net's turn.

    Where proofs are not asked for, nothing is noted as proven, and what is lost is left to the net.
    """
    if prover is None:
        return np.int64(0)
    leaf = leaf_of(walker, nodes)
    if leaf.width > 0 or not walker.grows:
        return np.int64(0)
    player = game.player(walker.now)
    found = np.int64(prover.prove(walker.now, player, walker.room, walker.moves))
    if found == 0 or (found < 0 and not options.solve):
        return np.int64(0)
    hold(lock)
    proof = note_proof(nodes, leaf, found * (1 - 2 * player), walker.moves, options)
    if proof != 0:
        enter(nodes, leaf, seen, walker.key, np.float64(proof))
    release(lock)
    return proof


@inner
def note_proof(nodes, leaf, proof, moves, options):
    """Give a leaf the move that says why it is proven, moves[0], as its only child; return the proof, or 0."""
    block = np.int64(NONE)
    if leaf.width == 0:  # nobody else was here meanwhile
        block = np.int64(allocate_children(nodes, leaf, moves, 1))
    if block == NONE:
        return np.int64(0)
    nodes[block].prior = 1.0
    if options.solve:
        leaf.proof = nodes[block].proof = proof
    return np.int64(proof)


@inner
def expand(game, tree, walker, nodes, options, answer, rolls, prover, seen, alone):
    """Give the leaf its children, with priors; return its result for player 0.

    answer float32[actions + 1]: logits of the actions, then the value for who moves there.
    """
    leaf, player = leaf_of(walker, nodes), game.player(walker.now)
    value = np.float64(answer[answer.size - 1])
    if walker.depth == 0:
        tree.value = value
    if alone is not None:
        result = discounted(game, walker, options, value)
    else:
        result = value * (1 - 2 * player)
        if rolls is not None:
            result += options.rollout * (walker.rolled - result)
    if leaf.width == 0 and walker.grows:
        count = game.legal(walker.now, walker.moves)
        if prover is not None:
            count = prover.narrow(player, walker.room, walker.moves, count)
        kept = likely(walker.moves, count, answer, options.least) if walker.depth > 0 else count
        if allocate_children(nodes, leaf, walker.moves, kept) != NONE:
            leaf.branches = count
            set_priors(nodes, leaf, answer, options.policy_temperature)
            enter(nodes, leaf, seen, walker.key, result)
    return result


@inner
def likely(moves, count, logits, least):
    """Leave of moves[:count] those that the net gives this share of the highest probability; return how many."""
    if least == 0:
        return count
    highest = -np.inf
    for i in range(count):
        highest = max(highest, np.float64(logits[moves[i]]))
    bound, kept = highest + math.log(least), 0
    for i in range(count):
        if logits[moves[i]] >= bound:
            moves[kept] = moves[i]
            kept += 1
    return kept


@inner
def final_result(game, walker, leaf, options, alone):
    """The result where the game is over, which may prove the leaf."""
    if alone is not None:
        return discounted(game, walker, options, 0.0)
    result = np.float64(game.score(walker.now))
    if options.solve and walker.grows and abs(result) == 1:
        leaf.proof = np.int64(result)
    return result


@inner
def note_points(game, walker, alone):
    """Note what the game has scored at the last node of the path."""
    if alone is not None:
        walker.points[walker.depth] = game.score(walker.now)


@inner
def discounted(game, walker, options, value):
    """The return from the root on: the points of the first move, those of the next, discounted, and so on, and at last
    what the leaf is worth.  What chance gives counts with the move before."""
    if walker.depth == 0:
        return value
    found, factor = 0.0, 1.0
    walker.points[walker.depth] = game.score(walker.now)
    for d in range(walker.depth):
        if d > 0 and walker.players[d] != CHANCE:
            factor *= options.discount
        found += factor * (walker.points[d + 1] - walker.points[d])
    return found + factor * options.discount * value


@interpreted_as(vectorised.put)
@inner
def put(game, state, planes):
    """Encode a state into planes that may hold another."""
    for i in range(planes.shape[0]):
        for j in range(planes.shape[1]):
            for k in range(planes.shape[2]):
                planes[i, j, k] = 0
    game.encode(state, planes)


@inner
def roll_out(game, walkers, w, nodes, chance, rolls, fast):
    """Play the leaf to its end by a fast policy: that of local patterns, or win at once, else block, else at random."""
    if rolls is None:
        return
    walker = walkers[w]
    walkers["spare"][w] = walkers["now"][w]
    if fast is not None:
        last = np.int64(leaf_of(walker, nodes).action) if walker.depth > 0 else np.int64(local_patterns.NONE)
        walker.rolled = local_patterns.play_out(game, walker.spare, last, fast, walker)
    else:
        walker.rolled = win_or_block_out(game, walker.spare, walker, chance)


@inner
def win_or_block_out(game, state, walker, chance):
    """Play a game to its end, in `state`: win at once, else block, else at random; its result for player 0."""
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
    return game.score(state)
