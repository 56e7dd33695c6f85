"""Tables of pattern nets on disk: each is made once.

Processes map it into memory, share it there, and have only those parts of it that they meet.  A file is named by a
digest of all that the table is made from, so that a stale one is not found, and by one of what it holds.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from .... import atomic
from ....cache_folder import home
from ....machine import give_back_memory
from . import lines, weights

WORTH = 1 << 20  # bytes: smaller tables are made sooner than they are read
MOST = 4  # tables that are kept, those used last


def table(arrays: Mapping[str, np.ndarray], reach: int) -> np.ndarray:
    """`weights.expanded`, from disk if it was made before, and kept there."""
    shape = lines.starts(reach)[1], len(arrays["mapping.last.bias"])
    if shape[0] * shape[1] * np.dtype(np.int16).itemsize < WORTH:
        return weights.expanded(arrays, reach)
    with suppress(OSError):
        folder = home() / "tables"
        folder.mkdir(exist_ok=True)
        name = source(arrays, reach)
        found = next((path for path in sorted(folder.glob(f"{name}-*")) if is_whole(path)), None)
        if not found:
            found = keep(weights.expanded(arrays, reach), folder, name)
            give_back_memory()
        os.utime(found)
        return np.asarray(np.memmap(found, np.int16, "c", shape=shape))
    return weights.expanded(arrays, reach)


def keep(made: np.ndarray, folder: Path, name: str) -> Path:
    """Write a table, and forget those that were used longest ago."""
    path = folder / f"{name}-{hashlib.sha256(made.data).hexdigest()}"
    atomic.write(path, made.data.cast("B"), durable=False)
    with suppress(OSError):  # another process forgets, too
        used = sorted((path.stat().st_mtime, path) for path in folder.iterdir())
        for _, other in used[:-MOST]:
            other.unlink(missing_ok=True)
    lines.all_patterns.cache_clear()
    return path


def source(arrays: Mapping[str, np.ndarray], reach: int) -> str:
    """A digest of what a table is made from."""
    digest = hashlib.sha256(str(reach).encode())
    for module in (lines, weights):
        digest.update(Path(str(module.__file__)).read_bytes())
    for name in sorted(arrays):
        if name.startswith("mapping."):
            digest.update(f"{name}{arrays[name].dtype}{arrays[name].shape}".encode())
            digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def is_whole(path: Path) -> bool:
    """Does the file hold what its name says, and is it still there?"""
    with suppress(FileNotFoundError), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == path.name.rpartition("-")[2]
    return False
