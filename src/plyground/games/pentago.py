"""Pentago: put a stone, then turn one of the four quarters; five in a row win."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from . import grid
from .grid import DRAW, NOBODY

SIZE, HALF = 6, 3
CORNERS = ((0, 0), (0, HALF), (HALF, HALF), (HALF, 0))  # upper left cells of the quarters a, b, c and d


class Pentago(NamedTuple):
    """Put a stone and turn a quarter of the board; five in a row win."""

    k: Annotated[int, About("stones in a row to win", low=3, high=6)] = 5

    def fields(game):
        return [("stones", np.int8, (SIZE, SIZE)), ("moves", np.int8), ("winner", np.int8)]

    def actions(game):
        return SIZE * SIZE * 8  # cell, quarter, way to turn

    def player(game, state):
        return state.moves & 1

    def legal(game, state, out):
        count = 0
        for cell in range(SIZE * SIZE):
            if state.stones[cell // SIZE, cell % SIZE] == NOBODY:
                for turn in range(8):
                    out[count] = 8 * cell + turn
                    count += 1
        return count

    def play(game, state, action):
        cell, quarter, clockwise = action // 8, action // 2 % 4, action % 2 == 1
        state.stones[cell // SIZE, cell % SIZE] = 1 + (state.moves & 1)
        state.moves += 1
        game.turn(state, CORNERS[quarter][0], CORNERS[quarter][1], clockwise)
        first, second = game.has_row(state, 1), game.has_row(state, 2)
        if (first and second) or (state.moves == SIZE * SIZE and not first and not second):
            state.winner = DRAW
        elif first or second:
            state.winner = 1 if first else 2

    def turn(game, state, row, col, clockwise):
        """Turn the quarter with this upper left cell by 90 degrees, its corners and then its edges."""
        for i in range(HALF - 1):
            a, b = (row, col + i), (row + i, col + 2)
            c, d = (row + 2, col + 2 - i), (row + 2 - i, col)
            kept = state.stones[a]
            if clockwise:
                state.stones[a] = state.stones[d]
                state.stones[d] = state.stones[c]
                state.stones[c] = state.stones[b]
                state.stones[b] = kept
            else:
                state.stones[a] = state.stones[b]
                state.stones[b] = state.stones[c]
                state.stones[c] = state.stones[d]
                state.stones[d] = kept

    def has_row(game, state, stone):
        for row in range(SIZE):
            for col in range(SIZE):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    length, r, c = 0, row, col
                    while 0 <= r < SIZE and 0 <= c < SIZE and state.stones[r, c] == stone:
                        length, r, c = length + 1, r + down, c + right
                    if length >= game.k:
                        return True
        return False

    def over(game, state):
        return state.winner != NOBODY

    def score(game, state):
        return (0.0, 1.0, -1.0, 0.0)[state.winner]

    def planes(game):
        return (2, SIZE, SIZE)

    def encode(game, state, planes):
        me = 1 + (state.moves & 1)
        for row in range(SIZE):
            for col in range(SIZE):
                planes[0, row, col] = state.stones[row, col] == me
                planes[1, row, col] = state.stones[row, col] == 3 - me

    def board(game):
        return {"shape": "cells", "rows": SIZE, "cols": SIZE, "block": HALF}

    def cells(game, state):
        return state.stones.ravel().tolist()

    def where(game, state, action):
        corner = CORNERS[action // 2 % 4]
        across = corner[1] + (HALF - 1 if action % 2 else 0)
        return [action // 8, corner[0] * SIZE + across]

    def row(game, state):
        return grid.row(game, state)

    def name(game, action):
        return f"{cell_name(SIZE, SIZE, action // 8)}{'abcd'[action // 2 % 4]}{'lr'[action % 2]}"
