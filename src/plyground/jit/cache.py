"""Where compiled kernels are kept, such that a stale one cannot be loaded.

Numba's cache looks at the file of the kernel alone, not at the rules that were compiled into it.  So the
cache folder is named by a digest of all sources of this package; a game outside the package carries a
digest of everything its rules reach in the name of its class (see `outside`).
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from numba import config
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

try:
    import fcntl
except ImportError:  # Windows: processes are not kept apart there
    fcntl = None  # type: ignore[assignment]

WITHOUT = ("bench", "cli", "studies", "web")  # no kernels: edits there recompile nothing
KEEP_DAYS = 14  # folders of other versions that nobody has used for so long are removed


def home() -> Path:
    """The user's cache folder, or a temporary one where there is none to write to.

    What is cached there is run, so a folder that belongs to somebody else is not taken.
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    user = os.getuid() if hasattr(os, "getuid") else 0
    for folder in (Path(base) / "plyground", Path(tempfile.gettempdir()) / f"plyground-{user}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder, os.W_OK) and folder.stat().st_uid == user:
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="plyground-"))


def digest_of_sources(without: tuple[str, ...] = WITHOUT) -> str:
    """A digest of every file that can reach a kernel, or of all but these folders."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] in without:
            continue
        digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def set_up() -> Path:
    """Point Numba at this version's folder and remove those long unused.  Called once, by `rules`."""
    folder = home() / "kernels" / digest_of_sources()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    config.CACHE_DIR = str(folder)
    for other in folder.parent.iterdir():
        with suppress(OSError):  # another process may have removed it
            if other != folder and time.time() - other.stat().st_mtime > KEEP_DAYS * 86400:
                shutil.rmtree(other, ignore_errors=True)
    return folder


_turn = threading.Lock()


@contextmanager
def alone() -> Iterator[None]:
    """Be the only thread of the only process that reads or writes kept kernels."""
    with _turn, open(Path(config.CACHE_DIR) / "lock", "w") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Kept(FunctionCache):
    """Numba's cache of a kernel, one process at a time.

    Two processes that keep a kernel at the same time could give both the same file, and the index would then
    name the wrong machine code for one of them.
    """

    def load_overload(self, sig, target_context):
        """Load a kernel without what compiling needs: Numba itself would first import most of its libraries."""
        from numba.cpython import hashing  # noqa: F401  names that kernels may refer to, like those of the next line

        rtsys.initialize(target_context)
        with alone(), self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig, data):
        with alone():
            super().save_overload(sig, data)


@contextmanager
def compiling(level: int = 1) -> Iterator[None]:
    """Compile what is compiled meanwhile a quarter sooner.

    LLVM's first level makes most kernels as fast as its third, since all that is small is written out anyway;
    and the compiler makes so many objects that the garbage collector takes a seventh of its time.
    """
    usual, collecting = config.OPT, gc.isenabled()
    config.OPT = type(usual)(min(usual, level))
    gc.disable()
    try:
        yield
    finally:
        config.OPT = usual
        if collecting:
            gc.enable()


class _Compilations(event.Listener):
    """Counts the compilations that are under way and, if asked to, tells on stderr that a first use compiles."""

    def __init__(self) -> None:
        self.now = 0
        self.say = False
        self._turn = threading.Lock()
        event.register("numba:compile", self)

    def on_start(self, event: event.Event) -> None:
        with self._turn:
            self.now += 1
            say, self.say = self.say, False
        if say:
            print("plyground: compiling for the first use of this game, a few seconds ...", file=sys.stderr, flush=True)

    def on_end(self, event: event.Event) -> None:
        with self._turn:
            self.now -= 1


compilations = _Compilations()


def say_when_compiling() -> None:
    """Announce the next compilation of this process, once."""
    compilations.say = True
