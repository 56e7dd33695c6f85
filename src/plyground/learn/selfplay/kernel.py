"""Self-play, compiled: many games at once, each searched by a net; what is learnt from them is written down.

A *slot* is where one of the parallel games is played.  Its tree and its walker have the same number.  When a search is
over, its move is noted and played and the next search begins; when a game has ended it is played through again from its
start, and every position that was searched becomes a *sample*.

A game of one player may go on for thousands of moves.  So every SEGMENT plies of it are written down when they have
been played, and then it goes on.  What the value learns there is the return TD(lambda),

    R(t) = r(t) + discount * (decay * R(t + 1) + (1 - decay) * v(t + 1))

v being what the search said; R is 0 after the end, and v itself at the last position of a segment.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules import CHANCE, dtype, inner, kernel, record, recursive
from ...search.mcts.puct import put
from ...search.mcts.root import begin_range, draw_gumbel, draw_noise, improved, most_visited, quiet, visited, worth
from ...search.mcts.skeleton import begin_tree, expand_and_back_up, run_until_leaf
from ...search.rng import FINE, below, outcome
from ...search.tree import ROOT

LONGEST = 512  # plies of a game of two players; a longer one counts as drawn
SEGMENT = 64  # plies of a game of one player that are written down at once
KEPT_ANYWAY = 50  # of so many openings that are out of balance one is played
NONE, QUICK, FULL = 0, 1, 2  # how a ply was searched
GAMES, DRAWS, PLIES, SIMULATIONS, RESIGNED, CHECKED, WRONG, LOST, POINTS = range(9)  # what is counted
TALLY = 9

SETTING = [
    ("sims", np.int32),  # of a full search
    ("quick_sims", np.int32),  # of a quick one: playout-cap randomisation (Wu, 2019)
    ("full_share", np.float64),  # of the searches
    ("considered", np.int32),  # actions that sequential halving begins with; 0: PUCT with Dirichlet noise
    ("improve", np.bool_),  # is the improved policy learnt, or the shares of the visits?
    ("temperature_moves", np.int32),  # plies of a game in which moves are drawn
    ("temperature", np.float64),
    ("noise", np.float64),  # share of Dirichlet noise in the priors of the root
    ("concentration", np.float64),
    ("opening", np.int32),  # most random moves at the start of a game
    ("balance", np.float64),  # value up to which, for either player, such an opening is kept; 1: every one is
    ("discount", np.float64),  # of a result, for every ply until it: sooner is better; of points, for every move
    ("trace_decay", np.float64),  # one player: share of what came later in R, against the search's value
    ("resign", np.float64),  # a player gives up who thinks twice in a row that its value is below; -1: nobody does
    ("check", np.float64),  # share of the games in which nobody gives up, to see who would have been wrong
]


def slot_type(game: Any) -> np.dtype:
    return record(
        [
            ("first", dtype(game)),  # the position that what is noted begins with
            ("begun", np.int32),  # plies of this game before that
            ("plies", np.int32),
            ("kind", np.int8),  # of the search that is on
            ("hopeless", np.int32, (2,)),  # searches in a row after which a player had no hope
            ("checked", np.bool_),  # nobody gives up in this game
            ("gave", np.int8),  # the player that would have, plus 1
            ("actions", np.int16, (LONGEST,)),
            ("kinds", np.int8, (LONGEST,)),
            ("values", np.float32, (LONGEST,)),  # what the search said, for the player to move
            ("points", np.float64, (LONGEST,)),  # one player: what the game had scored
            ("returns", np.float32, (LONGEST,)),  # one player: R
            ("last", np.int16, (LONGEST,)),  # the game that ended last
            ("length", np.int32),
            ("score", np.float32),
        ]
    )


def sample_type(game: Any) -> np.dtype:
    return record(
        [
            ("planes", np.float32, game.planes()),
            ("policy", np.float32, (game.actions(),)),
            ("score", np.float32),  # of the game, discounted, for the player to move; or R
            ("value", np.float32),  # what the search said
            ("weight", np.float32),  # of the policy: 0 if the search was a quick one
            ("action", np.int32),
        ]
    )


@kernel
def begin_all(game, variant, trees, walkers, nodes, slots, setting, starts):
    """Begin a game in every slot; starts: positions that games begin with, each as likely as any other.

    The arguments are those of `play_on`.
    """
    for i in range(slots.size):
        begin_game(game, variant, trees, walkers, i, slots, setting[0], starts)
        begin_search(trees[i], nodes[i], slots[i], setting[0], variant.alone)


@kernel
def search_again(trees, nodes, slots, setting, alone):
    """Begin the search of every slot's position anew.

    The arguments are those of `play_on`; alone: True in a game of one player, else None.
    """
    for i in range(slots.size):
        begin_search(trees[i], nodes[i], slots[i], setting[0], alone)


@kernel
def play_on(
    game,
    variant,
    trees,
    walkers,
    nodes,
    slots,
    policies,
    options,
    setting,
    planes,
    answers,
    samples,
    tally,
    starts,
):
    """Let every search go on by what the net has said, moves be played and games begin, up to the next leaf of each.

    policies float32[slot, ply, action]: what is learnt; samples: filled from tally[-1] on, which tells how many.  The
    variant has a table for quick searches and one for full ones.

    trees, walkers [slots] and nodes [slots, capacity]: see `puct`; slots: slot_type[slots]; options [1] of
    `puct.OPTIONS`; setting [1] of SETTING; planes float32[slots, planes, height, width]: what the net is to judge;
    answers float32[slots, actions + 1]: what it has said; starts [any]: positions that games begin with; tally
    float64[TALLY + 1].
    """
    for i in range(slots.size):
        walker = walkers[i]
        if walker.waits:
            expand_and_back_up(game, variant, trees[i], walker, nodes[i], options[0], answers)
            if walker.depth == 0 and setting[0].considered == 0 and slots[i].kind == FULL:
                draw_noise(trees[i], nodes[i], setting[0].noise, setting[0].concentration)
            if is_refused(trees[i], nodes[i], slots[i], setting[0]):
                begin_game(game, variant, trees, walkers, i, slots, setting[0], starts)
                begin_search(trees[i], nodes[i], slots[i], setting[0], variant.alone)
        while not run_until_leaf(game, variant, trees, i, walkers, i, nodes[i], options[0]):
            if nodes[i][ROOT].proof != 0 and is_refused(trees[i], nodes[i], slots[i], setting[0]):
                begin_game(game, variant, trees, walkers, i, slots, setting[0], starts)
                begin_search(trees[i], nodes[i], slots[i], setting[0], variant.alone)
                continue
            move(
                game,
                variant,
                trees,
                walkers,
                i,
                nodes[i],
                slots,
                policies[i],
                options[0],
                setting[0],
                samples,
                tally,
                starts,
            )
        walker.waits = True
        walker.slot = i
        variant.tell_net(game, walkers, i, nodes[i], options[0], planes, i)


@recursive
def begin_game(game, variant, trees, walkers, i, slots, setting, starts):
    """Set up the first position, and play some random moves."""
    tree, walker, slot = trees[i], walkers[i], slots[i]
    wanted = below(tree, setting.opening + 1)
    while True:
        trees["root"][i] = starts[below(tree, starts.size) if starts.size > 1 else 0]
        note_from_here(trees, i, slots)
        slot.begun = 0
        while slot.plies < wanted and not game.over(tree.root):
            if game.player(tree.root) == CHANCE:
                break
            count = game.legal(tree.root, walker.moves)
            play(game, tree, slot, np.int64(walker.moves[below(tree, count)]), NONE, variant.alone)
        nature(game, variant, tree, walker, slot)
        if not game.over(tree.root):
            break
        wanted = below(tree, wanted + 1)  # too far
    slot.gave = 0
    slot.hopeless[0], slot.hopeless[1] = 0, 0
    slot.checked = below(tree, FINE) < setting.check * FINE


@inner
def note_from_here(trees, i, slots):
    """What is noted in a slot begins with its position."""
    slots["first"][i] = trees["root"][i]
    slots[i].begun += slots[i].plies
    slots[i].plies = 0


@inner
def is_refused(tree, nodes, slot, setting):
    """Is another opening to be drawn?  So it is where the first look of the first search, by the net or a proof, finds
    it out of balance; some are kept all the same, so that what the game is like without balance is not forgotten."""
    if setting.balance >= 1 or tree.done != 1 or abs(nodes[ROOT].value) <= setting.balance:
        return False
    for ply in range(slot.plies):
        if slot.kinds[ply] != NONE:
            return False
    return below(tree, KEPT_ANYWAY) > 0


@recursive
def play(game, tree, slot, action, kind, alone):
    """Play an action and note it."""
    slot.actions[slot.plies] = action
    slot.kinds[slot.plies] = kind
    if alone is not None:
        slot.points[slot.plies] = game.score(tree.root)
    slot.plies += 1
    game.play(tree.root, action)


@recursive
def nature(game, variant, tree, walker, slot):
    """Let nature move as long as it has to."""
    if variant.nature is not None:
        while not game.over(tree.root) and game.player(tree.root) == CHANCE and slot.plies < LONGEST:
            play(game, tree, slot, outcome(game, tree.root, walker), NONE, variant.alone)


@recursive
def begin_search(tree, nodes, slot, setting, alone):
    """Begin a search from the position in a slot, a full one or a quick one."""
    slot.kind = FULL if setting.full_share >= 1 or below(tree, FINE) < setting.full_share * FINE else QUICK
    begin_tree(tree, nodes, setting.sims if slot.kind == FULL else setting.quick_sims)
    begin_range(tree, alone)
    tree.considered, tree.table = setting.considered, slot.kind - 1
    if setting.considered > 0:
        if slot.begun + slot.plies < setting.temperature_moves:
            draw_gumbel(tree)
        else:
            quiet(tree)


@inner
def move(game, variant, trees, walkers, i, nodes, slots, policies, options, setting, samples, tally, starts):
    """A search is over: note what it found, play its move, and begin the next search, or game."""
    tree, walker, root, slot = trees[i], walkers[i], nodes[ROOT], slots[i]
    player = game.player(tree.root)
    sign = 1 - 2 * player
    value = worth(root, sign)
    policy = policies[slot.plies]
    child = most_visited(nodes, tree, sign, options)
    action = np.int64(nodes[child].action)
    if setting.considered == 0 and slot.begun + slot.plies < setting.temperature_moves:
        visited(nodes, sign, policy, setting.temperature)
        x = below(tree, FINE) / FINE
        for child in range(root.first, root.first + root.width):
            x -= policy[nodes[child].action]
            if x < 0:
                action = np.int64(nodes[child].action)
                break
    if setting.improve:
        improved(nodes, tree, sign, options, policy)
    else:
        visited(nodes, sign, policy, 1.0)
    tally[SIMULATIONS] += tree.done
    slot.values[slot.plies] = value
    play(game, tree, slot, action, slot.kind, variant.alone)
    slot.hopeless[player] = slot.hopeless[player] + 1 if value < setting.resign else 0
    gives_up = False
    if slot.hopeless[player] >= 2 and slot.gave == 0:
        slot.gave = player + 1
        gives_up = not slot.checked and not game.over(tree.root)
    nature(game, variant, tree, walker, slot)
    if variant.alone is not None:
        if game.over(tree.root) or slot.plies >= SEGMENT:
            set_returns(game, tree, slot, setting)
            write_down(game, variant, trees, i, slots, policies, 0.0, setting, samples, tally)
            if game.over(tree.root):
                count_game(slot, game.score(tree.root), False, tally)
                begin_game(game, variant, trees, walkers, i, slots, setting, starts)
            else:
                note_from_here(trees, i, slots)
    elif game.over(tree.root) or gives_up or slot.plies >= LONGEST:
        score = game.score(tree.root) if game.over(tree.root) else -np.float64(sign) if gives_up else 0.0
        count_game(slot, score, gives_up, tally)
        write_down(game, variant, trees, i, slots, policies, score, setting, samples, tally)
        begin_game(game, variant, trees, walkers, i, slots, setting, starts)
    begin_search(tree, nodes, slot, setting, variant.alone)


@inner
def count_game(slot, score, gives_up, tally):
    """Count a game that has ended."""
    tally[GAMES] += 1
    tally[DRAWS] += score == 0
    tally[PLIES] += slot.begun + slot.plies
    tally[POINTS] += score
    tally[RESIGNED] += gives_up
    if slot.checked and slot.gave > 0:
        tally[CHECKED] += 1
        tally[WRONG] += score * (3 - 2 * slot.gave) >= 0
    slot.length, slot.score = slot.plies, score


@inner
def set_returns(game, tree, slot, setting):
    """Set R of every position that was searched, from the last one backwards."""
    over, later, last = game.over(tree.root), 0.0, True
    points = np.float64(game.score(tree.root))  # at the position after
    for ply in range(slot.plies - 1, -1, -1):
        if slot.kinds[ply] == NONE:
            continue
        value = np.float64(slot.values[ply])
        found = points - slot.points[ply] + setting.discount * later
        if last and not over:
            found = value
        slot.returns[ply] = found
        later = setting.trace_decay * found + (1 - setting.trace_decay) * value
        points, last = slot.points[ply], False


@recursive
def write_down(game, variant, trees, i, slots, policies, score, setting, samples, tally):
    """Make samples of what is noted in a slot: it is played through again."""
    tree, slot = trees[i], slots[i]
    trees["root"][i] = slots["first"][i]
    for ply in range(slot.plies):
        slot.last[ply] = slot.actions[ply]
        if slot.kinds[ply] != NONE:
            if tally[TALLY] < samples.size:
                sample = samples[np.int64(tally[TALLY])]
                tally[TALLY] += 1
                put(game, tree.root, sample.planes)
                for action in range(sample.policy.size):
                    sample.policy[action] = policies[ply, action]
                if variant.alone is not None:
                    sample.score = slot.returns[ply]
                else:
                    later = math.pow(setting.discount, np.float64(slot.plies - ply - 1))
                    sample.score = later * score * (1 - 2 * game.player(tree.root))
                sample.value = slot.values[ply]
                sample.weight = slot.kinds[ply] == FULL
                sample.action = slot.actions[ply]
            else:
                tally[LOST] += 1
        game.play(tree.root, np.int64(slot.actions[ply]))
