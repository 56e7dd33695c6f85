"""Line-taking: players take lines of a hexagonal region by turns, and who takes the last cell loses."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"line-taking": "rules:line_taking"},
    agents={"line-taking-master": "master:LineTakingMaster"},
    scorings={"line-taking": "scorings:LineTakingScores", "line-taking-terminal": "scorings:terminal"},
    solver="solver:solver",
    prover="endgames:prover_for",
    variable=frozenset({"region"}),
    nets="nets",
    net_kinds={"transformer": "cells_net.kind:TRANSFORMER", "hexagons": "cells_net.kind:HEXAGONS"},
    benchmarks={"line-taking": "bench:line_taking"},
)
