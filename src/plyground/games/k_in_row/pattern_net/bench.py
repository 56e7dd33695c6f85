"""Benchmark of the pattern net: judgements in a second of processor time, incremental and from an empty board."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from . import kernel
from .weights import names, weights_of

WANTED = 40_000
SIZES = ((15, 5, 32, 32), (20, 5, 32, 32), (6, 4, 32, 32))  # side of the board, reach, features, channels
STONES = 30


def patterns(seconds: float) -> list[dict[str, Any]]:
    """Positions judged by a net of random weights: after each stone put or taken, and set up from an empty board."""
    rows = []
    for side, reach, features, channels in SIZES:
        rng = np.random.default_rng(1)
        arrays = {name: rng.normal(0, 0.1, shape) for name, shape in names(reach, features, channels).items()}
        net = weights_of(arrays, reach)
        board, answers = kernel.new(net, side, side, reach), np.zeros(side * side + 1, np.float32)
        middle = [cell for cell in range(side * side) if max(abs(np.array(divmod(cell, side)) - side // 2)) <= 4]
        moves = rng.permutation(middle)[:STONES].astype(np.int16)
        planes = np.zeros((2, 2, side, side), np.float32)
        planes[0, np.arange(len(moves)) % 2, moves // side, moves % side] = 1

        def play(net: Any = net, board: Any = board, moves: Any = moves, answers: Any = answers) -> int:
            kernel.play_along(net, board, moves, answers)
            return 2 * len(moves)

        def set_up(net: Any = net, board: Any = board, planes: Any = planes) -> int:
            kernel.judge_all(net, board, planes, np.zeros((len(planes), board.cells.size + 1), np.float32))
            return len(planes)

        rows.append(
            {
                "board": f"{side}x{side}",
                "features": features,
                "channels": channels,
                "table_mb": net.table.nbytes / 1e6,
                "judgements_per_s": rate(play, seconds),
                "at_least": WANTED,
                "set_up_per_s": rate(set_up, seconds),
            }
        )
    return rows


def rate(run: Any, seconds: float) -> float:
    """How many a second of processor time, the best of the turns."""
    run()
    best, end = 0.0, time.perf_counter() + seconds
    while True:
        begun, done = time.process_time(), 0
        while time.process_time() - begun < 0.05:
            done += run()
        best = max(best, done / (time.process_time() - begun))
        if time.perf_counter() > end:
            return best
