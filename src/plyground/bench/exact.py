"""Benchmarks of exact play: beside plain Python, and known results proven anew."""

from __future__ import annotations

import math
import time
from statistics import median
from typing import Any

from .. import games, position, scorings
from ..exact.solve import solver
from ..rules import new
from ..search.budget import Budget
from ..search.depth_first.iterative_deepening import Deepening
from .timing import timed

# game, position, value for the player to move that is published: Uiterwijk and van den Herik for m,n,k-games, Tromp
# for connect four; on the standard board, positions whose end is forced
KNOWN: list[tuple[str, str, float]] = [
    ("tictactoe", "", 0),
    ("mnk(4,4,4)", "", 0),
    ("mnk(4,3,3)", "", 1),
    ("mnk(5,4,4)", "", 0),
    ("mnk(5,5,4)", "", 0),
    ("mnk(6,5,4)", "", 1),
    ("mnk(5,5,5)", "", 0),
    ("mnk(6,6,5)", "", 0),
    ("connect-four(4,4)", "", 0),
    ("connect-four(5,4)", "", 0),
    ("connect-four(6,4)", "", -1),
    ("connect-four(5,5)", "", 0),
    ("connect-four(7,4)", "", 0),
    ("connect-four(6,5)", "", 0),
    ("connect-four", "d d d d d c d b b b b e", 1),
]


def solving(seconds: float) -> list[dict[str, Any]]:
    """Positions whose value is known, solved: the value of every move, without distances."""
    rows = []
    for spec, moves, value in KNOWN:
        game = games.make(spec)
        state = position.read(game, moves)
        found = solver(game, state, memory=512).solve(state, Budget(seconds=max(120.0, seconds)), distances=False)
        rows.append(
            {
                "game": f"{spec} {moves}".strip(),
                "published": value,
                "value": "unknown" if found.value is None else found.value,
                "positions": found.nodes,
                "seconds": found.seconds,
                "per_s": found.nodes / found.seconds,
            }
        )
    return rows


def exact(seconds: float) -> list[dict[str, Any]]:
    """Nodes a second of minimax and alpha-beta beside the same search in plain Python."""
    rows = []
    for what, spec, depth, full in (
        ("minimax", "tictactoe", 9, True),
        ("alpha-beta", "tictactoe", 9, False),
        ("alpha-beta", "mnk(4,4,4)", 7, False),
        ("alpha-beta", "gomoku(15)", 4, False),
    ):
        game = games.make(spec)
        plain: dict[str, Any] = {"full": full, "threats": False, "memory": 0, "mirrors": False, "order": False}
        search = Deepening(game, scorings.make("none", game), **plain)
        ours, theirs, ratios = list[float](), list[float](), list[float]()
        end = time.perf_counter() + seconds
        while len(ratios) < min(3, 1 + seconds) or time.perf_counter() < end:
            other = Plain(game.m, game.n, game.k)
            theirs.append(timed(other.value, depth, -math.inf, math.inf, not full))
            theirs[-1] = other.nodes / theirs[-1]
            found = search.search(new(game), depth)
            ours.append(found.nodes / found.seconds)
            ratios.append(ours[-1] / theirs[-1])
        rows.append(
            {
                "search": what,
                "game": spec,
                "depth": depth,
                "plyground_per_s": median(ours),
                "python_per_s": median(theirs),
                "ratio": median(ratios),
            }
        )
    game = games.make("gomoku(15)")
    strong = Deepening(game, scorings.make("auto", game))
    found = strong.search(position.read(game, "h8 i9 h9 h7 g8 i10"), budget=Budget(seconds=max(1.0, seconds)))
    row = {"search": "alpha-beta, all that helps", "game": "gomoku(15)", "depth": found.depth}
    rows.append(row | {"plyground_per_s": found.nodes / found.seconds, "python_per_s": None, "ratio": None})
    return rows


class Plain:
    """An m,n,k-game and its search as anybody would write them in plain Python."""

    def __init__(self, m: int, n: int, k: int) -> None:
        self.m, self.n, self.k = m, n, k
        self.cells = [0] * (m * n)
        self.nodes = 0

    def wins(self, cell: int, stone: int) -> bool:
        """Does the stone on this cell stand in a row of k?"""
        row, col = divmod(cell, self.m)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            count = 1
            for way in (1, -1):
                r, c = row + way * down, col + way * right
                while 0 <= r < self.n and 0 <= c < self.m and self.cells[r * self.m + c] == stone:
                    count += 1
                    r, c = r + way * down, c + way * right
            if count >= self.k:
                return True
        return False

    def value(self, depth: int, alpha: float, beta: float, prune: bool, stone: int = 1, last: int = -1) -> float:
        """Negamax for the player of `stone`."""
        self.nodes += 1
        if last >= 0 and self.wins(last, 3 - stone):
            return -1 - depth
        if depth == 0 or all(self.cells):
            return 0
        best = -math.inf
        for cell, taken in enumerate(self.cells):
            if not taken:
                self.cells[cell] = stone
                best = max(best, -self.value(depth - 1, -beta, -alpha, prune, 3 - stone, cell))
                self.cells[cell] = 0
                alpha = max(alpha, best)
                if prune and alpha >= beta:
                    break
        return best
