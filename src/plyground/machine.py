"""The machine that this process runs on."""

from __future__ import annotations

import os
from contextlib import suppress


def cores() -> int:
    """How many of its cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux alone tells
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bound_memory(megabytes: int) -> None:
    """Let this process and its children have no more memory than this, where the system can see to it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
