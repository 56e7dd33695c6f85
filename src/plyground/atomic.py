"""Files that are there whole or not at all, whatever ends the process that writes them."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

PART = ".part"  # how the name of a file ends that is being written


def write(path: Path, content: bytes | str, durable: bool = True) -> None:
    """Write a file such that nobody ever sees half of it: under another name first, which then takes the place.

    If it is to be durable, it is on disk when this returns, and survives a machine that is switched off.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}{PART}")
    try:
        with open(temporary, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
