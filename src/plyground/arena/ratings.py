"""Elo ratings of several agents and the advantage of moving first, by maximum likelihood.

The model is that of Bradley and Terry (1952): i, moving first against j, scores

    m = 1 / (1 + 10 ** (-(elo_i - elo_j + advantage) / 400))

points a game in the mean, a draw being half a win and half a loss.  Every agent also has one drawn game against a
player whose rating is 0, and so has the advantage: this prior keeps the ratings of agents that won or lost every game
finite, and weighs little beside a dozen games.

The likelihood is concave in the ratings, and Newton's method finds its top.  The covariance is H^-1 B H^-1, where H
is the Hessian and B what the gradient varies by: a result varies by m (1 - m) - d / 4 with a share d of draws (n games
that were all drawn leave 1 / (n + 1.5) of m (1 - m), as in `statistics.Tally.interval`).  Where nothing is drawn, B is
H, and the covariance the inverse of the Hessian.  Both games of a pair have the same opening: if that favours whoever
moves first in one of them it does so in the other, and B has the covariance of the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .statistics import Z95

SCALE = 400 / math.log(10)  # Elo of one unit of log-odds
PRECISE = 1e-10  # in units of log-odds
STEPS = 100


@dataclass(frozen=True)
class Ratings:
    """What a table of results says of strength."""

    elo: list[float]  # of each agent
    advantage: float  # Elo of moving first
    covariance: np.ndarray  # of the ratings and, last, of the advantage

    def interval(self, agent: int) -> tuple[float, float]:
        """The ratings that the results do not contradict, at 95 %; of the advantage for -1."""
        middle = self.advantage if agent == -1 else self.elo[agent]
        half = Z95 * math.sqrt(max(0.0, self.covariance[agent, agent]))
        return middle - half, middle + half

    def superiority(self, one: int, other: int) -> float:
        """How likely it is that one is stronger than the other."""
        c = self.covariance
        deviation = math.sqrt(max(0.0, c[one, one] + c[other, other] - 2 * c[one, other]))
        if not deviation:
            return 0.5
        return (1 + math.erf((self.elo[one] - self.elo[other]) / deviation / math.sqrt(2))) / 2


def rate(table: np.ndarray, anchor: int | None = None, likeness: np.ndarray | None = None) -> Ratings:
    """The ratings for table[i, j] = wins, draws and losses of agent i, moving first, against agent j.

    The mean rating is 0, or that of the agent `anchor`.  likeness[i, j], the same as [j, i]: how far the results of an
    agent in both seats go together, see `statistics.likeness`; without it games are independent.
    """
    agents = len(table)
    pairs = np.argwhere(table.sum(2) > 0)
    results = table[pairs[:, 0], pairs[:, 1]].astype(float)  # a row for each pair of seats that has games
    design = np.zeros((len(pairs), agents + 1))
    rows = np.arange(len(pairs))
    design[rows, pairs[:, 0]] += 1
    design[rows, pairs[:, 1]] -= 1
    design[:, agents] = 1
    draws, games = results[:, 1], results.sum(1)
    share = draws / games

    # the prior: a drawn game for each parameter, of which nothing is known but that it counts
    design = np.vstack([design, np.eye(agents + 1)])
    points = np.append(results[:, 0] + draws / 2, np.full(agents + 1, 0.5))
    games = np.append(games, np.ones(agents + 1))
    share = np.append(share, np.zeros(agents + 1))

    odds = _most_likely(design, points, games)
    mean = _score(design @ odds)
    spread = mean * (1 - mean)
    hessian = (design.T * (games * spread)) @ design
    varies = np.maximum(spread - share / 4, spread / (games + 1.5))
    inverse = np.linalg.inv(hessian)
    gradient = (design.T * (games * varies)) @ design
    if likeness is not None:
        gradient += _between_games(design[rows], pairs, games[rows] * varies[rows], likeness)
    covariance = inverse @ gradient @ inverse

    moved = np.eye(agents + 1)
    moved[:agents, :agents] -= 1 / agents if anchor is None else np.eye(agents)[anchor]
    elo = SCALE * moved @ odds
    return Ratings(elo[:agents].tolist(), float(elo[agents]), SCALE**2 * moved @ covariance @ moved.T)


def _between_games(design: np.ndarray, seats: np.ndarray, varies: np.ndarray, likeness: np.ndarray) -> np.ndarray:
    """What the gradient varies by because the games of a pair go together; a row for each pair of seats."""
    rows = {(int(i), int(j)): row for row, (i, j) in enumerate(seats)}
    found = np.zeros((design.shape[1], design.shape[1]))
    for (i, j), one in rows.items():
        other = rows.get((j, i))
        if other is not None:  # each is about the agent that moves first: what is won in one seat is lost in the other
            found -= likeness[i, j] * math.sqrt(varies[one] * varies[other]) * np.outer(design[one], design[other])
    return found


def _most_likely(design: np.ndarray, points: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The log-odds at the top of the likelihood, by Newton's method with steps that never lead down."""
    odds = np.zeros(design.shape[1])
    for _ in range(STEPS):
        mean = _score(design @ odds)
        hessian = (design.T * (games * mean * (1 - mean))) @ design
        step = np.linalg.solve(hessian, design.T @ (points - games * mean))
        here = _likelihood(design @ odds, points, games)
        while _likelihood(design @ (odds + step), points, games) < here and np.abs(step).max() > PRECISE:
            step /= 2
        odds += step
        if np.abs(step).max() <= PRECISE:
            break
    return odds


def _likelihood(odds: np.ndarray, points: np.ndarray, games: np.ndarray) -> float:
    """Its logarithm."""
    return float(points @ odds - games @ np.logaddexp(0, odds))


def _score(odds: np.ndarray) -> np.ndarray:
    """Points a game for these log-odds."""
    return np.exp(-np.logaddexp(0, -odds))
