"""What every report can do."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

from ..spec import InputError
from ..tables import Table

LABEL = "#757b82"  # text that can be read on white and on black
OUTCOMES = ("#2e7d5b", "#b8b2a4", "#c0492f")  # the colours of wins, draws and losses


class Report:
    """A result as people and programs want it."""

    def to_json(self) -> dict[str, Any]:
        """All of it, as the command prints it with --json: numbers, texts, lists, dictionaries and None."""
        raise TypeError(f"{type(self).__name__} has no JSON")

    def parts(self) -> Iterator[str | Table]:
        """What the command prints: texts and tables, one below the other."""
        raise TypeError(f"{type(self).__name__} has no text")

    def table(self) -> Table:
        """The figures that matter most."""
        return next(part for part in self.parts() if isinstance(part, Table))

    def rows(self) -> list[dict[str, Any]]:
        """What a frame has, a dictionary for each row, of numbers, texts and None."""
        raise TypeError(f"{type(self).__name__} has no rows")

    def to_frame(self) -> Any:
        """A pandas DataFrame, with a row for each of `rows()`."""
        try:
            from pandas import DataFrame
        except ModuleNotFoundError:
            raise InputError("a frame needs pandas: pip install pandas") from None
        return DataFrame(self.rows())

    def plot(self, axes: Any = None) -> Any:
        """Draw it by matplotlib into these axes, or into new ones; returns the axes."""
        axes = new_axes() if axes is None else axes
        self._draw(axes)
        return axes

    def _draw(self, axes: Any) -> None:
        raise InputError(f"a {type(self).__name__.lower()} has no plot")

    def __repr__(self) -> str:
        return "\n".join(map(str, self.parts()))

    def _repr_html_(self) -> str:
        """A notebook's view: tables as tables, the rest as it is printed."""
        drawn = []
        for tables, parts in groupby(self.parts(), lambda part: isinstance(part, Table)):
            if tables:
                drawn += [part._repr_html_() for part in parts]  # type: ignore[union-attr]
            else:
                drawn.append(f"<pre>{escape(chr(10).join(map(str, parts)).strip(chr(10)))}</pre>")
        return "".join(drawn)


def flat(told: dict[str, Any]) -> dict[str, Any]:
    """What is told of one thing, as a row: an interval by its `low` and `high`, a list with blanks between its parts,
    and what a dictionary holds under both names, with a dot between."""
    row: dict[str, Any] = {}
    for name, value in told.items():
        if isinstance(value, dict):
            row |= {f"{name}.{word}": part for word, part in flat(value).items()}
        elif name.endswith("interval"):
            ends = (None, None) if value is None else value
            row |= {name.removesuffix("interval") + word: end for word, end in zip(("low", "high"), ends, strict=True)}
        elif isinstance(value, list | tuple):
            row[name] = " ".join(map(str, value))
        else:
            row[name] = value
    return row


def new_axes() -> Any:
    """Axes of a new figure of pyplot's, which a notebook shows by itself; InputError if there is no matplotlib."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise InputError("a plot needs matplotlib: pip install 'plyground[plot]'") from None
    return pyplot.subplots(layout="constrained")[1]
