"""Nine men's morris: three men in a row along a line are a mill, which takes a man of the other's.

Men are put one by one, then moved along the lines; who has three left may jump anywhere.  A man in a mill is taken only
where all are in mills.  Who has two men left, or cannot move, has lost; 200 turns are a draw.
"""

from typing import NamedTuple

import numpy as np

from ..boards import cell_name
from .grid import symmetries, symmetries_of

MEN = 9
TURNS = 200
PLACES = (0, 3, 6, 8, 10, 12, 16, 17, 18, 21, 22, 23, 25, 26, 27, 30, 31, 32, 36, 38, 40, 42, 45, 48)  # of 7 x 7 cells
ROWS = [(i, i + 1, i + 2) for i in range(0, 24, 3)]  # along the lines, and then down them
ROWS += [(0, 9, 21), (3, 10, 18), (6, 11, 15), (1, 4, 7), (16, 19, 22), (8, 12, 17), (5, 13, 20), (2, 14, 23)]
MILLS = np.array(
    [[[p for p in row if p != point] for row in ROWS if point in row] for point in range(24)]
)  # (24, 2, 2)
NEAR = np.zeros((24, 4), np.int64)  # the points beside each
BESIDE = np.zeros(24, np.int64)  # how many they are
for _point in range(24):
    _beside = [
        row[i + way] for row in ROWS for i in range(3) for way in (-1, 1) if row[i] == _point and 0 <= i + way < 3
    ]
    NEAR[_point, : len(_beside)], BESIDE[_point] = _beside, len(_beside)


class Morris(NamedTuple):
    """Three men in a row take a man of the other's; who has two left, or cannot move, has lost."""

    def fields(game):
        both = [("hand", np.int8, (2,)), ("men", np.int8, (2,))]
        return [("points", np.int8, (24,)), *both, ("turns", np.int16), ("turn", np.int8), ("takes", np.int8)]

    def start(game, state):
        for player in range(2):
            state.hand[player] = state.men[player] = MEN

    def actions(game):
        return 24 + 24 * 24  # put or take a man; move one from a point to another

    def player(game, state):
        return state.turn

    def in_mill(game, state, point):
        for i in range(2):
            if state.points[point] == state.points[MILLS[point, i, 0]] == state.points[MILLS[point, i, 1]]:
                return True
        return False

    def legal(game, state, out):
        if state.takes:
            return game.list_men_to_take(state, out)
        if state.hand[state.turn] > 0:
            count = 0
            for point in range(24):
                out[count] = point
                count += int(state.points[point] == 0)
            return count
        return game.list_moves(state, out)

    def list_moves(game, state, out):
        count, jumps = 0, state.men[state.turn] <= 3
        for point in range(24):
            if state.points[point] == state.turn + 1:
                for i in range(24 if jumps else BESIDE[point]):
                    to = i if jumps else NEAR[point, i]
                    out[count] = 24 + 24 * point + to
                    count += int(state.points[to] == 0)
        return count

    def list_men_to_take(game, state, out):
        count = 0
        for mills in range(2):  # men in mills, if there are no others
            for point in range(24):
                if state.points[point] == 2 - state.turn and game.in_mill(state, point) == (mills == 1):
                    out[count] = point
                    count += 1
            if count > 0:
                break
        return count

    def play(game, state, action):
        turn = state.turn
        if state.takes:
            state.points[action] = 0
            state.men[1 - turn] -= 1
            state.takes = 0
        else:
            to = action
            if action >= 24:
                state.points[(action - 24) // 24], to = 0, (action - 24) % 24
            else:
                state.hand[turn] -= 1
            state.points[to] = turn + 1
            state.takes = int(game.in_mill(state, to))
        if not state.takes:
            state.turn = 1 - turn
            state.turns += 1

    def can_move(game, state):
        """Is there a legal action?"""
        if state.takes or state.hand[state.turn] > 0 or state.men[state.turn] <= 3:
            return True
        for point in range(24):
            if state.points[point] == state.turn + 1:
                for i in range(BESIDE[point]):
                    if state.points[NEAR[point, i]] == 0:
                        return True
        return False

    def over(game, state):
        return state.turns >= TURNS or state.men[state.turn] < 3 or not game.can_move(state)

    def score(game, state):
        lost = state.men[state.turn] < 3 or not game.can_move(state)
        return 2.0 * state.turn - 1.0 if lost else 0.0

    def planes(game):
        return (6, 7, 7)

    def encode(game, state, planes):
        """Men of who moves, and of the other; how many each still has to put; is a man to be taken; turns."""
        for point in range(24):
            row, col = PLACES[point] // 7, PLACES[point] % 7
            planes[0, row, col] = state.points[point] == state.turn + 1
            planes[1, row, col] = state.points[point] == 2 - state.turn
            planes[2, row, col] = state.hand[state.turn] / MEN
            planes[3, row, col] = state.hand[1 - state.turn] / MEN
            planes[4, row, col] = state.takes
            planes[5, row, col] = state.turns / TURNS

    def symmetries(game):
        """Those of the square, and each with the inner and the outer ring exchanged."""
        as_they_are, exchanged = np.arange(49), np.arange(49)
        exchanged[list(PLACES)] = [24 + (place - 24) * (4 - ring(place)) // ring(place) for place in PLACES]
        turned = [image.ravel() for image in symmetries(7, 7)]
        return symmetries_of(game, [image[rings] for rings in (as_they_are, exchanged) for image in turned])

    def board(game):
        lines = [[PLACES[row[0]], PLACES[row[2]]] for row in ROWS]
        labels = {"columns": list("abcdefg"), "row_labels": list("7654321")}
        return {"shape": "intersections", "rows": 7, "cols": 7, "lines": lines, **labels}

    def cells(game, state):
        found = [-1] * 49
        for place, man in zip(PLACES, state.points.tolist(), strict=True):
            found[place] = man
        return found

    def caption(game, state):
        first, second = state.hand.tolist()
        return f"in hand: {first} and {second}{', a man is to be taken' if state.takes else ''}"

    def where(game, state, action):
        return [PLACES[action]] if action < 24 else [PLACES[(action - 24) // 24], PLACES[(action - 24) % 24]]

    def name(game, action):
        return "-".join(cell_name(7, 7, place) for place in game.where(None, action))


def ring(place):
    """How far a place lies from the middle of the board, 1 to 3."""
    return max(abs(place // 7 - 3), abs(place % 7 - 3))
