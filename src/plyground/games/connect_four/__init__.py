"""Connect Four: stones that fall, four in a row."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"connect-four": "rules:ConnectFour"},
    agents={"connect-four-master": "master:ConnectFourMaster"},
    scorings={"columns": "scorings:Columns"},
    solver="solver:solver",
    small=("connect-four(4,4,3)",),
    tiny=("connect-four(2,3,2)",),
    in_openspiel={
        "connect-four": "connect_four",
        "connect-four(4,4,3)": "connect_four(columns=4,rows=4,x_in_row=3)",
    },
    benchmarks={"connect-four": "bench:connect_four"},
    opponent="master:opponent",
    presets={"alphazero": "presets:ALPHAZERO", "ppo": "presets:PPO"},
    nets="nets",
    openspiel="openspiel:same",
    positions="positions",
)
