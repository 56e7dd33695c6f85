"""What is told of a training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..learn.curve import plot
from ..learn.figures import intervals
from ..learn.run import Run
from ..tables import Table, precise
from .base import Report

if TYPE_CHECKING:
    from ..learn.base import Learner


class TrainingReport(Report):
    """A run as it is now: its folder, its figures, and how far it has come."""

    def __init__(self, run: Run, learner: Learner) -> None:
        self.run, self.learner = run, learner

    @property
    def folder(self) -> Path:
        """The folder of the run, which agents take."""
        return self.run.folder

    @property
    def complete(self) -> bool:
        """Has it trained to the end?"""
        return self.learner.done >= self.learner.steps

    @property
    def figures(self) -> dict[str, Any]:
        """The latest figures."""
        latest = (self.run.metrics() or [{}])[-1]
        return {word: value for word, value in latest.items() if word not in ("step", "seconds")}

    def to_json(self) -> dict[str, Any]:
        config, learner = self.run.config, self.learner
        told = {"run": str(self.folder), "algorithm": config["algorithm"], "game": config["game"], "seed": learner.seed}
        return told | {learner.unit: learner.done, "seconds": learner.seconds, "figures": self.figures}

    def rows(self) -> list[dict[str, Any]]:
        """All figures that were written on the way."""
        return self.run.metrics()

    def parts(self) -> Iterator[str | Table]:
        yield f"{self.learner.done:,} {self.learner.unit} in {self.learner.seconds:.1f} s"
        for word, told in self._rows():
            yield f"  {word:<22} {told}"
        yield str(self.folder)

    def table(self) -> Table:
        """The latest figures."""
        rows = Table(["figure", "latest"])
        for word, told in self._rows():
            rows.add(word, told)
        return rows

    def _rows(self) -> Iterator[tuple[str, str]]:
        """The latest figures for people, each with its interval, if it has one."""
        figures = self.figures
        for word, value in figures.items():
            if word not in intervals(figures):
                reach = figures.get(f"{word}_interval")
                yield word.replace("_", " "), precise(value) + (f" ± {precise(reach)}" if reach is not None else "")

    def _draw(self, axes: Any) -> None:
        """The learning curve."""
        plot(axes, self.run.metrics(), self.learner)
