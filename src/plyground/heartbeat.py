"""Does work come further?  Whoever watches over this process from another thread sees by it that a rule never ends.

Work of which a sign of life is expected says so, and beats whenever it has come further: a move of a game, a batch of
leaves, a slice of a search.  All other work may take as long as it likes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_expected: set[object] = set()  # pieces of work, each beside or within another one
_last = 0.0  # when one of them, whichever, has come further


def beat() -> None:
    """Work has come further."""
    global _last
    _last = time.monotonic()


@contextmanager
def expected() -> Iterator[None]:
    """What is done here, or by the function that is decorated, beats, and never long after the beat before."""
    work = object()
    beat()
    _expected.add(work)
    try:
        yield
    finally:
        _expected.discard(work)
        beat()


def silence() -> float:
    """Seconds since work has come further of which that is expected; 0 if there is none."""
    since = _last
    return time.monotonic() - since if _expected else 0.0
