"""Solves line-taking by a table of all positions of a region."""

from __future__ import annotations

from typing import Any

from ...exact.solve import Answer, Solver
from ...search.budget import Budget
from ...spec import InputError
from .table import MOST, LineTable, prepare


class LineSolver(Solver):
    """Solves line-taking by the table of all its positions."""

    table: LineTable | None = None

    def prepare(self) -> None:
        prepare()

    def _work(self, budget: Budget, distances: bool) -> bool:
        if self.table is None or not self.table.covers(self.state):
            self.table = None  # before another takes as much memory
            try:
                self.table = LineTable(self.game, self.state)
            except MemoryError:
                raise InputError(f"the table takes {self.memory:,.0f} megabytes, which cannot be had here") from None
        table, positions = self.table, 2 ** int(self.state.left)

        def note() -> None:
            self.solution.nodes = int(table.share * positions)

        try:
            full = table.fill(budget.noting(note))
        finally:
            note()
        if full:
            values = table.values(self.state)
            self.solution.answers = [Answer(action, value, value) for action, value in values.items()]
        return full


def solver(game: Any, state: Any) -> LineSolver | None:
    """The solver of this position, if a table of it can be had."""
    if state.left > MOST:
        return None
    made = LineSolver(game)
    made.memory = 2.0 ** (state.left - 23)
    return made
