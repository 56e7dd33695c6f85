"""How benchmarks take the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def timed(run: Callable, *args: Any, **named: Any) -> float:
    """Seconds that a call takes."""
    begun = time.perf_counter()
    run(*args, **named)
    return time.perf_counter() - begun


def computed(run: Callable, *args: Any, **named: Any) -> float:
    """Seconds of the processor that a call takes: whatever else the machine does is not counted."""
    begun = time.process_time()
    run(*args, **named)
    return time.process_time() - begun
