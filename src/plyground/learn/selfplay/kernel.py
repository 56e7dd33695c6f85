"""Self-play, compiled: many games at once, each searched by a net; what is learnt from them is written down.

A *slot* is where one of the parallel games is played.  Its tree and its walker have the same number.  When a search is
over, its move is noted and played and the next search begins; when a game has ended it is played through again from its
start, and every position that was searched becomes a *sample*.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules import CHANCE, inner, kernel, record
from ...search.mcts.puct import put
from ...search.mcts.root import draw_gumbel, draw_noise, improved, most_visited, quiet, visited, worth
from ...search.mcts.skeleton import begin_tree, expand_and_back_up, run_until_leaf
from ...search.rng import FINE, below, outcome
from ...search.tree import ROOT

LONGEST = 512  # plies of a game; a longer one counts as drawn
KEPT_ANYWAY = 50  # of so many openings that are out of balance one is played
NONE, QUICK, FULL = 0, 1, 2  # how a ply was searched
GAMES, DRAWS, PLIES, SIMULATIONS, RESIGNED, CHECKED, WRONG, LOST = range(8)  # what is counted
TALLY = 8

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
    ("discount", np.float64),  # of a result, for every ply until it: sooner is better
    ("resign", np.float64),  # a player gives up who thinks twice in a row that its value is below; -1: nobody does
    ("check", np.float64),  # share of the games in which nobody gives up, to see who would have been wrong
]


def slot_type() -> np.dtype:
    return record(
        [
            ("plies", np.int32),
            ("kind", np.int8),  # of the search that is on
            ("hopeless", np.int32, (2,)),  # searches in a row after which a player had no hope
            ("checked", np.bool_),  # nobody gives up in this game
            ("gave", np.int8),  # the player that would have, plus 1
            ("actions", np.int16, (LONGEST,)),
            ("kinds", np.int8, (LONGEST,)),
            ("values", np.float32, (LONGEST,)),  # what the search said, for the player to move
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
            ("score", np.float32),  # of the game, discounted, for the player to move
            ("value", np.float32),  # what the search said
            ("weight", np.float32),  # of the policy: 0 if the search was a quick one
            ("action", np.int32),
        ]
    )


@kernel
def begin_all(game, trees, walkers, nodes, slots, setting, blank, chance):
    """Begin a game in every slot."""
    for i in range(slots.size):
        begin_game(game, trees, walkers, i, slots[i], setting[0], blank, chance)
        begin_search(trees[i], nodes[i], slots[i], setting[0])


@kernel
def search_again(trees, nodes, slots, setting):
    """Begin the search of every slot's position anew."""
    for i in range(slots.size):
        begin_search(trees[i], nodes[i], slots[i], setting[0])


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
    blank,
):
    """Let every search go on by what the net has said, moves be played and games begin, up to the next leaf of each.

    policies float32[slot, ply, action]: what is learnt; samples: filled from tally[-1] on, which tells how many.  The
    variant has a table for quick searches and one for full ones.
    """
    for i in range(slots.size):
        walker = walkers[i]
        if walker.waits:
            expand_and_back_up(game, variant, trees[i], walker, nodes[i], options[0], answers)
            if walker.depth == 0 and setting[0].considered == 0 and slots[i].kind == FULL:
                draw_noise(trees[i], nodes[i], setting[0].noise, setting[0].concentration)
            if is_refused(trees[i], nodes[i], slots[i], setting[0]):
                begin_game(game, trees, walkers, i, slots[i], setting[0], blank, variant.nature)
                begin_search(trees[i], nodes[i], slots[i], setting[0])
        while not run_until_leaf(game, variant, trees, i, walkers, i, nodes[i], options[0]):
            if nodes[i][ROOT].proof != 0 and is_refused(trees[i], nodes[i], slots[i], setting[0]):
                begin_game(game, trees, walkers, i, slots[i], setting[0], blank, variant.nature)
                begin_search(trees[i], nodes[i], slots[i], setting[0])
                continue
            move(
                game,
                trees,
                walkers,
                i,
                nodes[i],
                slots[i],
                policies[i],
                options[0],
                setting[0],
                samples,
                tally,
                blank,
                variant.nature,
            )
        walker.waits = True
        walker.slot = i
        variant.tell_net(game, walkers, i, nodes[i], options[0], planes, i)


