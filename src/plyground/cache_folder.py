"""The folder in which a user's processes keep what they have made for one another: compiled kernels, tables of nets.

And the one in which the package may bring compiled kernels along, which nobody writes to: see `jit.shipped`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

PACKED = Path(__file__).parent / "kernels"


def home() -> Path:
    """The user's cache folder, or a temporary one where there is none that is closed to others.

    What is cached there is run, so a folder that belongs to somebody else, or that others may write to, is not taken;
    that is said once.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    usual = Path(base) / "plyground" if base else platformdirs.user_cache_path("plyground", appauthor=False)
    user = os.getuid() if hasattr(os, "getuid") else "kernels"
    for folder in (usual, Path(tempfile.gettempdir()) / f"plyground-{user}"):
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder, os.W_OK) and _is_private(folder):
                return folder
            _say_refused(folder)
    return Path(tempfile.mkdtemp(prefix="plyground-"))


@cache
def _say_refused(folder: Path) -> None:
    why = "others may write to it, or it is theirs; if it is yours, chmod 700 mends it"
    print(f"plyground: {folder} is not used as cache: {why}", file=sys.stderr, flush=True)


def _is_private(folder: Path) -> bool:
    """Is this the user's own, and can nobody else change what is in it?  Nobody else can read it then."""
    if not hasattr(os, "getuid"):
        return True  # Windows: a user's folders are the user's own
    found = folder.stat()
    if {found.st_uid, folder.lstat().st_uid} != {os.getuid()} or found.st_mode & 0o022:
        return False
    folder.chmod(0o700)
    return True
