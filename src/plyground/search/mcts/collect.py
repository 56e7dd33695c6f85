"""Positions of a search's tree, to be learnt from: what a net will be asked is what it has been asked.

Games show positions that are played; a search asks its net about others, after moves that nobody plays.  A net learns
those best from its own trees, as evaluations of chess are tuned on the leaves of searches (Beal and Smith, 1997;
Veness and others, 2009), and what the search found out about them comes with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import CHANCE, dtype, inner, kernel, record
from ..rng import FINE, below
from ..tree import ROOT
from .puct import put

DEEPEST = 512  # nodes on a path that are followed
ILLEGAL = -1.0  # in the place of a share of the visits


def position_type(game: Any) -> np.dtype:
    return record(
        [
            ("planes", np.float32, game.planes()),
            ("policy", np.float32, (game.actions(),)),  # the children's shares of the visits; ILLEGAL: not to be played
            ("value", np.float32),  # mean result of its simulations, for the player to move
            ("weight", np.float32),  # its visits
        ]
    )


def room_to_walk(game: Any, sims: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `collect` works in: states on a path, nodes that wait, actions."""
    return np.zeros(DEEPEST, dtype(game)), np.zeros((sims + 2, 2), np.int32), np.zeros(game.actions(), np.int16)


@inner
def note_shares(game, state, nodes, node, moves, shares):
    """The children's shares of the visits, by action; 0 everywhere if none was visited."""
    for action in range(shares.size):
        shares[action] = ILLEGAL
    for i in range(game.legal(state, moves)):
        shares[moves[i]] = 0
    total = 0
    for child in range(node.first, node.first + node.width):
        total += nodes[child].visits
    for child in range(node.first, node.first + node.width):
        if total > 0:
            shares[nodes[child].action] = nodes[child].visits / total


@kernel
def collect(game, trees, nodes, walk, least, share, positions, count):
    """Write down positions of a tree that the net has judged, and that are not proven: those with `least` visits or
    more, and this share of the others, drawn at random; return how many there are now in positions.

    trees tree_type[1] of `puct`, nodes [capacity]; walk: see `room_to_walk`; positions position_type[any], of which
    `count` are filled.
    """
    states, waiting, moves = walk
    states[0] = trees[0].root
    waiting[0, 0], waiting[0, 1] = ROOT, 0
    number = 1
    while number > 0:
        number -= 1
        at, depth = np.int64(waiting[number, 0]), np.int64(waiting[number, 1])
        node = nodes[at]
        if depth > 0:
            states[depth] = states[depth - 1]
            game.play(states[depth], np.int64(node.action))
        if node.visits == 0 or node.width == 0 or node.proof != 0:
            continue
        chosen = node.visits >= least or below(trees[0], FINE) < share * FINE
        player = game.player(states[depth])
        if chosen and player != CHANCE and count < positions.size:
            position = positions[count]
            count += 1
            put(game, states[depth], position.planes)
            position.weight, position.value = node.visits, node.value * (1 - 2 * player)
            note_shares(game, states[depth], nodes, node, moves, position.policy)
        if depth + 1 < states.size:
            for child in range(node.first, node.first + node.width):
                if nodes[child].visits > 0 and number < waiting.shape[0]:
                    waiting[number, 0], waiting[number, 1] = child, depth + 1
                    number += 1
    return count
