"""Slow, obvious twins of the depth-first searches: minimax and alpha-beta by the book; positions and points to try."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from plyground import rules
from plyground.games.line_taking.scorings import LineTakingScores
from plyground.rules import CHANCE
from plyground.search.depth_first.iterative_deepening import Deepening
from plyground.search.scoring import Nothing, adopt

CERTAIN = 1_000_000  # the value of a win at once; it loses one with every ply


class Minimax:
    """The definition of minimax, with values for player 0: everything is tried, nature's outcomes are averaged."""

    def __init__(self, game: Any, scoring: Any) -> None:
        self.game, self.scoring, self.nodes = game, scoring, 0

    def value(self, state: Any, depth: int, ply: int = 0) -> float:
        leaf = self.leaf(state, depth, ply)
        if leaf is not None:
            return leaf
        if self.game.player(state) == CHANCE:
            outcomes = rules.outcomes(self.game, state)
            return sum(p * self.value(rules.after(self.game, state, a), depth, ply + 1) for a, p in outcomes)
        best = max if self.game.player(state) == 0 else min
        children = [rules.after(self.game, state, action) for action in rules.legal(self.game, state)]
        return best(self.value(child, depth - 1, ply + 1) for child in children)

    def leaf(self, state: Any, depth: int, ply: int) -> float | None:
        """The value of a state below which nothing is tried."""
        self.nodes += 1
        if self.game.over(state):
            score = float(self.game.score(state))
            return score * (CERTAIN - ply) if abs(score) == 1 else score * CERTAIN
        player = self.game.player(state)
        if depth == 0 and player != CHANCE:
            points = self.scoring.judge(self.game, state)
            return points if player == 0 else -points
        return None


class AlphaBeta(Minimax):
    """Alpha-beta as textbooks print it, maximum and minimum apart; a chance event is searched without a window."""

    def __init__(self, game: Any, scoring: Any, hard: bool = False) -> None:
        super().__init__(game, scoring)
        self.hard = hard

    def bounded(self, state: Any, depth: int, alpha: float, beta: float, ply: int = 0) -> float:
        leaf = self.leaf(state, depth, ply)
        if leaf is not None:
            return leaf
        if self.game.player(state) == CHANCE:
            total = 0.0
            for action, p in rules.outcomes(self.game, state):
                child = rules.after(self.game, state, action)
                total += p * self.bounded(child, depth, -math.inf, math.inf, ply + 1)
            return total
        children = [rules.after(self.game, state, action) for action in rules.legal(self.game, state)]
        if self.game.player(state) == 0:
            value = -math.inf
            for child in children:
                value = max(value, self.bounded(child, depth - 1, alpha, beta, ply + 1))
                if value >= beta:
                    return beta if self.hard else value
                alpha = max(alpha, value)
            return alpha if self.hard else value
        value = math.inf
        for child in children:
            value = min(value, self.bounded(child, depth - 1, alpha, beta, ply + 1))
            if value <= alpha:
                return alpha if self.hard else value
            beta = min(beta, value)
        return beta if self.hard else value


def solved(game: Any, state: Any, known: dict | None = None) -> dict[bytes, tuple[int, int]]:
    """Result (1, 0, -1 for player 0) and plies to the end of every position that can come, with best play."""
    known = {} if known is None else known
    key = state.tobytes()
    if key not in known:
        if game.over(state):
            known[key] = (int(game.score(state)), 0)
        else:
            children = [rules.after(game, state, action) for action in rules.legal(game, state)]
            after = [solved(game, child, known)[child.tobytes()] for child in children]
            sign = 1 - 2 * int(game.player(state))
            result = max(sign * score for score, _ in after) * sign
            plies = [n for score, n in after if score == result]
            known[key] = (result, 1 + (min(plies) if result == sign else max(plies)))
    return known


def from_root(result: tuple[int, int], ply: int = 0) -> int:
    """The value of such a position that stands `ply` plies from the root."""
    return result[0] * (CERTAIN - ply - result[1])


def positions(game: Any, rng: Any, count: int, low: int = 0, high: int = 60) -> list[Any]:
    """Positions of random games in which a player moves, `low` to `high` plies from the start."""
    found: list[Any] = []
    while len(found) < count:
        state, path = rules.new(game), []
        while not game.over(state):
            chance = game.player(state) == CHANCE
            path += [state.copy()] * (not chance)
            choices = [a for a, _ in rules.outcomes(game, state)] if chance else rules.legal(game, state)
            game.play(state, rng.choice(choices))
        if len(path) > low:
            found.append(rng.choice(path[low : high + 1]))
    return found


class RowPoints(NamedTuple):
    """Points of an m,n,k position that follow no idea, but are the same for its mirror images; the last action
    promises most."""

    most: int = 20

    def judge(scoring, game, state):
        mixed = 0
        for cell in range(game.m * game.n):
            if state.cells[cell] != 0:
                row, col = cell // game.m, cell % game.m
                inside = (1 + min(row, game.n - 1 - row)) * (1 + min(col, game.m - 1 - col))
                mixed += inside * inside * (5 if state.cells[cell] == 1 else 7)
        return float(mixed % (2 * scoring.most + 1) - scoring.most)

    def promise(scoring, game, state, action):
        return float(action)


class StonePoints(NamedTuple):
    """The same for Connect Four."""

    most: int = 20

    def judge(scoring, game, state):
        mixed = 31 * np.int64(state.stones[0]) + 17 * np.int64(state.stones[1])
        return float(mixed % (2 * scoring.most + 1) - scoring.most)


POINTS = {"MNK": adopt(RowPoints)(), "ConnectFour": adopt(StonePoints)(), "LineTaking": LineTakingScores()}


def points(game: Any) -> Any:
    """Such a scoring of the game, its own, or a constant."""
    return POINTS.get(type(game).__name__, Nothing(3.0))


def for_game(game: Any, **options: Any) -> Deepening:
    """A search with these points."""
    return Deepening(game, points(game), **options)
