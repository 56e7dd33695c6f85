"""Solves positions: the exact value of each move, by alpha-beta with windows that hold one question.

Whether a move wins is asked with the window (0, 1), whether it loses with (-1, 0): such a search is cut off
soonest.  Both questions are asked at growing depths first, since short wins are found there at once, and then
to the end of the game.  When the results are known, deepening finds the distances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .. import scorings
from ..manifest import ask
from ..rules import CHANCE, after, legal
from ..search.budget import Budget
from ..search.depth_first.iterative_deepening import Deepening
from ..search.depth_first.stack import DEEPEST, PROVEN, WIN, distance
from ..spec import InputError

DEPTHS = (2, 4, 6, 8, DEEPEST)  # at which the questions are asked
LINE_SECONDS = 2.0  # to find how best play goes on

# why a value is unknown
STOPPED = "the search was stopped"
TIME_UP = "the time is up"
TOO_LONG = f"games go on for more than {DEEPEST:,} moves, or positions come again"


@dataclass
class Answer:
    """What is known of one action, for the player to move: its value lies between low and high."""

    action: int
    low: float = -1.0
    high: float = 1.0
    plies: int | None = None  # to the end, if it is won or lost
    shortest: bool = False  # the plies are exact, not only at most so many

    @property
    def value(self) -> float | None:
        return self.low if self.low == self.high else None


@dataclass
class Solution:
    """What is known of a position, for the player to move."""

    answers: list[Answer] = field(default_factory=list)  # best first
    line: list[int] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    why: str = ""  # a value is unknown, if one is

    @property
    def low(self) -> float:
        return max(answer.low for answer in self.answers)

    @property
    def high(self) -> float:
        return max(answer.high for answer in self.answers)

    @property
    def value(self) -> float | None:
        return self.low if self.low == self.high else None

    @property
    def complete(self) -> bool:
        return all(answer.value is not None for answer in self.answers)


class Solver:
    """Solves positions of one game.  What is known so far is always in `solution`, interrupted or not."""

    memory = 0.0  # megabytes that a family's own solver takes

    def __init__(self, game: Any) -> None:
        self.game = game
        self.solution = Solution()

    def prepare(self) -> None:
        """Compile what is not yet compiled: that takes no time of a budget."""

    def solve(self, state: Any, budget: Budget | None = None, *, distances: bool = True) -> Solution:
        """Find the value of every move, or as much of it as the budget allows."""
        budget = budget or Budget()
        self.state = state
        self.solution = solution = Solution([Answer(action) for action in legal(self.game, state)])
        why = STOPPED
        try:
            if self._work(budget, distances):
                why = TOO_LONG
            elif budget.seconds_left <= 0:
                why = TIME_UP
        finally:
            solution.seconds = budget.passed
            solution.why = "" if solution.complete else why
            solution.answers.sort(key=rank, reverse=True)
        return solution

    def _work(self, budget: Budget, distances: bool) -> bool:
        """Fill in the answers of `solution` for `state`, and the nodes: those so far before a watcher is told.

        Has everything been looked at that can be?
        """
        raise TypeError(f"{type(self).__name__} does not solve")

    def find_line(self, budget: Budget | None = None) -> list[int]:
        """How best play goes on, as far as little time finds it; needs a position whose value is known."""
        budget = budget or Budget(seconds=LINE_SECONDS)
        start, state, solution = self.state, self.state, self.solution
        best = solution.answers[0]
        while best.value is not None:
            solution.line.append(best.action)
            state = after(self.game, state, best.action)
            if self.game.over(state) or self.game.player(state) == CHANCE or budget.over():
                break
            best = self.solve(state, budget.after(0), distances=best.plies is not None).answers[0]
        self.state, self.solution = start, solution
        return solution.line


class SearchSolver(Solver):
    """Asks alpha-beta; what its table holds serves the next position, too."""

    def __init__(self, game: Any, memory: float = 256) -> None:
        super().__init__(game)
        try:
            self.search = Deepening(game, scorings.for_order(game), memory=memory, hopes=True)
        except MemoryError:
            raise InputError(f"{memory:g} megabytes for the table cannot be had here; give less memory") from None

    def _work(self, budget: Budget, distances: bool) -> bool:
        def note() -> None:
            self.solution.nodes = self.search.found.nodes

        self.search.start(self.state)
        try:
            return self.search.run(lambda: self._answer(distances), budget.noting(note))
        finally:
            note()

    def _answer(self, distances: bool) -> bool:
        """Ask all questions; were all of them answered, as well as they can be?"""
        for depth in DEPTHS:
            for answer in self.solution.answers:
                if answer.high > 0 and self.solution.low < 1:
                    self._ask(answer, depth, 0)
            for answer in self.solution.answers:
                if answer.low < 0 and self.solution.low < 0:
                    self._ask(answer, depth, -1)
            self.solution.answers.sort(key=rank, reverse=True)
            if self.search.workspace.stop or self.solution.value is not None:
                break
        for depth in DEPTHS:  # the value of the position is known: now the other moves
            for answer in self.solution.answers:
                if answer.high > 0:
                    self._ask(answer, depth, 0)
                if answer.low < 0:
                    self._ask(answer, depth, -1)
        if self.search.workspace.stop:
            return False
        if distances:
            self._find_distances()
        return True

    def _ask(self, answer: Answer, depth: int, low: int) -> None:
        """Is a move worth more than `low`?  Looks at most `depth` plies ahead."""
        if self.search.workspace.stop or answer.value is not None:
            return
        root = self.search.search_action(answer.action, depth, low, low + 1)
        if self.search.workspace.stop:
            return
        plies = distance(root.value)
        if plies is not None:
            answer.low = answer.high = math.copysign(1, root.value)
            answer.plies = plies
        elif root.open:
            return
        elif abs(root.value) >= 1:  # neither won, lost nor drawn: what lies between is asked for outright
            root = self.search.search_action(answer.action, DEEPEST, -math.inf, math.inf)
            if not self.search.workspace.stop:
                answer.low = answer.high = round(root.value / WIN, 4)
        elif low == 0:
            answer.high = 0.0
        else:
            answer.low = 0.0
        if answer.low > answer.high:
            raise AssertionError(f"action {answer.action} cannot be worth {answer.low} and {answer.high}")

    def _find_distances(self) -> None:
        """The shortest way to each win and the longest to each loss, with as much work again as the rest took."""
        decided = [answer for answer in self.solution.answers if answer.plies is not None]
        self.search.workspace.limit = 2 * int(self.search.workspace.nodes) + 1_000_000
        for depth in range(1, DEEPEST):
            for answer in decided:
                if self.search.workspace.stop or answer.shortest:
                    continue
                root = self.search.search_action(answer.action, depth, -math.inf, math.inf)
                if not self.search.workspace.stop and abs(root.value) >= PROVEN:
                    answer.plies = distance(root.value)
                    answer.shortest = bool(root.exact)
            if self.search.workspace.stop or all(answer.shortest for answer in decided):
                break


def solver(game: Any, state: Any, memory: float = 256) -> Solver:
    """What solves this position best: the family's own solver, where it has one for it, or alpha-beta."""
    made = ask(game, "solver", state) or SearchSolver(game, memory)
    made.prepare()
    return made


def megabytes(game: Any, state: Any, memory: float = 256) -> float:
    """What `solver` will take for this position."""
    own = ask(game, "solver", state)
    return own.memory if own else memory


def rank(answer: Answer) -> tuple:
    """Best first: won soon, drawn, lost late."""
    plies = answer.plies or 0
    return answer.low, answer.high, -plies if answer.low > 0 else plies
