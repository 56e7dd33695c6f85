"""How the commands print on stdout: texts, tables and JSON."""

from __future__ import annotations

import json as json_
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from ..tables import Table

_json: list[TextIO] = []  # where the JSON of this command goes, if nothing else may go there


@contextmanager
def only_json() -> Iterator[None]:
    """Standard output is for what is emitted alone: all else, such as what a rule of a user's prints, is an aside."""
    _json.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _json.pop()


def emit(value: dict[str, Any]) -> None:
    print(json_.dumps(value, allow_nan=False), file=_json[-1] if _json else sys.stdout, flush=bool(_json))


def show(part: str | Table) -> None:
    """Print a text, or a table, whose head is bold in a terminal."""
    if isinstance(part, str) or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        print(part)
        return
    lines = part.lines()
    head = bool(part.title)
    lines[head] = f"\033[1m{lines[head]}\033[0m"
    print("\n".join(lines))
