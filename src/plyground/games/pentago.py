"""Pentago: put a stone, then turn one of the four quarters; five in a row win.

The stones of a player are the bits of one number, row by row with a free bit after each, so that no row of stones goes
around the edge of the board.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from . import grid
from .grid import DRAW

SIZE, HALF = 6, 3
WIDE = SIZE + 1  # bits of a row
CORNERS = ((0, 0), (0, HALF), (HALF, HALF), (HALF, 0))  # upper left cells of the quarters a, b, c and d
QUARTER = 0b111 | 0b111 << WIDE | 0b111 << 2 * WIDE


def turned(packed, clockwise):
    """Stones of a quarter, packed into nine bits, after a turn, as they lie in the upper left one."""
    found = 0
    for i in range(HALF):
        for j in range(HALF):
            to = j * WIDE + HALF - 1 - i if clockwise else (HALF - 1 - j) * WIDE + i
            found |= (packed >> i * HALF + j & 1) << to
    return found


TURNED = np.array([[turned(packed, clockwise) for packed in range(1 << HALF * HALF)] for clockwise in range(2)])


class Pentago(NamedTuple):
    """Put a stone and turn a quarter of the board; five in a row win."""

    k: Annotated[int, About("stones in a row to win", low=3, high=6)] = 5

    def fields(game):
        return [("stones", np.int64, (2,)), ("moves", np.int8), ("winner", np.int8)]

    def actions(game):
        return SIZE * SIZE * 8  # cell, quarter, way to turn

    def player(game, state):
        return state.moves & 1

    def legal(game, state, out):
        count, taken = 0, state.stones[0] | state.stones[1]
        for cell in range(SIZE * SIZE):
            for turn in range(8):
                out[count + turn] = 8 * cell + turn
            count += 8 * int(taken >> cell // SIZE * WIDE + cell % SIZE & 1 == 0)
        return count

    def play(game, state, action):
        cell, quarter, me = action // 8, action // 2 % 4, state.moves & 1
        state.stones[me] |= 1 << cell // SIZE * WIDE + cell % SIZE
        state.moves += 1
        corner = CORNERS[quarter][0] * WIDE + CORNERS[quarter][1]
        for player in range(2):
            game.turn(state, player, corner, action % 2 == 1)
        first, second = game.has_row(state.stones[0]), game.has_row(state.stones[1])
        if (first and second) or (state.moves == SIZE * SIZE and not first and not second):
            state.winner = DRAW
        elif first or second:
            state.winner = 1 if first else 2

    def turn(game, state, player, corner, clockwise):
        """Turn a player's stones of the quarter with this upper left cell by 90 degrees."""
        before = state.stones[player] >> corner & QUARTER
        packed = before & 7 | before >> WIDE - HALF & 7 << HALF | before >> 2 * (WIDE - HALF) & 7 << 2 * HALF
        state.stones[player] ^= (before ^ TURNED[int(clockwise), packed]) << corner

    def has_row(game, stones):
        for way in (1, WIDE - 1, WIDE, WIDE + 1):
            run = stones
            for i in range(1, game.k):
                run &= stones >> i * way
            if run != 0:
                return True
        return False

    def planes(game):
        return (2, SIZE, SIZE)

    def encode(game, state, planes):
        me = state.moves & 1
        for row in range(SIZE):
            for col in range(SIZE):
                planes[0, row, col] = state.stones[me] >> row * WIDE + col & 1
                planes[1, row, col] = state.stones[1 - me] >> row * WIDE + col & 1

    def symmetries(game):
        """Turns and mirror images of the board; in a mirror the quarters turn the other way."""
        found = []
        for image in grid.symmetries(SIZE, SIZE):
            rows, cols = divmod(image.reshape(SIZE, SIZE), SIZE)
            down, right = np.array([(part[1, 0] - part[0, 0], part[0, 1] - part[0, 0]) for part in (rows, cols)]).T
            mirrored = down[0] * right[1] < down[1] * right[0]
            quarters = [CORNERS.index((rows[at] // HALF * HALF, cols[at] // HALF * HALF)) for at in CORNERS]
            turns = [2 * quarter + (way ^ mirrored) for quarter in quarters for way in range(2)]
            found.append(((8 * image[:, None] + turns).ravel(), image))
        return found

    def board(game):
        return {"shape": "cells", "rows": SIZE, "cols": SIZE, "block": HALF}

    def cells(game, state):
        first, second = state.stones.tolist()
        bits = [row * WIDE + col for row in range(SIZE) for col in range(SIZE)]
        return [(first >> bit & 1) + 2 * (second >> bit & 1) for bit in bits]

    def where(game, state, action):
        corner = CORNERS[action // 2 % 4]
        across = corner[1] + (HALF - 1 if action % 2 else 0)
        return [action // 8, corner[0] * SIZE + across]

    def row(game, state):
        return grid.row(game, state)

    def name(game, action):
        return f"{cell_name(SIZE, SIZE, action // 8)}{'abcd'[action // 2 % 4]}{'lr'[action % 2]}"
