"""The sources of this package, as one number."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def digest_of_sources(without: tuple[str, ...] = ("bench", "cli", "web")) -> str:
    """A digest of every source file that can change a figure: of all but those in these folders."""
    package = Path(__file__).parent
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in without:
            digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]
