"""What the commands print of results (`report` says what), of moves and of benchmarks: text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tables import Table, figure
from .show import emit, show

if TYPE_CHECKING:  # it imports the compiler, and `--help` must not
    from ..report.base import Report


def print_report(report: Report, json: bool) -> None:
    """Print a result, by its parts or as one JSON object."""
    if json:
        emit(report.to_json())
        return
    for part in report.parts():
        show(part)


def move_report(number: int, who: str, move: str, position: str) -> None:
    """A move of a match, and the position it leads to."""
    print(f"game {number + 1}: {who} plays {move}\n{position}\n", flush=True)


def bench_report(measured: dict[str, Any], json: bool) -> None:
    if json:
        emit(measured)
        return
    for part, rows in measured.items():
        if isinstance(rows, str):
            print(f"{part}: {rows}\n")
            continue
        drawn = Table([name.replace("_", " ") for name in rows[0]], title=part)
        for row in rows:
            drawn.add(*map(figure, row.values()))
        show(drawn)
        print()
