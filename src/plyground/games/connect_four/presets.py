"""Options of training that need no tuning, for two cores."""

from __future__ import annotations

ALPHAZERO = {
    "connect-four": {
        "positions": 450_000,
        "channels": 64,
        "sims": 32,
        "quick_sims": 8,
        "full_share": 0.33,
        "replay_ratio": 3.0,
        "opening": 8,
        "measure_every": 90_000,
    }
}

PPO = {
    "connect-four": {
        "moves": 6_000_000,
        "boards": 1024,
        "batch": 512,
        "net": "cnn",
        "entropy": 0.01,
        "opponents": "uct(sims=40) > uct(sims=200)",
        "measure_every": 1_000_000,
    }
}
