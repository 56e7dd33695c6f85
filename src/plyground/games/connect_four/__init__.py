"""Connect Four: stones that fall, four in a row."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"connect-four": "rules:ConnectFour"},
    agents={"connect-four-master": "master:ConnectFourMaster"},
    scorings={"columns": "scorings:Columns"},
    solver="solver:solver",
    benchmarks={"connect-four": "bench:connect_four"},
    opponent="master:opponent",
    presets={"alphazero": "presets:ALPHAZERO"},
    nets="nets",
    openspiel="openspiel:same",
    positions="positions",
)
