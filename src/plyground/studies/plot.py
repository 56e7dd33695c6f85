"""Plots as SVG, to stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ..arena.statistics import Tally
from ..spec import InputError

COLOURS = ("#1f5fa8", "#c2571a", "#2e8b57", "#8e44ad", "#b8860b", "#555555", "#c0392b", "#16a085")


def must_have() -> None:
    if not find_spec("matplotlib"):
        raise InputError("the plots of a study need matplotlib: pip install 'plyground[plot]'")


class Drawing:
    """A figure that is being drawn; afterwards `svg` holds it."""

    def __init__(self, figure: Any, axes: Any) -> None:
        self.figure, self.axes = figure, axes
        self.svg = ""

    def legend(self, columns: int = 6) -> None:
        """Name the lines above the plot, where none of them is."""
        axes = self.figure.axes[0]
        self.figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=columns)


def draw_scores(axes: Any, at: Iterable[float], tallies: Iterable[Tally], **style: Any) -> None:
    """Scores of matches as a line, with their 95 % intervals."""
    known = [(one.score, *one.interval()) for one in tallies]
    around = [[score - low for score, low, _ in known], [high - score for score, _, high in known]]
    look = {"marker": "o", "markersize": 4, "capsize": 2, "linewidth": 1} | style
    axes.errorbar(list(at), [score for score, *_ in known], yerr=around, **look)


@contextmanager
def drawing(width: float = 7.2, height: float = 3.8, panels: int = 1) -> Iterator[Drawing]:
    """Axes to draw on (a list of them if there are several panels), side by side."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from cycler import cycler

    style = {"svg.fonttype": "none", "svg.hashsalt": "plyground", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
    style |= {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
    with matplotlib.rc_context(style | {"axes.prop_cycle": cycler(color=COLOURS)}):
        figure, axes = plt.subplots(1, panels, figsize=(width, height), layout="constrained", sharey=panels > 1)
        made = Drawing(figure, axes)
        yield made
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    svg = text.getvalue()
    made.svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
