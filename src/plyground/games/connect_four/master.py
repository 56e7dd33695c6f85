"""The agent `connect-four-master`: plays four in a row without a mistake, by the book and the solver."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from ...agents.base import Limit, Move, Seed, Thought
from ...agents.tree_search import UCT, WithSearch
from ...exact.solve import Answer, Solution
from ...search.budget import Budget, least
from ...spec import About, InputError
from .book import complete
from .rules import ConnectFour
from .scores import solvable
from .solver import MEMORY, FourSolver

SOLVING = 0.6  # share of the time after which a position that is not solved is left to a search
RESERVE = 0.02  # seconds, at most: a search may end so late


@dataclass
class ConnectFourMaster(WithSearch):
    """Connect Four by an opening book and a solver: wins soonest, loses latest; a search where time is too short."""

    seconds: Annotated[float, About("seconds a move", low=0, high=86400)] = 1.0
    memory: Annotated[int, About("most megabytes for the table of positions", low=1, high=65536)] = int(MEMORY)
    seed: Seed = None

    def __post_init__(self) -> None:
        self._solver: FourSolver | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not solvable(game):
            raise InputError("connect-four-master plays connect-four with four in a row and no other game")

    def ready(self, game: Any) -> None:
        self.must_play(game)
        self._prepared(game)
        if not opponent(game):  # a position may take too long
            self._prepared_search(game)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        solver = self._prepared(game)
        seconds = least(self.seconds, limit.seconds)
        seconds -= min(RESERVE, seconds / 4)
        budget = Budget(None, seconds, limit.stop)  # compiling is not thinking
        if limit.watch:
            watch = limit.watch
            budget.watch = lambda: watch(self._thought(solver.solution, budget)) if solver.solution.answers else None
        first = replace(budget, seconds=SOLVING * seconds)
        found = solver.solve(state, first)
        if found.value is None and not budget.over():
            return self._searched(game, state, found, budget, limit)
        if any(not answer.shortest and answer.value != 0 for answer in found.answers) and not budget.over():
            found = solver.solve(state, budget)  # what the table holds is not searched again
        return self._thought(found, budget)

    def _prepared(self, game: ConnectFour) -> FourSolver:
        if self._solver is None or self._solver.game != game:
            self._solver = None  # before another takes as much memory
            self._solver = FourSolver(game, self.memory)
        self._solver.prepare()
        return self._solver

    def _prepared_search(self, game: ConnectFour) -> UCT:
        if self._search is None:
            self.search().ready(game)
        return self.search()

    def _thought(self, found: Solution, budget: Budget) -> Thought:
        """Choose a best move: one of those that win soonest, or lose latest."""
        answers = list(found.answers)
        best = [one for one in answers if (one.value, one.plies) == (answers[0].value, answers[0].plies)]
        chosen = best[int(self.rng.integers(len(best)))]
        answers.sort(key=lambda answer: answer is not chosen)  # the others in their order
        moves = [Move(answer.action, 0, known(answer), answer.value is not None) for answer in answers]
        note = f"in {chosen.plies} {'ply' if chosen.plies == 1 else 'plies'}" if chosen.shortest else ""
        line = [chosen.action]
        return Thought(chosen.action, found.value, found.nodes, budget.passed, moves, line, note, "positions")

    def _searched(self, game: Any, state: Any, found: Solution, budget: Budget, limit: Limit) -> Thought:
        """Choose by roll-outs between the moves that are not known to lose."""
        truth = {answer.action: answer for answer in found.answers}
        search = self._prepared_search(game)
        left = max(0.0, budget.seconds_left)
        thought = search.think(game, state, Limit(limit.simulations, left, limit.stop, limit.watch))

        def rank(move: Move) -> tuple:
            return truth[move.action].low, truth[move.action].high > -1, move.proven and move.value, move.visits

        def told(move: Move) -> Move:
            value = truth[move.action].value
            return move if value is None else move._replace(value=value, proven=True)

        moves = [told(move) for move in sorted(thought.moves, key=rank, reverse=True)]
        return Thought(moves[0].action, moves[0].value, thought.simulations, budget.passed, moves, [moves[0].action])


def known(answer: Answer) -> float:
    """What a move is worth; the middle of what is possible, if it is not known."""
    return (answer.low + answer.high) / 2


def opponent(game: Any) -> str:
    """The agent that a person meets on the usual board, if its book is complete."""
    return "connect-four-master" if game == ConnectFour() and complete() else ""