@inner
def begin_game(game, trees, walkers, i, slot, setting, blank, chance):
    """Set up the first position, and play some random moves."""
    tree, walker = trees[i], walkers[i]
    wanted = below(tree, setting.opening + 1)
    while True:
        trees["root"][i] = blank[0]
        game.start(tree.root)
        slot.plies = 0
        while slot.plies < wanted and not game.over(tree.root):
            if game.player(tree.root) == CHANCE:
                break
            count = game.legal(tree.root, walker.moves)
            play(game, tree, slot, np.int64(walker.moves[below(tree, count)]), NONE)
        if chance is not None:
            nature(game, tree, walker, slot)
        if not game.over(tree.root):
            break
        wanted = below(tree, wanted + 1)  # too far
    slot.gave = 0
    slot.hopeless[0], slot.hopeless[1] = 0, 0
    slot.checked = below(tree, FINE) < setting.check * FINE


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


@inner
def play(game, tree, slot, action, kind):
    """Play an action and note it."""
    slot.actions[slot.plies] = action
    slot.kinds[slot.plies] = kind
    slot.plies += 1
    game.play(tree.root, action)


@inner
def nature(game, tree, walker, slot):
    """Let nature move as long as it has to."""
    while not game.over(tree.root) and game.player(tree.root) == CHANCE and slot.plies < LONGEST:
        play(game, tree, slot, outcome(game, tree.root, walker), NONE)


@inner
def begin_search(tree, nodes, slot, setting):
    """Begin a search from the position in a slot, a full one or a quick one."""
    slot.kind = FULL if setting.full_share >= 1 or below(tree, FINE) < setting.full_share * FINE else QUICK
    begin_tree(tree, nodes, setting.sims if slot.kind == FULL else setting.quick_sims)
    tree.considered, tree.table = setting.considered, slot.kind - 1
    if setting.considered > 0:
        if slot.plies < setting.temperature_moves:
            draw_gumbel(tree)
        else:
            quiet(tree)


@inner
def move(game, trees, walkers, i, nodes, slot, policies, options, setting, samples, tally, blank, chance):
    """A search is over: note what it found, play its move, and begin the next search, or game."""
    tree, walker, root = trees[i], walkers[i], nodes[ROOT]
    player = game.player(tree.root)
    sign = 1 - 2 * player
    value = worth(root, sign)
    policy = policies[slot.plies]
    child = most_visited(nodes, tree, sign, options)
    action = np.int64(nodes[child].action)
    if setting.considered == 0 and slot.plies < setting.temperature_moves:
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
    play(game, tree, slot, action, slot.kind)
    slot.hopeless[player] = slot.hopeless[player] + 1 if value < setting.resign else 0
    gives_up = False
    if slot.hopeless[player] >= 2 and slot.gave == 0:
        slot.gave = player + 1
        gives_up = not slot.checked and not game.over(tree.root)
    if chance is not None:
        nature(game, tree, walker, slot)
    if game.over(tree.root) or gives_up or slot.plies >= LONGEST:
        score = game.score(tree.root) if game.over(tree.root) else -np.float64(sign) if gives_up else 0.0
        finish(game, trees, i, slot, policies, score, gives_up, setting, samples, tally, blank)
        begin_game(game, trees, walkers, i, slot, setting, blank, chance)
    begin_search(tree, nodes, slot, setting)


@inner
def finish(game, trees, i, slot, policies, score, gives_up, setting, samples, tally, blank):
    """Count a game that has ended, and make samples of it."""
    tree = trees[i]
    tally[GAMES] += 1
    tally[DRAWS] += score == 0
    tally[PLIES] += slot.plies
    tally[RESIGNED] += gives_up
    if slot.checked and slot.gave > 0:
        tally[CHECKED] += 1
        tally[WRONG] += score * (3 - 2 * slot.gave) >= 0
    slot.length, slot.score = slot.plies, score
    trees["root"][i] = blank[0]
    game.start(tree.root)
    for ply in range(slot.plies):
        slot.last[ply] = slot.actions[ply]
        if slot.kinds[ply] != NONE:
            if tally[TALLY] < samples.size:
                sample = samples[tally[TALLY]]
                tally[TALLY] += 1
                put(game, tree.root, sample.planes)
                for action in range(sample.policy.size):
                    sample.policy[action] = policies[ply, action]
                later = math.pow(setting.discount, np.float64(slot.plies - ply - 1))
                sample.score = later * score * (1 - 2 * game.player(tree.root))
                sample.value = slot.values[ply]
                sample.weight = slot.kinds[ply] == FULL
                sample.action = slot.actions[ply]
            else:
                tally[LOST] += 1
        game.play(tree.root, np.int64(slot.actions[ply]))
