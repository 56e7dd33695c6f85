"""The first use of a game, when kernels are compiled for it; and what is said if its rules do not compile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .cache import compiling
from .spec import InputError


@contextmanager
def first_use(level: int = 1) -> Iterator[None]:
    """Call kernels here such that they do nothing: they are compiled, or the rules are refused in one line.

    The level is LLVM's (see `compiling`).
    """
    try:
        with compiling(level):
            yield
    except Exception as error:
        raise InputError(f"the rules do not compile: {reason(error)}; `plyground check` tells more") from error


def reason(error: Exception) -> str:
    """The line of a compiler's message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = ("Untyped global", "Unknown attribute", "Cannot unify", "No implementation", "unsupported", "Invalid use")
    found = [line for line in lines if any(word in line for word in telling) and "let_kernels_call" not in line]
    return (found or lines or [type(error).__name__])[-1][:200]
