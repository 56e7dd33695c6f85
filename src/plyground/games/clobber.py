"""Clobber: a stone takes a neighbouring one of the other's; who can take none loses.

Every row of stones is the bits of one number, column by column.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..bits import ones
from ..boards import cell_name
from ..spec import About
from .grid import cells_of, symmetries_of

WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left


class Clobber(NamedTuple):
    """Move a stone onto a neighbouring one of the other's, which it takes; who cannot move loses."""

    rows: Annotated[int, About("rows", low=1, high=20)] = 5
    cols: Annotated[int, About("columns", low=1, high=20)] = 6

    def limits(game):
        if game.rows * game.cols < 2:
            raise ValueError("the board has two cells at least")

    def fields(game):
        return [("stones", np.int32, (2, game.rows)), ("turn", np.int8)]  # of each player

    def start(game, state):
        for row in range(game.rows):
            for col in range(game.cols):
                state.stones[(game.rows - 1 - row + col) % 2, row] |= 1 << col  # a1 is the first player's

    def actions(game):
        return 4 * game.rows * game.cols

    def takers(game, state, row, way):
        """The stones in a row of the player to move that have one of the other's on this side."""
        down, right = WAYS[way]
        if not 0 <= row + down < game.rows:
            return 0
        mine, other = int(state.stones[state.turn, row]), int(state.stones[1 - state.turn, row + down])
        return mine & (other >> 1 if right > 0 else other << 1 if right < 0 else other)

    def legal(game, state, out):
        count = 0
        for row in range(game.rows):
            for way in range(4):
                takers = game.takers(state, row, way)
                while takers != 0:
                    col = ones((takers & -takers) - 1)
                    out[count] = 4 * (row * game.cols + col) + way
                    count += 1
                    takers &= takers - 1
        return count

    def play(game, state, action):
        row, col = action // 4 // game.cols, action // 4 % game.cols
        down, right = WAYS[action % 4]
        state.stones[state.turn, row] ^= 1 << col
        state.stones[state.turn, row + down] ^= 1 << col + right
        state.stones[1 - state.turn, row + down] ^= 1 << col + right
        state.turn = 1 - state.turn

    def over(game, state):
        for row in range(game.rows):
            for way in range(4):
                if game.takers(state, row, way) != 0:
                    return False
        return True

    def score(game, state):
        return float(2 * state.turn - 1) if game.over(state) else 0.0

    def decisive(game):
        return True

    def planes(game):
        return (2, game.rows, game.cols)

    def encode(game, state, planes):
        for row in range(game.rows):
            for col in range(game.cols):
                planes[0, row, col] = state.stones[state.turn, row] >> col & 1
                planes[1, row, col] = state.stones[1 - state.turn, row] >> col & 1

    def symmetries(game):
        return symmetries_of(game)

    def cells(game, state):
        return cells_of(state.stones, game.cols)

    def where(game, state, action):
        cell, way = divmod(action, 4)
        down, right = WAYS[way]
        return [cell, cell + down * game.cols + right]

    def name(game, action):
        cell, way = divmod(action, 4)
        return f"{cell_name(game.rows, game.cols, cell)}{'urdl'[way]}"
