"""Where compiled kernels are kept, such that a stale one cannot be loaded.

Each compiled kernel is one file.  It is named by a digest of all that the machine code was made from: the functions and
constants that the kernel reaches, the types of its arguments with the methods of games that it calls (see `reach`), and
the processor; and it lies in a folder that is named by the versions of the compilers.  So a change of what a kernel
reaches leads to another file, and any other change to the same.

There are two places: the user's folder, and that of kernels which came with the package (see `shipped`).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core import sigutils
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaWarning
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from .. import atomic
from ..cache_folder import home
from . import shipped
from .progress import NotCompiled, compilations, may_compile
from .reach import Reach

try:
    import fcntl
except ImportError:  # Windows: processes that need the same kernel at the same time all compile it
    fcntl = None  # type: ignore[assignment]

KEEP_DAYS = 14  # kernels, and folders of other versions, that nobody has used for so long are removed
DAY = 86400
COMPILED = 0.65  # of the functions that a kernel reaches; the others are methods of no use to it


def versions() -> str:
    """A digest of the compilers: their versions, and this package of ours that drives them."""
    return shipped.compilers(sys.version, numba.__version__, llvmlite.__version__, np.__version__, config.BOUNDSCHECK)


def set_up() -> Path:
    """The folder of these versions; kernels and other folders that are long unused are removed, once a day."""
    folder = _made(_made(home() / "kernels") / versions())
    tidied = folder / "tidied"
    with suppress(OSError):
        if not tidied.exists() or _age(tidied) > DAY:
            tidied.touch()
            for other in (*folder.iterdir(), *folder.parent.iterdir()):
                _remove_if_unused(other)
    return folder


@cache
def _say_damaged() -> None:
    print("plyground: the cache of compiled kernels is damaged; compiling anew", file=sys.stderr, flush=True)


def _made(folder: Path) -> Path:
    """The folder, made if it is not there, in the place of a file if there is one; a temporary one if that fails."""
    try:
        if folder.exists() and not folder.is_dir():
            _say_damaged()
            folder.unlink()
        folder.mkdir(exist_ok=True)
    except OSError:  # it is somebody else's
        return Path(tempfile.mkdtemp(prefix="plyground-"))
    return folder


def _age(path: Path) -> float:
    """Seconds since a file was last used, or a folder tidied."""
    tidied = path / "tidied"
    return time.time() - (tidied if tidied.exists() else path).stat().st_mtime


def _remove_if_unused(path: Path) -> None:
    with suppress(OSError):  # another process may have removed it
        if _age(path) > KEEP_DAYS * DAY:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class KernelLock:
    """Held by the process that compiles a kernel, so that others wait for the file instead of compiling it, too.

    A process compiles one kernel at a time.  A lock ends with its process, whatever becomes of that.
    """

    def __init__(self) -> None:
        self.functions = 1  # that the kernel is likely to be made of
        self._held: tuple[Path, int] | None = None

    def take(self, kernel: str, path: Path) -> None:
        """Wait until nobody else compiles the kernel of this file, and hold the lock, where the system has such."""
        self.release()
        if fcntl is None:
            return
        with suppress(OSError):  # a file system without locks
            name = path.with_name(f"{path.name}.lock")
            file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
            self._held = name, file
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with compilations.one(kernel):
                    fcntl.flock(file, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let others have it: the file is there, or the kernel does not compile."""
        if self._held:
            (name, file), self._held = self._held, None
            with suppress(OSError):
                name.unlink()
            fcntl.flock(file, fcntl.LOCK_UN)  # in forked processes, too
            os.close(file)


lock = KernelLock()


class KernelCache(_Cache):
    """The files of one kernel, one for the types of every call.

    A file holds the digest of what follows, and then what Numba needs to make the kernel anew.  Processes that keep the
    same kernel at the same time write the same, each into a file of its own which then takes the name.
    """

    folder = set_up()

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Load a kernel without what compiling needs: Numba itself would first import most of its libraries.

        Where there is none, the lock is held until it is saved: this process compiles it.
        """
        from numba.cpython import hashing  # noqa: F401  names that kernels may refer to, like those of the next line

        rtsys.initialize(target_context)
        digest, codegen = self._digest(sig), target_context.codegen()
        path = self.folder / self._name(digest, codegen.magic_tuple())
        found = self._load(path, target_context)
        if found is None and (target := shipped.target()):
            found = self._load(shipped.folder() / self._name(digest, target), target_context)
        if found is None:
            if not may_compile.get():
                raise NotCompiled(self._function.__name__)
            lock.take(self._function.__name__, path)
            found = self._load(path, target_context)  # somebody else may have compiled it meanwhile
            if found is not None:
                lock.release()
        return found

    def _load(self, path: Path, target_context: Any) -> CompileResult | None:
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):  # nobody may write where packages are
            if time.time() - path.stat().st_mtime > DAY:
                os.utime(path)
        try:
            if hashlib.sha256(content[32:]).digest() != content[:32]:
                raise ValueError("torn")
            return CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
        except Exception:
            _say_damaged()
            return None  # it is compiled anew and takes the file's place

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        try:
            self._save(sig, data)
        finally:
            lock.release()

    def _save(self, sig: Any, data: CompileResult) -> None:
        if data.library.has_dynamic_globals:
            warnings.warn(f"{self._function.__name__} names a large array and is not kept", NumbaWarning, stacklevel=2)
            return
        content = dumps(data._replace(type_annotation="")._reduce())  # which is the source with its types, for people
        with suppress(OSError):
            path = self.folder / self._name(self._digest(sig), data.codegen.magic_tuple())
            atomic.write(path, hashlib.sha256(content).digest() + content, durable=False)

    def _digest(self, sig: Any) -> str:
        """A digest of what the machine code is made from for a call with these types of arguments."""
        arguments, _ = sigutils.normalize_signature(sig)
        reach = Reach()
        reach.add(self._function)
        for kind in arguments:
            reach.add_type(kind)
        digest = reach.digest()
        lock.functions = round(COMPILED * len(reach.functions))
        return digest

    def _name(self, digest: str, processor: tuple) -> str:
        """The name of its file, where it is compiled for this processor."""
        key = hashlib.sha256(f"{processor} {digest}".encode()).hexdigest()
        return f"{self._function.__name__}-{key[:32]}"

    def enable(self) -> None:
        """Kernels are always kept."""

    def disable(self) -> None:
        """Kernels are always kept."""

    def flush(self) -> None:
        """No kept kernel is ever stale."""
