"""Solves line-taking by a table of all positions of a region."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...exact.solve import Answer, Solver
from .table import MOST, LineTable


class LineSolver(Solver):
    """Solves line-taking by the table of all its positions."""

    table: LineTable | None = None

    def _work(
        self,
        seconds: float | None,
        stop: Callable[[], bool] | None,
        look: Callable[[int], None],
        distances: bool,
    ) -> int:
        if self.table is None or not self.table.covers(self.state):
            self.table = LineTable(self.game, self.state)
        table, positions = self.table, 2 ** int(self.state.left)
        if table.share < 1 and not table.fill(seconds, stop, lambda share: look(int(share * positions))):
            return int(table.share * positions)
        values = table.values(self.state)
        self.solution.answers = [Answer(action, value, value) for action, value in values.items()]
        return positions


def solver(game: Any, state: Any) -> LineSolver | None:
    """The solver of this position, if a table of it can be had."""
    if state.left > MOST:
        return None
    made = LineSolver(game)
    made.memory = 2.0 ** (state.left - 23)
    return made
