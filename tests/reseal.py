"""Nets that were tampered with by somebody who knows how: their digests fit again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from plyground import sealed
from plyground.nets.files import CARD


def reseal(folder: Path) -> None:
    """Make the digests in the card of a net those of its files as they are, where there is a card."""
    with suppress(OSError, ValueError, TypeError):
        told = dict(json.loads((folder / CARD).read_bytes()))
        told["files"] = {
            path.name: sealed.digest(path.read_bytes())
            for path in folder.iterdir()
            if path.suffix in (".onnx", ".safetensors")
        }
        (folder / CARD).write_text(sealed.text(told))
