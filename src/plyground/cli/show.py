"""How the commands print on stdout: texts, tables and JSON."""

from __future__ import annotations

import json as json_
import os
import sys
from typing import Any

from ..tables import Table


def emit(value: dict[str, Any]) -> None:
    print(json_.dumps(value, allow_nan=False))


def show(part: str | Table) -> None:
    """Print a text, or a table, whose head is bold in a terminal."""
    if isinstance(part, str) or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        print(part)
        return
    lines = part.lines()
    head = bool(part.title)
    lines[head] = f"\033[1m{lines[head]}\033[0m"
    print("\n".join(lines))
