"""Protocols by which other programs play these games: GTP (Go and others) and UCI (chess)."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    engines={"gtp": "gtp:gtp", "uci": "uci:uci"},
    protocols={"uci": "uci_program:UCI", "gtp": "gtp_program:GTP"},
)
