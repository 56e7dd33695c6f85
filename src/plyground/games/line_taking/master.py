"""The agent `line-taking-master`: plays line-taking without a mistake wherever it can be solved in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from ...agents.base import Limit, Move, Seed, Thought
from ...agents.tree_search import WithSearch
from ...rules import after, legal
from ...search.budget import Budget, least
from ...spec import About, InputError
from .rules import LineTaking
from .table import THREADS, LineTable, cells_of, prepare

SPEED = 2e9  # positions a second, until it is measured
TELLING = 2.0**25  # positions; fewer take too short to measure
SET_UP = 0.002  # seconds for each cell, to arrange a table
RESERVE = 0.05  # seconds, at most: a part of a table may end so late, and a large tree is read
HOPE = 1.5  # a table that would take so many times the time is tried, since speeds vary
PROBING = 0.75  # share of the time for single moves of a position that is too large


def opponent(game: Any) -> str:
    """The agent that a person meets."""
    return "line-taking-master"


@dataclass
class LineTakingMaster(WithSearch):
    """Line-taking by a table of all positions; a search as long as there are too many."""

    seconds: Annotated[float, About("seconds a move", low=0, high=86400)] = 6.0
    memory: Annotated[int, About("most megabytes for the table; 33 cells take 1024", low=1, high=65536)] = 1100
    threads: Annotated[int, About("threads that fill the table", low=1, high=64)] = THREADS
    seed: Seed = None

    def __post_init__(self) -> None:
        self._table: LineTable | None = None
        self._speed = SPEED

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, LineTaking):
            raise InputError("line-taking-master plays line-taking and no other game")

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        seconds = 0.98 * least(self.seconds, limit.seconds)
        known = self._table is not None and self._table.covers(state)
        if not known:
            self._compile(game, state, seconds)
        budget = Budget(None, seconds, limit.stop)  # compiling is not thinking
        if not known:
            self._table = None  # before another takes as much memory
            self._table = self._solved(game, state, budget)
        if self._table is not None:
            thought = self._choose(self._table, state)
        else:
            thought = self._look_further(game, state, budget, limit.simulations)
        return replace(thought, seconds=budget.passed)

    def _choose(self, table: LineTable, state: Any) -> Thought:
        """Choose by the table: a winning move that leaves few cells, or the one with the fewest good answers."""
        values = table.values(state)
        rank: dict[int, float]
        if max(values.values()) > 0:
            rank = {action: -value * len(cells_of(action)) for action, value in values.items()}
        else:
            rank = table.chances(state)
        best = sorted(values, key=lambda action: (rank[action], self.rng.random()))
        return Thought(best[0], values[best[0]], moves=[Move(action, 0, values[action], True) for action in best])

    # --- positions that are too large -----------------------------------------------------------------

    def _look_further(self, game: Any, state: Any, budget: Budget, simulations: int | None) -> Thought:
        """Look for a winning move among those after which the rest can be solved; else search.

        Of the moves that the search leaves open, those come first after which, whatever the answer, the next
        position can be solved: from then on this agent errs no more.  Visits decide between them.
        """
        most = self._most(budget.seconds_left)
        values = self._probe(game, state, budget.within(PROBING * budget.seconds_left))
        if 1 in values.values():
            best = sorted(values, key=lambda action: (-values[action], self.rng.random()))
            return Thought(best[0], 1.0, moves=[Move(action, 0, values[action], True) for action in best])
        if self._search is None:  # a table was expected to be filled, and there is no time to compile a search
            found = Thought(-1, moves=[Move(action, 0, 0.0) for action in self.rng.permutation(legal(game, state))])
        else:
            left = max(budget.seconds_left, 0.0)
            left -= min(RESERVE, left / 4)
            found = self._search.think(game, state, Limit(simulations, left, budget.stop))

        def rank(move: Move) -> tuple:
            safe = state.left - len(cells_of(move.action)) - 1 <= most
            return move.proven * move.value, safe, move.visits

        moves = [Move(int(m.action), m.visits, -1.0, True) if m.action in values else m for m in found.moves]
        moves.sort(key=rank, reverse=True)
        return Thought(int(moves[0].action), moves[0].value, found.simulations, moves=moves)

    def _probe(self, game: Any, state: Any, budget: Budget) -> dict[int, int]:
        """The values of some moves; as soon as one wins, the table that says so is kept.

        Without some cells the rest can be solved, which tells the value of all moves that take these cells, one
        or two or three in a line: the fewer, the more moves, and the larger the rest.
        """
        values: dict[int, int] = {}
        actions = {action: cells_of(action) for action in legal(game, state)}
        while 1 not in values.values():
            most = self._most(budget.seconds_left)
            unknown = [cells for action, cells in actions.items() if action not in values]
            gain = {
                cells: sum(cells <= other for other in unknown) * 2 ** len(cells)
                for cells in actions.values()
                if state.left - len(cells) <= most
            }
            without = max(gain, key=lambda cells: gain[cells], default=frozenset[int]())
            if not gain.get(without):
                break
            rest = state.copy()
            for cell in without:
                rest.free[cell] = 0
            rest.left -= len(without)
            table = self._solved(game, rest, budget)
            if table is None:
                break
            for action, cells in actions.items():
                if without <= cells:
                    values[action] = -1 if table.won(after(game, state, action)) else 1
            if 1 in values.values():
                self._table = table
        return values

    def _compile(self, game: Any, state: Any, seconds: float) -> None:
        """Make ready what this decision will use."""
        prepare()
        if state.left > self._most(seconds):
            self.search(c=0.5).think(game, state, Limit(simulations=1))

    # --- tables within limits -------------------------------------------------------------------------

    def _most(self, seconds: float) -> int:
        """How many cells can be solved in so many seconds and in the memory."""
        cells = 0
        while 2.0 ** (cells + 1) <= self.memory * 2.0**23:
            needed = SET_UP * cells + 2.0 ** (cells + 1) / self._speed / HOPE
            if needed > seconds:
                break
            cells += 1
        return cells

    def _solved(self, game: Any, state: Any, budget: Budget) -> LineTable | None:
        """The table of all that follows the state, if it can be filled in time."""
        if state.left > self._most(budget.seconds_left):
            return None
        try:
            table = LineTable(game, state, state.left)
        except MemoryError:
            return None
        left = budget.seconds_left
        filling = budget.within(left - min(RESERVE, left / 2))

        def hopeless() -> bool:
            passed, left = filling.passed, filling.seconds_left
            late = passed > 0.1 * (passed + left) and passed * (1 - table.share) > table.share * left
            return late or budget.over()

        full = table.fill(replace(filling, stop=hopeless), self.threads)
        passed = filling.passed
        positions = table.share * 2.0 ** len(table.cells)
        if positions >= TELLING or (positions and passed > 1):
            self._speed = positions / passed
        return table if full else None
