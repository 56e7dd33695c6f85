"""Solves line-taking by a table of all positions of a region."""

from __future__ import annotations

from typing import Any

from ...exact.solve import Answer, Solver
from ...search.budget import Budget
from .table import MOST, LineTable, prepare


class LineSolver(Solver):
    """Solves line-taking by the table of all its positions."""

    table: LineTable | None = None

    def prepare(self) -> None:
        prepare()

    def _work(self, budget: Budget, distances: bool) -> None:
        if self.table is None or not self.table.covers(self.state):
            self.table = LineTable(self.game, self.state)
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


def solver(game: Any, state: Any) -> LineSolver | None:
    """The solver of this position, if a table of it can be had."""
    if state.left > MOST:
        return None
    made = LineSolver(game)
    made.memory = 2.0 ** (state.left - 23)
    return made
