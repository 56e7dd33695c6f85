"""The line-taking study's scores: what it knows of positions with few cells left."""

from typing import NamedTuple

from .rules import SIDE, STEPS, spot


class LineTakingScores(NamedTuple):
    complete: bool = True  # also knows single cells and two pairs, not only the last cell
    guess: float = 1.0  # 0 guesses nothing

    def judge(scoring, game, state):
        if state.left == 1:
            return -10_000.0 * scoring.guess
        if scoring.complete and scoring.guess != 0:
            singles, pairs = 0, 0
            for y in range(SIDE):
                for x in range(SIDE):
                    at = spot(x, y)
                    if state.free[at]:
                        near = 0
                        for i in range(3):
                            near += state.free[at + STEPS[i]] != 0  # not added to the next: NumPy's True + True is 1
                            near += state.free[at - STEPS[i]] != 0
                        if near > 1:
                            return 0.0
                        singles += near == 0
                        pairs += near == 1  # cells of pairs
            if pairs == 0:
                return scoring.guess * (9_000.0 if singles % 2 == 0 else -9_000.0)
            if pairs == 4 and singles == 0:
                return -9_000.0 * scoring.guess
        return 0.0

    def promise(scoring, game, state, action):
        return 0.0


def terminal() -> LineTakingScores:
    """The scores of the last cell alone."""
    return LineTakingScores(complete=False)
