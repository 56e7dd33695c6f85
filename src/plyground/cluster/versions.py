"""Nodes of a cluster play the same games only if they have the same code."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

from .. import __version__
from ..sources import digest_of_sources
from ..spec import InputError
from ..user_files import digests

NODE = "node"
LIBRARIES = ("numpy", "numba")  # that decide how games go
MISSING = "missing"


@cache
def installed(libraries: Sequence[str]) -> dict[str, str]:
    """What decides how games go, here: versions by name, and where this is."""
    return {
        "plyground": f"{__version__} ({digest_of_sources()})",
        "python": platform.python_version(),
        **{name: version(name) if find_spec(name) else MISSING for name in libraries},
        NODE: platform.node(),
    }


def versions(files: Sequence[str] = (), libraries: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The same, and digests of files."""
    found = digests(*files)
    return installed((*libraries,)) | {path: found[path][:16] if path in found else MISSING for path in files}


def must_be_ours(theirs: dict[str, str], files: Sequence[str] = (), libraries: Sequence[str] = LIBRARIES) -> None:
    """InputError in one line for a node whose versions or files differ."""
    ours = versions(files, libraries)
    other = [name for name in ours if name != NODE and theirs[name] != ours[name]]
    if other:
        told = "; ".join(f"{name} {theirs[name]}, not {ours[name]}" for name in other)
        what = "copy the same files to all nodes" if set(other) <= {*files} else "install the same on all nodes"
        raise InputError(f"node {theirs[NODE]} has {told}: {what}")
