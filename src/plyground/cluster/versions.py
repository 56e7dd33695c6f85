"""Nodes of a cluster play the same games only if they have the same code."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

from .. import __version__
from ..sources import digest_of_sources
from ..spec import InputError


@cache
def versions() -> dict[str, str]:
    """What decides how games go, here: versions by name, and where this is."""
    libraries = {name: version(name) for name in ("numpy", "numba")}
    sources = digest_of_sources()
    return {
        "plyground": f"{__version__} ({sources})",
        "python": platform.python_version(),
        **libraries,
        "node": platform.node(),
    }


def must_be_ours(theirs: dict[str, str]) -> None:
    """InputError in one line for a node whose versions differ."""
    ours = versions()
    other = [
        f"{name} {theirs[name]}, not {ours[name]}" for name in ours if name != "node" and theirs[name] != ours[name]
    ]
    if other:
        raise InputError(f"node {theirs['node']} has {'; '.join(other)}: install the same on all nodes")
