"""Tables of pattern nets on disk: each is made once.

Processes map it into memory, share it there, and have only those parts of it that they meet.  A file is named by a
digest of all that the table is made from, so that a stale one is not found, and by one of what it holds.  Whoever needs
one that another process is about to make waits for it.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from .... import atomic
from ....cache_folder import home
from ....machine import give_back_memory
from ..rules import MNK
from . import lines, weights

BESIDE = "-patterns"  # of the name of a net for the same boards as another, which kernels run
WORTH = 1 << 20  # bytes: smaller tables are made sooner than they are read
MOST = 4  # tables that are kept, those used last
THREADS = "OPENBLAS_NUM_THREADS"
CODE = "import sys; sys.path.append({!r}); from plyground.games.k_in_row.pattern_net.kept import expand; expand()"
LOOK = 0.01  # seconds between two looks whether another process has made it


def table(arrays: Mapping[str, np.ndarray], reach: int) -> np.ndarray:
    """`weights.expanded`, from disk if it was made before, and kept there."""
    shape = lines.starts(reach)[1], len(arrays["mapping.last.bias"])
    if shape[0] * shape[1] * np.dtype(np.int16).itemsize < WORTH:
        return weights.expanded(arrays, reach)
    with suppress(OSError):
        folder = home() / "tables"
        folder.mkdir(exist_ok=True)
        name = source(arrays, reach)
        found = whole(folder, name)
        if not found:
            with FileLock(folder.with_suffix(".lock"), poll_interval=LOOK):
                found = whole(folder, name) or make(arrays, reach, folder, name)
        os.utime(found)
        return np.asarray(np.memmap(found, np.int16, "c", shape=shape))
    return weights.expanded(arrays, reach)


def make(arrays: Mapping[str, np.ndarray], reach: int, folder: Path, name: str) -> Path:
    """Make a table and keep it, by a single one of NumPy's threads.

    Several wait for one another where cores are busy, and take ten times as much of them.  How many there are is told
    to a process when it begins: so a process of its own does it, unless this one has been told.
    """
    if os.environ.get(THREADS) != "1":
        code, given = CODE.format(str(Path(__file__).parents[4])), io.BytesIO()
        words = [sys.executable, "-P", "-c", code, str(folder), name, str(reach)]
        used: dict[str, Any] = {one: array for one, array in arrays.items() if one.startswith("mapping.")}
        np.savez(given, **used)
        with suppress(OSError):
            subprocess.run(words, input=given.getvalue(), env=os.environ | {THREADS: "1"}, stderr=subprocess.DEVNULL)
    found = whole(folder, name) or keep(weights.expanded(arrays, reach), folder, name)
    give_back_memory()
    return found


def expand() -> None:
    """Be such a process: told the folder, the name and the reach, and by standard input the arrays."""
    folder, name, reach = sys.argv[1:]
    with np.load(io.BytesIO(sys.stdin.buffer.read())) as arrays:
        keep(weights.expanded(dict(arrays), int(reach)), Path(folder), name)


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


def whole(folder: Path, name: str) -> Path | None:
    """The table of this name, if there is one that is not damaged."""
    return next((path for path in sorted(folder.glob(f"{name}-*")) if is_whole(path)), None)


def is_whole(path: Path) -> bool:
    """Does the file hold what its name says, and is it still there?"""
    with suppress(FileNotFoundError), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == path.name.rpartition("-")[2]
    return False


def main() -> None:
    """Make the table of the net that came with the program for a board of five in a row: of its columns, rows, and 1 if
    more than five do not win.  The process that needs it imports meanwhile what compiled kernels need."""
    from ....nets import trained
    from ....nets.files import read_arrays, read_card

    columns, rows, exact = map(int, sys.argv[1:])
    folder = trained.find(trained.made_for(MNK(columns, rows, 5, bool(exact))) + BESIDE)
    card = read_card(folder)
    weights.weights_of(read_arrays(folder, card), card.sizes[4], table)
