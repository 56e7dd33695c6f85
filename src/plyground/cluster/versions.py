"""Nodes of a cluster play the same games only if they have the same code."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from .. import __version__
from ..sources import digest_of_sources
from ..spec import InputError
from ..user_files import digests

NODE = "node"
LIBRARIES = ("numpy", "numba", "onnxruntime")  # that decide how games go
TRAINING = (*LIBRARIES, "torch")  # and what nets learn
MISSING = "missing"
CARD = "net.json"  # of a net; `nets.files`, which has it, takes long to import


@cache
def installed(libraries: Sequence[str]) -> dict[str, str]:
    """What decides how games go, here: versions by name, and where this is.  What is missing decides nothing."""
    return {
        "plyground": f"{__version__} ({digest_of_sources()})",
        "python": " ".join(sys.version.split()),  # who has built it, too, which the digest of the sources has in it
        **{name: version(name) for name in libraries if find_spec(name)},
        NODE: platform.node(),
    }


def named(*specs: str) -> tuple[str, ...]:
    """The files of Python and the folders of nets that specs name, by their paths as they are written there."""
    words = {word.strip("\"'") for spec in specs for word in re.findall(r""""[^"]*"|'[^']*'|[^"'(),=\s]+""", spec)}
    return (*digests(*specs), *sorted(word for word in words if _card(word).is_file()))


def _card(net: str) -> Path:
    return Path(net).expanduser() / CARD


def versions(files: Sequence[str] = (), libraries: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The same, and digests of files; of a net, that of its card, which has those of its weights."""
    cards = {path: _card(path) for path in files}
    found = digests(*files) | {
        path: sha256(card.read_bytes()).hexdigest() for path, card in cards.items() if card.is_file()
    }
    return installed((*libraries,)) | {path: found[path][:16] if path in found else MISSING for path in files}


def must_be_ours(theirs: dict[str, str], files: Sequence[str] = (), libraries: Sequence[str] = LIBRARIES) -> None:
    """InputError in one line for a node whose versions or files differ."""
    ours = versions(files, libraries)
    other = [name for name in ours if name != NODE and theirs.get(name) != ours[name]]
    if other:
        told = "; ".join(f"{name} {theirs.get(name, MISSING)}, not {ours[name]}" for name in other)
        what = "copy the same files to all nodes" if set(other) <= {*files} else "install the same on all nodes"
        raise InputError(f"node {theirs[NODE]} has {told}: {what}")
