"""The machine that this process runs on."""

from __future__ import annotations

import os


def cores() -> int:
    """How many of its cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux alone tells
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
