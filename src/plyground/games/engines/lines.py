"""Lines on standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Callable


def serve(hear: Callable[[str], bool]) -> None:
    """Hear the lines of standard input until there is no more to hear."""
    for line in sys.stdin:
        if not hear(line):
            return
    hear("quit")


def say(line: str) -> None:
    print(line, flush=True)
