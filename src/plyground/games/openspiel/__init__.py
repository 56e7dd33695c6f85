"""Games of OpenSpiel, and its tree search as an agent."""

from __future__ import annotations

from ...manifest import Manifest, Needed

MANIFEST = Manifest(
    __name__,
    games={"openspiel": "rules:openspiel"},
    agents={"openspiel-mcts": "mcts:OpenSpielMCTS"},
    opponent="mcts:opponent",
    openspiel="mcts:same",
    small=('openspiel("tic_tac_toe")', 'openspiel("nim(pile_sizes=1;2)")'),
    needs=Needed("pyspiel", "OpenSpiel", "peers"),
)
