"""Chess: its rules, files of games (PGN), and programs that play it (UCI)."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"chess": "rules:Chess"},
    in_openspiel={"chess": "chess"},
    formats={".pgn": "pgn"},
    engines={"uci": "uci:uci"},
    protocols={"uci": "uci_program:UCI"},
    openspiel_actions="openspiel:actions",
)
