"""What is told of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..arena.statistics import median_interval
from ..learn.run import METRICS, lines
from ..learn.sweep import Ended, Setting, Sweep, Task
from ..spec import InputError, look_up
from ..tables import Table, precise
from .base import Report


class SweepReport(Report):
    """The runs of a sweep that have ended, setting by setting: the median over seeds, and an interval of it.

    figure: the one that the plot shows; the first of the learning curve unless told.
    """

    def __init__(self, sweep: Sweep, folder: Path, ended: dict[Task, Ended], figure: str = "") -> None:
        self.sweep, self.folder, self.ended = sweep, folder, ended
        told = [one for one in ended.values() if not one.failed]
        self.names = list(dict.fromkeys(name for one in told for name in one.curve if name in one.figures))
        measured = dict.fromkeys(name for one in told for name in one.figures)
        self.figure, self.no_figure = next(iter(self.names), ""), ""
        try:
            self.figure = look_up("figure", figure, measured) if figure and told else self.figure
        except InputError as error:  # the runs are told all the same
            self.no_figure = str(error)

    @property
    def complete(self) -> bool:
        """Have all runs ended?"""
        return len(self.ended) == len(self.sweep.tasks)

    def of(self, setting: int) -> list[Ended]:
        """The runs of a setting that have ended with a net, by seed."""
        return [one for task, one in sorted(self.ended.items()) if task.setting == setting and not one.failed]

    def failed(self, setting: int) -> list[str]:
        """Why runs of a setting have failed."""
        return [one.failed for task, one in sorted(self.ended.items()) if task.setting == setting and one.failed]

    def summary(self, setting: int, name: str) -> dict[str, float] | None:
        """Median, interval and how sure it is, of a figure; None if it was not measured."""
        values = [one.figures[name] for one in self.of(setting) if name in one.figures]
        if not values:
            return None
        low, high, sure = median_interval(values)
        return {"median": median(values), "low": low, "high": high, "coverage": sure, "runs": len(values)}

    def to_json(self) -> dict[str, Any]:
        sweep = self.sweep
        told = {"sweep": str(self.folder), "algorithm": sweep.algorithm, "game": sweep.game, "seeds": sweep.seeds}
        return told | {"complete": self.complete, "settings": self._settings()}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each run that has ended: its setting, seed and folder, and the latest of its figures."""
        return [
            {**one.figures, **self.sweep.settings[task.setting], "seed": task.seed, "run": one.run}
            | {"seconds": one.seconds, "failed": one.failed}
            for task, one in sorted(self.ended.items())
        ]

    def _settings(self) -> list[dict[str, Any]]:
        """What is told of each setting."""
        found = []
        for number, setting in enumerate(self.sweep.settings):
            runs = self.of(number)
            measured = dict.fromkeys(name for one in runs for name in one.figures)
            found.append(
                {
                    "setting": setting,
                    "runs": [{"run": one.run, "seconds": one.seconds, "figures": one.figures} for one in runs],
                    "failed": self.failed(number),
                    "figures": {name: self.summary(number, name) for name in measured},
                }
            )
        return found

    def parts(self) -> Iterator[str | Table]:
        yield self.table()
        sure = [one["coverage"] for n in range(len(self.sweep.settings)) if (one := self.summary(n, self.figure))]
        if sure and self.sweep.seeds > 1:
            said = f"{min(sure):.0%}" + (f" to {max(sure):.0%}" if f"{min(sure):.0%}" != f"{max(sure):.0%}" else "")
            few = "; six seeds are the fewest for 95 %" if min(sure) < 0.95 else ""
            yield f"\nmedians over seeds; the intervals hold those of all seeds with {said}{few}"
        for number, setting in enumerate(self.sweep.settings):
            for why in self.failed(number)[:1]:
                times = len(self.failed(number))
                yield f"{written(setting)} failed {'once' if times == 1 else f'{times} times'}: {why}"
        if self.no_figure:
            yield self.no_figure
        if not self.complete:
            yield f"{len(self.ended)} of {len(self.sweep.tasks)} runs have ended"
        yield str(self.folder)

    def table(self) -> Table:
        """A row for each setting, a column for each figure of the learning curve."""
        rows = Table([self.sweep.algorithm, "runs", *(name.replace("_", " ") for name in self.names), "seconds"])
        for number, setting in enumerate(self.sweep.settings):
            runs = self.of(number)
            seconds = f"{median(one.seconds for one in runs):.1f}" if runs else ""
            rows.add(written(setting), str(len(runs)), *(self._cell(number, name) for name in self.names), seconds)
        return rows

    def _cell(self, setting: int, name: str) -> str:
        found = self.summary(setting, name)
        if found is None:
            return ""
        if found["runs"] < 2:
            return precise(float(found["median"]))
        return f"{precise(float(found['median']))} ({precise(float(found['low']))} to {precise(float(found['high']))})"

    def _draw(self, axes: Any) -> None:
        """The figure over the steps: the median of each setting, and its interval in the shade."""
        for number, setting in enumerate(self.sweep.settings):
            curves = [curve for one in self.of(number) if (curve := self._curve(one))]
            if not curves:
                continue
            # the steps that all runs have; where each was measured at its own end alone, those ends
            first, last = sorted((max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)))
            steps = sorted({step for curve in curves for step, _ in curve if first <= step <= last})
            seen = [np.array(curve).T for curve in curves]
            values = np.array([np.interp(steps, at, told) for at, told in seen])
            (line,) = axes.plot(steps, np.median(values, axis=0), label=written(setting), linewidth=1.2, marker=".")
            if len(curves) > 1:
                ends = np.array([median_interval(list(column))[:2] for column in values.T])
                axes.fill_between(steps, ends[:, 0], ends[:, 1], color=line.get_color(), alpha=0.15, linewidth=0)
        axes.set(xlabel="steps", ylabel=self.figure.replace("_", " "))
        axes.set_title(f"{self.sweep.algorithm}, {self.sweep.game}: median and interval over seeds", fontsize=10)
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(frameon=False, fontsize="small")

    def _curve(self, one: Ended) -> list[tuple[int, float]]:
        """Steps and values of the figure in a run."""
        metrics = lines(self.folder / one.run / METRICS)
        return [(line["step"], line[self.figure]) for line in metrics if line.get(self.figure) is not None]

    def save(self, file: Path) -> None:
        """Write the plot into a file."""
        import matplotlib
        from matplotlib.figure import Figure

        from ..plots import save

        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plyground"}):
            figure = Figure(figsize=(7.2, 4.2), layout="constrained")
            self._draw(figure.subplots())
            save(figure, file)


def written(setting: Setting) -> str:
    """A setting in a few words."""
    return " ".join(f"{name}={value}" for name, value in setting.items())
