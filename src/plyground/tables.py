"""Tables of results: as text for a terminal, as HTML for a notebook; and how numbers are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any


@dataclass
class Table:
    """Rows of texts under their columns; the first column stands on the left, numbers on the right."""

    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    title: str = ""

    def add(self, *cells: str) -> None:
        """Add a row."""
        self.rows.append(list(cells))

    def lines(self) -> list[str]:
        """The lines of the text; the first one is the head, after the title if there is one."""
        wide = [max(len(row[number]) for row in [self.columns, *self.rows]) for number in range(len(self.columns))]

        def line(cells: list[str]) -> str:
            right = (cell.rjust(room) for cell, room in zip(cells[1:], wide[1:], strict=True))
            return "  ".join([cells[0].ljust(wide[0]), *right]).rstrip()

        return [*([self.title] if self.title else []), line(self.columns), *map(line, self.rows)]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: list[str], kind: str) -> str:
            sides = ["left", *["right"] * (len(cells) - 1)]
            drawn = (f'<{kind} style="text-align:{s}">{escape(c)}</{kind}>' for c, s in zip(cells, sides, strict=True))
            return f"<tr>{''.join(drawn)}</tr>"

        title = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        body = "".join(row(cells, "td") for cells in self.rows)
        return f"<table>{title}<thead>{row(self.columns, 'th')}</thead><tbody>{body}</tbody></table>"


def figure(value: Any) -> str:
    """A figure: two decimals below a hundred, none above; nothing for what was not measured."""
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return "" if value is None else str(value)


def precise(value: Any) -> str:
    """A figure with four digits that matter, and all those before the point; whole numbers as they are."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if type(value) is int else str(value)


def duration(seconds: float) -> str:
    """A length of time in the unit that suits it, with two digits that matter or more."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size or unit == "µs":
            number = seconds / size
            return f"{number:,.0f} {unit}" if number >= 9.95 or unit == "µs" else f"{number:.1f} {unit}"
    return ""
