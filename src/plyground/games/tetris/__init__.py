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
        "tetris-net": "net_agent:TetrisNet",
        "mcts-actor-critic": "mcts_agent:MCTSActorCritic",
    },
    benchmarks={"tetris": "bench:tetris"},
    view="view:VIEW",
)
