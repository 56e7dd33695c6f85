"""Files that are there whole or not at all, whatever ends the process that writes them, and that are read whole.

Whatever the disk refuses is an OSError that names the file.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"  # how the name of a file ends that is being written
LARGEST = 1 << 30  # bytes of a file that is read whole, unless less is said


def read(path: str | Path, most: int = LARGEST) -> bytes:
    """The whole of a file; OSError if it is larger, or no file of bytes, such as a pipe, which might never end."""

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most >> 20} MiB", str(path))
        return file.read()


def write(path: Path, content: bytes | memoryview | str, durable: bool = True) -> None:
    """Write a file such that nobody ever sees half of it: under another name first, which then takes the place.

    If it is to be durable, it is on disk when this returns, and survives a machine that is switched off.
    """
    temporary = path.with_name(f".{hash(path.name):x}.{os.getpid()}.{threading.get_ident()}{PART}")
    try:
        with _naming(path):
            with open(temporary, "wb") as file:
                file.write(_bytes(content))
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.replace(temporary, path)
            if durable:
                _sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def move(source: Path, target: Path) -> None:
    """Let a file that was written whole take the place of another; FileNotFoundError if there is none."""
    os.replace(source, target)


def append(path: Path, content: bytes | str, durable: bool = True) -> None:
    """Add to the end of a file; if the disk refuses, the file is what it was.  `durable` as above."""
    with _naming(path), open(path, "ab", buffering=0) as file:
        before = file.tell()
        try:
            rest = memoryview(_bytes(content))
            while rest:
                rest = rest[file.write(rest) :]
            if durable:
                os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(before)
            raise


def _bytes(content: bytes | memoryview | str) -> bytes | memoryview:
    return content.encode() if isinstance(content, str) else content


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Whatever fails within tells the name of the file that it is about."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, too, where folders can be opened for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
