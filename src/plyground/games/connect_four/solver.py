"""Solves Connect Four by the book and by `negamax`."""

from __future__ import annotations

from typing import Any

from ...exact.solve import Answer, Solver
from ...search.budget import ENDLESS, Budget
from .rules import ConnectFour
from .scores import Position, Scores, book_for, new_table, plies, prepare, solvable

MEMORY = 64.0  # megabytes


class FourSolver(Solver):
    """Finds the score of every move: first who wins, then a best move, then all that is left to know."""

    def __init__(self, game: ConnectFour, memory: float = MEMORY) -> None:
        super().__init__(game)
        self.memory = memory
        self.scores: Scores | None = None

    def prepare(self) -> None:
        prepare()
        if self.scores is None:
            self.scores = Scores(self.game, new_table(self.game, self.memory), book_for(self.game))

    def _work(self, budget: Budget, distances: bool) -> bool:
        self.prepare()
        scores = self.scores
        assert scores is not None
        before = scores.nodes

        def note() -> None:
            self.solution.nodes = scores.nodes - before

        scores.begin(ENDLESS if budget.steps is None else budget.steps)
        try:
            return budget.noting(note).run(lambda: self._answer(scores, distances), scores.halt)
        finally:
            note()

    def _answer(self, scores: Scores, distances: bool) -> bool:
        """Fill in the answers; has the search come to its end?"""
        root = Position.of(self.game, self.state)
        answers = {answer.action: answer for answer in self.solution.answers}
        after = {col: root.after(self.game, col) for col in sorted(answers, key=self._from_the_middle)}
        for col, then in after.items():  # what costs nothing
            self._note(answers[col], root.left, *(scores.known(then) if isinstance(then, Position) else (then, then)))
        sign = scores.within(root, -1, 1)
        if sign is None:
            return False
        for answer in answers.values():
            answer.high = min(answer.high, sign)
        best = scores.score(root) if distances else sign
        if best is None:
            return False
        open_moves = dict[int, Position]()
        found = False
        for col, then in after.items():  # a best move
            if not isinstance(then, Position):
                found |= -then == best
            elif not found:
                low = max(-best, then.least)
                score = scores.within(then, low, low + 1) if distances else scores.within(then, -1, 1)
                if score is None:
                    return False
                found = score == -best
                self._note(answers[col], root.left, *((score, score) if found or not distances else (low, then.most)))
                if distances and not found:
                    open_moves[col] = then
            else:
                open_moves[col] = then
        for col, then in open_moves.items():  # all others
            sign = scores.within(then, -1, 1)
            if sign is None:
                return False
            self._note(answers[col], root.left, sign if sign >= 0 else then.least, sign if sign <= 0 else then.most)
            answers[col].low = answers[col].high = float(-sign)
            if sign < 0 and answers[col].plies is None:
                answers[col].plies = plies(1, root.left)  # at most
        for col, then in open_moves.items():
            if distances and answers[col].value != 0:
                score = scores.score(then)
                if score is None:
                    return False
                self._note(answers[col], root.left, score, score)
        return True

    def _from_the_middle(self, col: int) -> int:
        return abs(2 * col - self.game.cols + 1)

    def _note(self, answer: Answer, left: int, low: int, high: int) -> None:
        """The score after this move, for who is to move then, lies between these; `left` cells are empty before it."""
        answer.low = max(answer.low, float((high < 0) - (high > 0)))
        answer.high = min(answer.high, float((low < 0) - (low > 0)))
        if low == high and low != 0:
            answer.plies, answer.shortest = plies(-low, left), True


def solver(game: Any, state: Any) -> FourSolver | None:
    """The solver of this position, if four in a row are wanted."""
    return FourSolver(game) if solvable(game) else None
