"""The machine that this process runs on."""

from __future__ import annotations

import os
from contextlib import suppress


def cores() -> int:
    """How many of its cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux alone tells
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def most_files(wanted: int) -> None:
    """Let this process have so many files and connections open at once, where the system allows it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        reachable = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        if now != resource.RLIM_INFINITY and now < reachable:
            resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, most))


def bound_memory(megabytes: int) -> None:
    """Let this process and its children have no more memory than this, where the system can see to it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def give_back_memory() -> None:
    """Let the system have what this process has freed, where the C library keeps it for later."""
    import ctypes

    with suppress(AttributeError, OSError):  # other libraries have no such function
        ctypes.CDLL(None).malloc_trim(0)
