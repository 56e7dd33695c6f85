"""Benchmark of the table that solves line-taking."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from ... import games
from ...rules import new
from .table import LineTable, prepare

SIZES = (22, 24, 26, 28, 30, 31, 32, 33)
MOVE = 6  # seconds a move in the study


def line_taking(seconds: float) -> list[dict[str, Any]]:
    """Time to decide every position of drawn regions, by their number of cells; and who wins them."""
    prepare()
    rows = []
    for cells in SIZES:
        times, won, megabytes = list[float](), 0, 0.0
        end = time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            game = games.make(f"line-taking(cells={cells}, seed={len(times)})")
            state = new(game)
            begun = time.perf_counter()
            table = LineTable(game, state)
            table.fill()
            times.append(time.perf_counter() - begun)
            won += table.won(state)
            megabytes = table.megabytes
            del table  # before the next takes as much memory
        rows.append(
            {
                "cells": cells,
                "regions": len(times),
                "median_s": median(times),
                "worst_s": max(times),
                "at_most_s": MOVE,
                "megabytes": megabytes,
                "positions_per_us": 2**cells / median(times) / 1e6,
                "first_player_wins": won,
            }
        )
    return rows
