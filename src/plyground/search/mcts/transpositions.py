"""Transpositions: a position that different moves lead to is judged once, and all who come there see its children.

The nodes of one position share the block of their children, so that the tree is a graph; each counts the visits that
came through itself.  One that was visited less often than the others' visits say ends the simulation there, with all
that is known of the position:

    V(s) = (v + sum N(s,a) Q(s,a)) / (1 + sum N(s,a)),   v: what the net said             (Czech and others, 2021)

What was said of the position stands in the first of its children, `judged`; there, too, whether others share them.

The table `seen` says where the children of a position lie; it is asked before the prover and the net are.  Where all
the places for a key are taken, the position is not entered: then it is judged again.
"""

from __future__ import annotations

import math

import numpy as np

from ...jit.threads import hold, release
from ...rules import inner, kernel, record
from ..depth_first.hashing import key_of
from ..tree import NONE, proven

NODE = [("shared", np.int8)]  # of a first child: does more than one node have these children?
JUDGED = ("judged", np.int16)  # of a first child: what was said of its parent, for player 0, in parts of SCALE
SCALE = 32767
SEEN = [("key", np.uint64), ("first", np.int32), ("width", np.int16), ("branches", np.int16)]  # first: NONE if free
PROBES = 8  # places that a key may have, side by side
CHILDREN = 8  # a place for so many nodes, or up to twice as many: positions have about as many children
BYTES = 2 * record(SEEN).itemsize // CHILDREN  # of the table at most, for a node


def new_table(nodes: int) -> np.ndarray:
    """A table of nothing, for the positions of a tree with room for so many nodes."""
    return np.zeros((1 << max(nodes // CHILDREN, 1).bit_length()) + PROBES, record(SEEN))


@inner
def know_again(game, walker, nodes, leaf, seen, lock):
    """Has the leaf's position been met before?  Then it has the children of that one, and what is known of it."""
    if seen is None:
        return False
    if not walker.grows:
        return False
    player = game.player(walker.now)
    if leaf.width == 0:
        walker.key = key_of(game, None, walker.now, walker.words, player)[0]
    hold(lock)
    if leaf.width == 0:
        link(nodes, leaf, seen, walker.key)
    known = leaf.width > 0 and walker.depth > 0 and nodes[leaf.first].shared != 0
    if known:
        take_over(nodes, leaf, player)
    release(lock)
    return known


@inner
def link(nodes, leaf, seen, key):
    """Give a leaf the children of its position, if that has some."""
    place = place_of(seen, key)
    if seen[place].key == key and seen[place].first != NONE:
        leaf.first, leaf.width, leaf.branches = seen[place].first, seen[place].width, seen[place].branches
        nodes[leaf.first].shared = 1


@inner
def enter(nodes, leaf, seen, key, value):
    """Note where the children of a position lie, and what was said of it, for player 0."""
    if seen is None:
        return
    nodes[leaf.first].judged = np.int64(math.floor(value * SCALE + 0.5))
    place = place_of(seen, key)
    if seen[place].first == NONE:
        seen[place].key, seen[place].first = key, leaf.first
        seen[place].width, seen[place].branches = leaf.width, leaf.branches


@inner
def place_of(seen, key):
    """Where a key stands; else the first of its places that is free, or the last of them if none is."""
    start = np.int64(key & np.uint64(seen.size - PROBES - 1))
    free = np.int64(-1)
    for place in range(start, start + PROBES):
        if seen[place].first == NONE:
            if free < 0:
                free = place
        elif seen[place].key == key:
            return place
    return free if free >= 0 else start + PROBES - 1


@inner
def others_know_more(nodes, node, seen):
    """Have others been at a node's position more often than came through this node?"""
    if seen is None:
        return False
    if node.width == 0 or nodes[node.first].shared == 0:
        return False
    visits = 1
    for child in range(node.first, node.first + node.width):
        visits += nodes[child].visits
    return visits > node.visits


@inner
def take_over(nodes, node, player):
    """Give a node the value of its position, and the proof if there is one."""
    first = nodes[node.first]
    visits, total = 1, first.judged / SCALE
    for i in range(node.first, node.first + node.width):
        child = nodes[i]
        visits += child.visits
        total += child.visits * (child.proof if child.proof != 0 else child.value)
        if child.proof != 0 and node.proof == 0:
            node.proof = proven(nodes, node, player, np.int64(child.proof))
    node.value = total / visits


@kernel
def follow(old, seen):
    """After `tree.transplant` of the `old` tree: say where the children lie now, and free the places of those that were
    left behind."""
    for place in range(seen.size):
        if seen[place].first != NONE:
            moved = np.int64(old[seen[place].first].visits)
            seen[place].first = -moved if moved < 0 else NONE
