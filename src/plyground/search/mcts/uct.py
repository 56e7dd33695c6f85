"""UCT: choose by UCB1 (Kocsis and Szepesvari, 2006): the highest Q + c * sqrt(ln N / n)."""

from __future__ import annotations

import math

import numpy as np

from ...rules import inner
from ..tree import ROOT
from ..workspace import SMALL

NODE = [("spread", np.float64)]  # 1 / sqrt(visits)


@inner
def select(workspace, nodes, parent, sign):
    """The child with the highest upper confidence bound for the player to move (unvisited: infinite)."""
    child, end = np.int64(parent.first), np.int64(parent.first + parent.width)
    if nodes[end - 1].visits == 0:  # they are visited in their order
        while nodes[child].visits > 0:
            child += 1
        return child
    visits = nodes[ROOT].visits if workspace.options.count_root else parent.visits
    weight = workspace.options.c * sqrt_log(workspace, visits)
    best, best_score = child, -np.inf
    for child in range(parent.first, end):
        q, exploration = bound(nodes[child].value, nodes[child].spread, sign, weight)
        if q + exploration > best_score:
            best, best_score = child, q + exploration
    return best


@inner
def sqrt_log(workspace, visits):
    """sqrt(ln n), from a table where n is small."""
    return workspace.logs[visits] if visits < SMALL else math.sqrt(math.log(visits))


@inner
def bound(value, spread, sign, weight):
    """The two terms of a child's upper confidence bound: Q, and exploration."""
    return sign * value, weight * spread
