"""Benchmark of the controllers that place pieces in Tetris."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from ... import games
from ...rules import CHANCE, dtype, new, outcomes
from ...search.depth_first.lookahead import Lookahead
from .features import BCTS, Lowest

GAMES = ('tetris(10,20,"simplified")', "tetris")
PIECES = 5_000  # of a turn
WANTED = 1_000_000


def tetris(seconds: float) -> list[dict[str, Any]]:
    """Placements that BCTS rates in a second of processor time, in whole games and in the positions of one.

    Beside it a controller that finds the same placements and reads every column, but counts nothing.
    """
    rows = []
    for spec in GAMES:
        game = games.make(spec)
        bcts, limit = Lookahead(game, BCTS, seed=1), Lookahead(game, Lowest())
        states = positions(game, bcts)
        rates: dict[str, list[float]] = {"play": [], "rate": [], "limit": []}
        for search in (bcts, limit):
            search.rate_all(states[:0])
        end = time.perf_counter() + seconds
        while len(rates["limit"]) < 5 or time.perf_counter() < end:
            rates["play"].append(rate(bcts, bcts.play, PIECES))
            rates["rate"].append(rate(bcts, bcts.rate_all, states))
            rates["limit"].append(rate(limit, limit.rate_all, states))
        share = median(one / other for one, other in zip(rates["rate"], rates["limit"], strict=True))
        rows.append(
            {
                "game": spec,
                "in_games_per_s": median(rates["play"]),
                "at_least": WANTED,
                "rated_per_s": median(rates["rate"]),
                "limit_per_s": median(rates["limit"]),
                "share_of_limit": share,
            }
        )
    return rows


def rate(search: Lookahead, run: Callable[[Any], Any], what: Any) -> float:
    """Placements looked at in a second of processor time."""
    before, begun = search.looked, time.process_time()
    run(what)
    return (search.looked - before) / (time.process_time() - begun)


def positions(game: Any, search: Lookahead) -> np.ndarray:
    """The positions of a game in which a piece is to be placed."""
    found = np.zeros(PIECES, dtype(game))
    state, rng = new(game), np.random.default_rng(1)
    for number in range(PIECES):
        while game.player(state) == CHANCE:
            game.play(state, int(rng.choice([outcome for outcome, _ in outcomes(game, state)])))
        found[number] = state
        game.play(state, max(search.judge(state), key=lambda one: one[1])[0])
        if game.over(state):
            state = new(game)
    return found
