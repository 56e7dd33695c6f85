"""Options of training that need no tuning, for two cores and, where five make a row, for a GPU."""

from __future__ import annotations

SMALL = {
    "sims": 64,
    "quick_sims": 16,
    "full_share": 0.33,
    "replay_ratio": 3.0,
    "measure_every": 40_000,
}  # for two cores
LARGE = SMALL | {"full_share": 0.25, "blocks": 6, "channels": 64, "temperature_moves": 20, "opening": 4}
LARGE |= {
    "parallel_games": 8192,
    "round": 100_000,
    "batch": 2048,
    "replay_ratio": 1.5,
    "window": 300_000,
    "growth": 0.3,
    "lr": 0.004,
}  # for a GPU
LARGE |= {"threats": 0, "measure_every": 1_000_000, "checkpoint_every": 1_000_000}

ALPHAZERO = {
    "tictactoe": {"positions": 60_000, "blocks": 2, "opening": 4, "measure_every": 15_000},
    "mnk(4,4,4)": {"positions": 40_000, "blocks": 2, "measure_every": 10_000},
    "mnk(6,6,4)": SMALL | {"positions": 150_000, "channels": 48, "discount": 0.98},
    "gomoku(9)": LARGE | {"positions": 5_000_000},
    "gomoku(15)": LARGE | {"positions": 4_100_000, "start": "gomoku-9", "temperature_moves": 16, "lr": 0.003},
}
