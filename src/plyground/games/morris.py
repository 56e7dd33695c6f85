"""Nine men's morris: three men in a row along a line are a mill, which takes a man of the other's.

Men are put one by one, then moved along the lines; who has three left may jump anywhere.  A man in a mill is taken only
where all are in mills.  Who has two men left, or cannot move, has lost; 200 turns are a draw.

The men of a player are the bits of one number, point by point from the top.
"""

from typing import NamedTuple

import numpy as np

from ..bits import ones
from ..boards import by_cells
from .grid import symmetries, symmetries_of

MEN = 9
TURNS = 200
PLACES = (0, 3, 6, 8, 10, 12, 16, 17, 18, 21, 22, 23, 25, 26, 27, 30, 31, 32, 36, 38, 40, 42, 45, 48)  # of 7 x 7 cells
ROWS = [(i, i + 1, i + 2) for i in range(0, 24, 3)]  # along the lines, and then down them
ROWS += [(0, 9, 21), (3, 10, 18), (6, 11, 15), (1, 4, 7), (16, 19, 22), (8, 12, 17), (5, 13, 20), (2, 14, 23)]
MILLS = np.array([1 << a | 1 << b | 1 << c for a, b, c in ROWS])  # points as bits
STEPS = {(row[i], row[i + way]) for row in ROWS for i, way in ((0, 1), (1, 1), (1, -1), (2, -1))}
NEAR = np.array([sum(1 << to for at, to in STEPS if at == point) for point in range(24)])  # the points beside each
ALL = (1 << 24) - 1


class Morris(NamedTuple):
    """Three men in a row take a man of the other's; who has two left, or cannot move, has lost."""

    def fields(game):
        small = [("turns", np.int16), ("turn", np.int8), ("takes", np.int8)]
        return [("men", np.int32, (2,)), ("hand", np.int8, (2,)), *small]

    def start(game, state):
        state.hand[0] = state.hand[1] = MEN

    def actions(game):
        return 24 + 24 * 24  # put or take a man; move one from a point to another

    def free(game, state):
        return ALL & ~(state.men[0] | state.men[1])

    def legal(game, state, out):
        count, mine, free = 0, state.men[state.turn], game.free(state)
        if state.takes or state.hand[state.turn] > 0:
            points = game.can_be_taken(state) if state.takes else free
            for point in range(24):
                out[count] = point
                count += points >> point & 1
            return count
        jumps = ones(mine) <= 3
        for at in range(24):
            to = free & (ALL if jumps else NEAR[at]) if mine >> at & 1 else 0
            while to != 0:
                out[count] = 24 + 24 * at + ones((to & -to) - 1)
                count += 1
                to &= to - 1
        return count

    def can_be_taken(game, state):
        """The other's men that are in no mill, or all of them if there are no such."""
        men = state.men[1 - state.turn]
        return men & ~game.in_mills(men) or men

    def in_mills(game, men):
        """Those of a player's men that stand in mills."""
        found = 0
        for mill in MILLS:
            if men & mill == mill:
                found |= mill
        return found

    def play(game, state, action):
        turn, to = state.turn, action if action < 24 else (action - 24) % 24
        if state.takes:
            state.men[1 - turn] ^= 1 << to
            state.takes = 0
        else:
            if action < 24:
                state.hand[turn] -= 1
            else:
                state.men[turn] ^= 1 << (action - 24) // 24
            state.men[turn] |= 1 << to
            state.takes = game.in_mills(state.men[turn]) >> to & 1
        if not state.takes:
            state.turn = 1 - turn
            state.turns += 1

    def has_lost(game, state):
        """Has the player to move two men left, or no legal action?"""
        mine, free = state.men[state.turn], game.free(state)
        men = ones(mine) + state.hand[state.turn]
        if state.takes or men <= 3 or state.hand[state.turn] > 0:
            return men < 3
        for at in range(24):
            if mine >> at & 1 and NEAR[at] & free:
                return False
        return True

    def over(game, state):
        return state.turns >= TURNS or game.has_lost(state)

    def score(game, state):
        return 2.0 * state.turn - 1.0 if game.has_lost(state) else 0.0

    def planes(game):
        return (6, 7, 7)

    def encode(game, state, planes):
        """Men of who moves, and of the other; how many each still has to put; is a man to be taken; turns."""
        for point in range(24):
            row, col = PLACES[point] // 7, PLACES[point] % 7
            planes[0, row, col] = state.men[state.turn] >> point & 1
            planes[1, row, col] = state.men[1 - state.turn] >> point & 1
            planes[2, row, col] = state.hand[state.turn] / MEN
            planes[3, row, col] = state.hand[1 - state.turn] / MEN
            planes[4, row, col] = state.takes
            planes[5, row, col] = state.turns / TURNS

    def symmetries(game):
        """Those of the square, and each with the inner and the outer ring exchanged."""
        as_they_are, exchanged = np.arange(49), np.arange(49)
        for place in PLACES:
            ring = max(abs(place // 7 - 3), abs(place % 7 - 3))  # how far it lies from the middle, 1 to 3
            exchanged[place] = 24 + (place - 24) * (4 - ring) // ring
        turned = [image.ravel() for image in symmetries(7, 7)]
        return symmetries_of(game, [image[rings] for rings in (as_they_are, exchanged) for image in turned])

    def board(game):
        lines = [[PLACES[row[0]], PLACES[row[2]]] for row in ROWS]
        labels = {"columns": list("abcdefg"), "row_labels": list("7654321")}
        return {"shape": "intersections", "rows": 7, "cols": 7, "lines": lines, **labels}

    def cells(game, state):
        found, (first, second) = [-1] * 49, state.men.tolist()
        for point, place in enumerate(PLACES):
            found[place] = (first >> point & 1) + 2 * (second >> point & 1)
        return found

    def caption(game, state):
        first, second = state.hand.tolist()
        return f"in hand: {first} and {second}{', a man is to be taken' if state.takes else ''}"

    def where(game, state, action):
        return [PLACES[action]] if action < 24 else [PLACES[(action - 24) // 24], PLACES[(action - 24) % 24]]

    def name(game, action):
        return by_cells(game, action)
