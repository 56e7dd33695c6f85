"""The first use of a game, when kernels are compiled for it; and what is said if its rules do not compile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..spec import InputError
from .cache import compiling
from .errors import reason


@contextmanager
def first_use(level: int = 1) -> Iterator[None]:
    """Call kernels here such that they do nothing: they are compiled, or the rules are refused in one line.

    The level is LLVM's (see `compiling`).
    """
    try:
        with compiling(level):
            yield
    except Exception as error:
        raise InputError(f"the rules do not compile: {reason(error)}") from error
