"""Pattern scores for m,n,k games: what the rows that are still open promise.

A window is k cells in a line.  One that holds stones of a single player is worth more the more it holds,
`base` times as much with each stone.  A position is worth the mover's windows less the opponent's, and having the
move on top; an action promises what the windows through its cell are worth to either side.
"""

from typing import NamedTuple

from ...bits import ones
from .rows import line_cells, lines


class Patterns(NamedTuple):
    base: float = 4.0  # a stone more in a window makes it worth this many times as much
    move: float = 4.0  # worth of being to move
    guess: float = 1.0  # 0 lets the patterns order moves, but guess no values

    def judge(scoring, game, state):
        if scoring.guess == 0:
            return 0.0
        me = state.stones & 1
        points = scoring.move
        for number in range(len(state.lines[0])):
            if state.lines[0, number] | state.lines[1, number] != 0:
                points += worth(scoring, game, number, state.lines[me, number], state.lines[1 - me, number])
                points -= worth(scoring, game, number, state.lines[1 - me, number], state.lines[me, number])
        return scoring.guess * min(max(points, -400_000.0), 400_000.0)

    def promise(scoring, game, state, action):
        row, col, down, diagonal, anti = lines(game, action)
        numbers, bits = (row, down, diagonal, anti), (col, row, col, col)
        me = state.stones & 1
        points = 0.0
        for i in range(4):
            cells = line_cells(game, numbers[i])
            mine, theirs = state.lines[me, numbers[i]], state.lines[1 - me, numbers[i]]
            first = bits[i] - game.k + 1
            for start in range(first if first > 0 else 0, bits[i] + 1):
                window = (1 << game.k) - 1 << start
                if window & cells == window:
                    if window & theirs == 0:
                        points += scoring.base ** ones(window & mine) * 1.5
                    if window & mine == 0:
                        points += scoring.base ** ones(window & theirs)
        return points


def worth(scoring, game, number, own, other):
    """What the windows of a line without stones of the other player are worth."""
    cells = line_cells(game, number)
    points = 0.0
    window = (1 << game.k) - 1
    while window <= cells:
        if window & cells == window and window & other == 0 and window & own != 0:
            points += scoring.base ** (ones(window & own) - 1)
        window <<= 1
    return points
