"""The protocol by which other programs play these games, GTP, and files of Go and Hex."""

from __future__ import annotations

from ...manifest import Manifest

MANIFEST = Manifest(
    __name__,
    engines={"gtp": "gtp:gtp"},
    protocols={"gtp": "gtp_program:GTP"},
)
