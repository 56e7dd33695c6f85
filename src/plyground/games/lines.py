"""What engines share: lines on standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout


def serve(made: Callable[[Callable[[str], None]], Callable[[str], bool]]) -> None:
    """Let an engine, made with what says its answers, hear the lines of standard input until there is no more to hear.

    Whatever else is printed meanwhile goes to standard error: a driver would take it for an answer.
    """
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        hear = made(lambda line: print(line, file=out, flush=True))
        for line in sys.stdin:
            if not hear(line):
                return
        hear("quit")
