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
            return budget.noting(note).run(lambda: self._answer(scores, distances), scores.halt, lambda: scores.nodes)
        finally:
            note()

    def _answer(self, scores: Scores, distances: bool) -> bool:
        """Fill in the answers; has the search come to its end?"""
        root = Position.of(self.game, self.state)
        answers = {answer.action: answer for answer in self.solution.answers}
        after = dict[int, Position]()  # where moves lead that do not end the game, from the middle
        for col in sorted(answers, key=lambda col: abs(2 * col - self.game.cols + 1)):  # what costs nothing
            then = root.after(self.game, col)
            if isinstance(then, Position):
                after[col] = then
                note(answers[col], root, *scores.known(then))
            else:
                note(answers[col], root, then, then)
        who = scores.within(root, -1, 1)
        if who is None:
            return False
        for answer in answers.values():
            answer.high = min(answer.high, who)
        if not any(answer.low == who for answer in answers.values()) and not find(scores, root, after, answers, who):
            return False
        if distances and who != 0:
            score = scores.score(root)
            if score is None:
                return False
            known = [answer for answer in answers.values() if answer.value == who and answer.shortest]
            if all(answer.plies != plies(score, root.left) for answer in known):
                if not find(scores, root, after, answers, score, exact=True):
                    return False
        for col, then in after.items():  # all other moves: who wins
            if answers[col].value is None:
                who = scores.within(then, -1, 1)
                if who is None:
                    return False
                note(answers[col], root, who if who >= 0 else then.least, who if who <= 0 else then.most)
        for col, then in after.items():  # and how soon
            if distances and answers[col].value != 0 and not answers[col].shortest:
                score = scores.score(then)
                if score is None:
                    return False
                note(answers[col], root, score, score)
        return True


def find(
    scores: Scores,
    root: Position,
    after: dict[int, Position],
    answers: dict[int, Answer],
    best: int,
    exact: bool = False,
) -> bool:
    """Find a move that keeps the score of a position, or who wins it, if it is not exact; was there time for it?"""
    for col, then in after.items():
        score = scores.within(then, -best, -best + 1)
        if score is None:
            return False
        if score == -best:
            note(answers[col], root, -best if exact or best <= 0 else then.least, -best)
            return True
        note(answers[col], root, -best + 1, then.most)
    return True


def note(answer: Answer, root: Position, low: int, high: int) -> None:
    """The score after this move of a position, for who is to move then, lies between these."""
    answer.low = max(answer.low, float((high < 0) - (high > 0)))
    answer.high = min(answer.high, float((low < 0) - (low > 0)))
    if low == high and low != 0:
        answer.plies, answer.shortest = plies(-low, root.left), True
    elif answer.low == 1 and not answer.shortest:
        answer.plies = plies(1, root.left)  # at most


def solver(game: Any, state: Any) -> FourSolver | None:
    """The solver of this position, if four in a row are wanted."""
    return FourSolver(game) if solvable(game) else None
