"""Options of training that need no tuning, for two cores."""

from __future__ import annotations

ALPHAZERO = {
    "connect-four": {
        "positions": 450_000,
        "channels": 64,
        "sims": 32,
        "quick": 8,
        "full": 0.33,
        "uses": 3.0,
        "opening": 8,
        "measure_every": 90_000,
    }
}
