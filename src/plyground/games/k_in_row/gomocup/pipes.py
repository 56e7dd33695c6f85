"""An engine on standard input and output.

One thread reads, so that END and the end of the input are noticed while the agent thinks.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from ....spec import InputError
from .brain import AGENT, Brain
from .engine import START, Engine

LONGEST_LINE = 4096  # bytes; the rest of a longer one is left out
PATIENCE = 0.5  # seconds that a move may still take after END


def listen(source: BinaryIO, lines: queue.SimpleQueue, end: Callable[[], None]) -> None:
    """Hand on every line with the time it came; `end` is called for END and for the end of the input."""
    while raw := source.readline(LONGEST_LINE):
        received = time.monotonic()
        rest = raw
        while rest and not rest.endswith(b"\n"):
            rest = source.readline(LONGEST_LINE)
        line = raw.decode("utf-8", "replace")
        if line.strip().upper() == "END":
            break
        lines.put((line, received))
    end()
    lines.put(("END", time.monotonic()))


def play(agent: str = AGENT, seed: int = 0, start: float = START) -> None:
    """Be an engine on standard input and output until END; see `Engine`.  InputError if the spec makes no agent."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's threads would only wait for who stands in
    gc.disable()  # a look at all that a compiler has made takes longer than a move; the brain goes on without it
    warnings.simplefilter("ignore")  # Piskvork reads what goes to stderr as answers
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii", errors="replace", newline="\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else prints among the answers
    lines: queue.SimpleQueue = queue.SimpleQueue()
    stop = threading.Event()

    def say(line: str) -> None:
        out.write(line + "\n")
        out.flush()

    def end() -> None:
        stop.set()
        killer = threading.Timer(PATIENCE, os._exit, (0,))  # a compiler cannot be interrupted
        killer.daemon = True
        killer.start()

    engine = Engine(Brain(agent, seed, refuse=lines.put), say, stop.is_set, lambda: not lines.empty(), start)
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")  # not the one that Python closes when it ends
    threading.Thread(target=listen, args=(source, lines, end), daemon=True, name="reader").start()
    while True:
        found = lines.get()
        if isinstance(found, InputError):
            raise found
        if not engine.hear(*found):
            return


def main() -> None:
    """The program `pbrain-plyground`."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        play()
    os._exit(0)  # without waiting for the brain
