"""Sampled minimax: minimax values on small trees, joined from trajectories that are drawn from the whole tree.

A *trajectory* is one way in which the game can go on from a position to its end: a leaf of the whole tree.  Every
iteration draws some of them, joins them into a smaller tree, and computes minimax on it: a node is worth the largest
or smallest value of its children in the small tree.  Values are averaged over the iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..rules import CHANCE, after, kernel, legal, outcomes
from ..spec import InputError, look_up

DRAWS = ("leaves", "play")
MISSING = ("left-out", "zero")
NOBODY = -2  # moves in a position where the game is over
MOST = 200_000  # nodes of a whole tree, some ten seconds
PAUSE = 1000  # nodes between two calls of `watch`


class Tree(NamedTuple):
    """The whole tree below a position, without transpositions; a parent stands before its children, the root first."""

    actions: list[int]  # of the root
    player: int  # who moves at the root
    parents: np.ndarray  # (nodes,)
    players: np.ndarray  # (nodes,) who moves
    widths: np.ndarray  # (nodes,) how many children
    weights: np.ndarray  # (nodes,) probability of the move that leads here if both play at random
    scores: np.ndarray  # (nodes,) player 0's, at the leaves
    tops: np.ndarray  # (nodes,) index of the root's action that leads here
    leaves: np.ndarray  # (trajectories,) nodes
    odds: np.ndarray  # (trajectories,) probability of each if both play at random


@dataclass(frozen=True)
class Sampled:
    """What sampling found: means over the iterations so far, one row after each, one column for each action.

    All are seen by the player to move.  An action that no trajectory of an iteration begins with counts 0 there.
    """

    actions: list[int]
    trajectories: int  # of the whole tree
    values: np.ndarray  # (iterations, actions) minimax value on the small tree, Q
    wins: np.ndarray  # (iterations, actions) probability that both playing their best there wins: is Q above 0?
    shares: (
        np.ndarray
    )  # (iterations, actions) won trajectories of the small tree among all of the action's in the whole


def unfold(game: Any, state: Any, limit: int = MOST, watch: Callable[[int], Any] | None = None) -> Tree:
    """The whole tree below a position; InputError for one of more nodes than `limit`."""
    if game.over(state) or game.player(state) == CHANCE:
        raise InputError("there is nothing to sample: no player is to move in this position")
    nodes: list[tuple] = []
    odds: list[float] = []
    actions = sorted(legal(game, state))
    stack: list[tuple] = [(state, -1, 1.0, 1.0, -1)]
    while stack:
        state, parent, weight, likely, top = stack.pop()
        here, over = len(nodes), bool(game.over(state))
        if here >= limit:
            raise InputError(f"more than {limit:,} nodes in the whole tree: begin from a later position, or allow more")
        if watch and here % PAUSE == 0:
            watch(here)
        player = NOBODY if over else int(game.player(state))
        moves: list[tuple[int, float]] = []
        if player == CHANCE:
            moves = outcomes(game, state)
        elif not over:
            found = sorted(legal(game, state))
            moves = [(action, 1 / len(found)) for action in found]
        else:
            odds.append(likely)
        nodes.append((parent, player, len(moves), weight, float(game.score(state)) if over else 0.0, top))
        for i, (action, p) in reversed(list(enumerate(moves))):
            stack.append((after(game, state, action), here, p, likely * p, i if here == 0 else top))
    parents, players, widths, weights, scores, tops = (np.array(column) for column in zip(*nodes, strict=True))
    leaves = np.flatnonzero(players == NOBODY)
    return Tree(actions, int(players[0]), parents, players, widths, weights, scores, tops, leaves, np.array(odds))


def sample(
    tree: Tree,
    size: int,
    iterations: int = 1000,
    *,
    draw: str = "leaves",
    replace: bool = True,
    missing: str = "left-out",
    seed: int = 0,
    watch: Callable[[int], Any] | None = None,
) -> Sampled:
    """Minimax on so many small trees, each joined from `size` trajectories.

    `draw`: "leaves" draws among all trajectories alike, "play" as random play comes upon them.  `replace`: may the
    same one be drawn twice in an iteration (otherwise all are taken if there are no more)?  `missing`: what is not in
    the small tree is "left-out", or it is worth "zero", as it would be in a whole tree that starts with zeros.
    """
    look_up("way to draw", draw, DRAWS)
    look_up("way with missing moves", missing, MISSING)
    if size < 1 or iterations < 1:
        raise InputError(f"there is at least one trajectory and one iteration, not {size} and {iterations}")
    if draw == "play" and not replace:
        raise InputError("random play comes upon a trajectory again: replace=False goes with draw='leaves'")
    rng, sign = np.random.default_rng(seed), 1 - 2 * tree.player
    count, total = len(tree.actions), len(tree.leaves)
    steps = np.cumsum(tree.odds)
    workspace = Workspace.of(tree)
    values, won = np.zeros((2, iterations, count))
    for i in range(iterations):
        if draw == "play":
            drawn = np.minimum(np.searchsorted(steps, rng.random(size) * steps[-1], side="right"), total - 1)
        elif replace:
            drawn = rng.integers(total, size=size)
        else:
            drawn = rng.permutation(total)[:size]
        join(tree[2:], workspace, drawn, i + 1, sign, missing == "zero", values[i], won[i])
        if watch:
            watch(i + 1)
    have = np.bincount(tree.tops[tree.leaves], minlength=count)
    return Sampled(tree.actions, total, running(sign * values), running(sign * values > 0), running(won / have))


def running(rows: np.ndarray) -> np.ndarray:
    """The mean of each column up to each row."""
    return (np.cumsum(rows, axis=0) + 0.0) / np.arange(1, len(rows) + 1)[:, None]


class Workspace(NamedTuple):
    """What one iteration writes down of the nodes."""

    marks: np.ndarray  # the last iteration in whose small tree the node was
    met: np.ndarray  # how many of its children are in this one
    values: np.ndarray  # its value, as far as it is known from them
    shares: np.ndarray  # the probability of those of its children, where chance moves

    @classmethod
    def of(cls, tree: Tree) -> Workspace:
        nodes = len(tree.parents)
        return cls(np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes))


@kernel
def join(tree, workspace, drawn, stamp, sign, zero, values, won):
    """Join the drawn trajectories into a tree and write its root's minimax values for player 0, and how many of its
    trajectories are won for `sign`, by the actions of the root.

    tree: the fields of `Tree` from `parents` on; workspace: a `Workspace`, whose marks are below `stamp`, which then
    marks the nodes of this tree; drawn int64[size]: numbers of trajectories; sign: 1 or -1, the player to move; zero:
    is what was not drawn worth nothing?  values, won float64[actions].
    """
    parents, players, widths, weights, scores, tops, leaves, _ = tree
    marks, met, value, share = workspace
    for i in drawn:
        node = leaves[i]
        if marks[node] != stamp:
            won[tops[node]] += sign * scores[node] > 0
        while node >= 0 and marks[node] != stamp:
            marks[node] = stamp
            met[node] = 0
            value[node] = scores[node]
            share[node] = 0.0
            node = parents[node]
    for node in range(len(parents) - 1, 0, -1):  # the children of a node come before it
        if marks[node] != stamp:
            continue
        player, v = players[node], value[node]
        if player == CHANCE and not zero:
            v /= share[node]
        if zero and met[node] < widths[node] and player != CHANCE:
            v = max(v, 0.0) if player == 0 else min(v, 0.0)
        parent = parents[node]
        if parent == 0:
            values[tops[node]] = v
        elif players[parent] == CHANCE:
            value[parent] += weights[node] * v
            share[parent] += weights[node]
        elif met[parent] == 0 or (v > value[parent] if players[parent] == 0 else v < value[parent]):
            value[parent] = v
        met[parent] += 1
