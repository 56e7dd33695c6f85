"""Tetris: one player, pieces by chance, lines that vanish."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"tetris": "rules:tetris"},
    agents={
        "dellacherie": "agents:Dellacherie",
        "bcts": "agents:BuildingControllers",
        "linear-tetris": "agents:LinearTetris",
    },
    opponent="agents:opponent",
    renamed={"tetris-net": "afterstate-net"},
    afterstates="placements:afterstates",
    defaults={
        "afterstate-dqn": {"alive": 0.1, "point": 0.1},
        "a2c": {"gamma": 0.95, "alive": 0.1, "point": 0.1},
        "mcts-actor-critic": {"alive": 0.02, "point": 0.02, "c": 0.1},
    },
    small=("tetris(6,8)", 'tetris(6,8,"simplified")'),
    benchmarks={"tetris": "bench:tetris"},
    view="view:VIEW",
)
