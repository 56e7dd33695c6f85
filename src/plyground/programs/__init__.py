"""Programs by others as agents, whatever protocol they speak: families of games bring the protocols along."""

from __future__ import annotations

from ..manifest import Manifest

MANIFEST = Manifest(
    __name__,
    agents={"external": "external:External"},
)
