"""The learning curve of a run, as a plot file."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..plots import save
from .base import Learner

FEW = 30  # points of a curve, each of which is marked


def draw(path: Path, metrics: list[dict[str, Any]], learner: Learner) -> None:
    """Draw the figures that the learner names over its steps; nothing where matplotlib is not installed."""
    if not find_spec("matplotlib"):
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.8))
    figure.subplots_adjust(left=0.1, right=0.98, bottom=0.13, top=0.92)  # to work out margins takes as long as to draw
    plot(figure.subplots(), metrics, learner)
    save(figure, path)


def plot(axes: Any, metrics: list[dict[str, Any]], learner: Learner) -> None:
    """Draw them into axes."""
    for name in learner.curve:
        points = [(line["step"], line[name]) for line in metrics if line.get(name) is not None]
        if points:
            dot = "." if len(points) <= FEW else ""  # a single point would not be seen without
            (drawn,) = axes.plot(
                *zip(*points, strict=True), label=name.replace("_", " "), linewidth=1, marker=dot, markersize=4
            )
            _shade(axes, name, metrics, drawn.get_color())
    axes.set(xlabel=learner.unit, title=f"{learner.name}, seed {learner.seed}")
    axes.set_ylim(*((-0.02, 1.02) if learner.shares else (0, None)))
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(frameon=False)


def _shade(axes: Any, name: str, metrics: list[dict[str, Any]], colour: str) -> None:
    """Draw the 95 % interval of a figure, where there is one."""
    lines = [line for line in metrics if line.get(name) is not None and line.get(f"{name}_interval") is not None]
    middle, reach = (np.array([line[one] for line in lines]) for one in (name, f"{name}_interval"))
    steps = [line["step"] for line in lines]
    axes.fill_between(steps, middle - reach, middle + reach, color=colour, alpha=0.15, linewidth=0)
