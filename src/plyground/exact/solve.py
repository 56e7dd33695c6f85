"""Solves positions: the exact value of each move, by alpha-beta with windows that hold one question.

Whether a move wins is asked with the window (0, 1), whether it loses with (-1, 0): such a search is cut off
soonest.  Both questions are asked at growing depths first, since short wins are found there at once, and then
to the end of the game.  When the results are known, deepening finds the distances.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import scorings
from ..games.line_taking import LineTaking
from ..rules import CHANCE, after, legal
from ..search.deepen import Deepening
from ..search.frames import CERTAIN, DEEPEST, PROVEN, distance
from .line_table import MOST, LineTable

DEPTHS = (2, 4, 6, 8, DEEPEST)  # at which the questions are asked


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
    """Solves positions of one game; what its table holds serves the next one, too."""

    def __init__(self, game: Any, memory: float = 256) -> None:
        self.game = game
        self.search = Deepening(game, scorings.for_order(game), memory=memory, hopes=True)
        self.solution = Solution()

    def solve(
        self,
        state: Any,
        *,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        watch: Callable[[Solution], None] | None = None,
        distances: bool = True,
    ) -> Solution:
        """Find the value of every move.  What is known so far is always in `solution`, interrupted or not."""
        self.state = state
        self.solution = Solution([Answer(action) for action in legal(self.game, state)])
        self.search.start(state)

        def look() -> None:
            self.solution.nodes = int(self.search.work.nodes)
            if watch:
                watch(self.solution)

        try:
            self.search.run(lambda: self._answer(distances), seconds, stop, look)
        finally:
            self.solution.seconds, self.solution.nodes = self.search.found.seconds, self.search.found.nodes
            self.solution.answers.sort(key=rank, reverse=True)
        return self.solution

    def _answer(self, distances: bool) -> None:
        for depth in DEPTHS:
            for answer in self.solution.answers:
                if answer.high > 0 and self.solution.low < 1:
                    self._ask(answer, depth, 0)
            for answer in self.solution.answers:
                if answer.low < 0 and self.solution.low < 0:
                    self._ask(answer, depth, -1)
            self.solution.answers.sort(key=rank, reverse=True)
            if self.search.work.stop or self.solution.value is not None:
                break
        for depth in DEPTHS:  # the value of the position is known: now the other moves
            for answer in self.solution.answers:
                if answer.high > 0:
                    self._ask(answer, depth, 0)
                if answer.low < 0:
                    self._ask(answer, depth, -1)
        if distances and not self.search.work.stop:
            self._find_distances()

    def _ask(self, answer: Answer, depth: int, low: int) -> None:
        """Is a move worth more than `low`?  Looks at most `depth` plies ahead."""
        if self.search.work.stop or answer.value is not None:
            return
        root = self.search.search_action(answer.action, depth, low, low + 1)
        if self.search.work.stop:
            return
        plies = distance(root.value)
        if plies is not None:
            answer.low = answer.high = math.copysign(1, root.value)
            answer.plies = plies
        elif self.search.frames[1].open:
            return
        elif abs(root.value) >= 1:  # neither won, lost nor drawn: what lies between is asked for outright
            root = self.search.search_action(answer.action, DEEPEST, -math.inf, math.inf)
            if not self.search.work.stop:
                answer.low = answer.high = round(root.value / CERTAIN, 4)
        elif low == 0:
            answer.high = 0.0
        else:
            answer.low = 0.0
        if answer.low > answer.high:
            raise AssertionError(f"action {answer.action} cannot be worth {answer.low} and {answer.high}")

    def _find_distances(self) -> None:
        """The shortest way to each win and the longest to each loss, with as much work again as the rest took."""
        decided = [answer for answer in self.solution.answers if answer.plies is not None]
        self.search.work.limit = 2 * int(self.search.work.nodes) + 1_000_000
        for depth in range(1, DEEPEST):
            for answer in decided:
                if self.search.work.stop or answer.shortest:
                    continue
                root = self.search.search_action(answer.action, depth, -math.inf, math.inf)
                if not self.search.work.stop and abs(root.value) >= PROVEN:
                    answer.plies = distance(root.value)
                    answer.shortest = root.exact
            if self.search.work.stop or all(answer.shortest for answer in decided):
                break

    def find_line(self, effort: int = 200_000) -> list[int]:
        """How best play goes on, as far as little work finds it; needs a position whose value is known."""
        line: list[int] = []
        state, best, solution = self.state, self.solution.answers[0], self.solution
        while best.value is not None:
            line.append(best.action)
            state = after(self.game, state, best.action)
            if self.game.over(state) or self.game.player(state) == CHANCE:
                break
            self.solve(state, stop=lambda: self.solution.nodes > effort, distances=best.plies is not None)
            best = self.solution.answers[0]
        self.solution = solution
        solution.line = line
        return line


class LineSolver(Solver):
    """Solves line-taking by the table of all its positions."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.solution = Solution()
        self.table: LineTable | None = None

    def solve(
        self,
        state: Any,
        *,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        watch: Callable[[Solution], None] | None = None,
        distances: bool = True,
    ) -> Solution:
        begun = time.perf_counter()
        self.state = state
        self.solution = solution = Solution([Answer(action) for action in legal(self.game, state)])
        if self.table is None or not self.table.covers(state):
            self.table = LineTable(self.game, state)

        def look(share: float) -> None:
            solution.nodes = int(share * 2.0**state.left)
            if watch:
                watch(solution)

        if self.table.share >= 1 or self.table.fill(seconds, stop, look):
            values = self.table.values(state)
            solution.answers = [Answer(action, value, value) for action, value in values.items()]
            solution.answers.sort(key=rank, reverse=True)
            solution.nodes = 2 ** int(state.left)
        solution.seconds = time.perf_counter() - begun
        return solution


def solver(game: Any, state: Any, memory: float = 256) -> Solver:
    """What solves this position best."""
    if isinstance(game, LineTaking) and state.left <= MOST:
        return LineSolver(game)
    return Solver(game, memory)


def rank(answer: Answer) -> tuple:
    """Best first: won soon, drawn, lost late."""
    plies = answer.plies or 0
    return answer.low, answer.high, -plies if answer.low > 0 else plies
