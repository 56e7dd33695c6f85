"""Line-taking: players take lines of a hexagonal region by turns, and who takes the last cell loses."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"line-taking": "rules:line_taking"},
    agents={"line-taking-master": "master:LineTakingMaster"},
    opponent="master:opponent",
    scorings={"line-taking": "scorings:LineTakingScores", "line-taking-terminal": "scorings:terminal"},
    solver="solver:solver",
    prover="endgames:prover_for",
    variable=frozenset({"region"}),
    defaults={  # a thousand moves make the net slow: rounds are small, so that the first one is learnt from in a minute
        "alphazero": {"round": 500, "parallel_games": 64, "measure_every": 5_000, "checkpoint_every": 5_000},
    },
    nets="nets",
    net_kinds={"transformer": "cells_net.kind:TRANSFORMER", "hexagons": "cells_net.kind:HEXAGONS"},
    small=("line-taking(cells=12)",),
    benchmarks={"line-taking": "bench:line_taking"},
)
