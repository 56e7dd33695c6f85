"""Breakthrough (Dan Troyka, 2000): pawns step forward, straight or askew, and take askew.

Every row of pawns is the bits of one number, column by column.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..bits import ones
from ..boards import by_cells
from ..rules import blank
from ..spec import About
from . import grid
from .grid import NOBODY


class Breakthrough(NamedTuple):
    """Reach the far row with a pawn, or take all of the other's; pawns step forward, and take askew."""

    rows: Annotated[int, About("rows", low=4, high=16)] = 8
    cols: Annotated[int, About("columns", low=2, high=16)] = 8

    def fields(game):
        pawns = [("pawns", np.int32, (2, game.rows)), ("count", np.int8, (2,))]
        return [*pawns, ("turn", np.int8), ("winner", np.int8)]

    def start(game, state):
        for row in range(2):
            state.pawns[1, row] = state.pawns[0, game.rows - 1 - row] = (1 << game.cols) - 1
        state.count[0] = state.count[1] = 2 * game.cols

    def actions(game):
        return 6 * game.rows * game.cols  # from a cell upwards to the left, straight on, to the right; then downwards

    def legal(game, state, out):
        count, me, step = 0, state.turn, 2 * state.turn - 1  # the first player goes up
        for row in range(game.rows):
            here = int(state.pawns[me, row])
            if here == 0:
                continue
            mine, other = int(state.pawns[me, row + step]), int(state.pawns[1 - me, row + step])
            for side in range(3):
                to = here >> 1 if side == 0 else here if side == 1 else here << 1 & (1 << game.cols) - 1
                to &= ~(mine | other) if side == 1 else ~mine
                while to != 0:
                    col = ones((to & -to) - 1) + 1 - side
                    out[count] = 6 * (row * game.cols + col) + 3 * me + side
                    count += 1
                    to &= to - 1
        return count

    def play(game, state, action):
        cell, me = action // 6, state.turn
        row, to = cell // game.cols, cell // game.cols + 2 * me - 1
        target = 1 << cell % game.cols + action % 3 - 1
        state.pawns[me, row] ^= 1 << cell % game.cols
        state.pawns[me, to] |= target
        if state.pawns[1 - me, to] & target:
            state.pawns[1 - me, to] ^= target
            state.count[1 - me] -= 1
        if to == (0 if me == 0 else game.rows - 1) or state.count[1 - me] == 0:
            state.winner = me + 1
        state.turn = 1 - me

    def decisive(game):
        return True

    def planes(game):
        return (3, game.rows, game.cols)

    def encode(game, state, planes):
        for row in range(game.rows):
            for col in range(game.cols):
                planes[0, row, col] = state.pawns[state.turn, row] >> col & 1
                planes[1, row, col] = state.pawns[1 - state.turn, row] >> col & 1
                planes[2, row, col] = state.turn  # which way it goes

    def symmetries(game):
        return grid.symmetries_of(game)

    def board(game):
        return {"shape": "cells", "rows": game.rows, "cols": game.cols, "sides": ["White", "Black"]}

    def cells(game, state):
        return grid.cells_of(state.pawns, game.cols)

    def read(game, diagram):
        cells, mover = grid.drawn(diagram, game.rows, game.cols)
        state = blank(game)
        state.pawns[0], state.pawns[1] = grid.bits(cells, 1), grid.bits(cells, 2)
        state.count[0], state.count[1] = (cells == 1).sum(), (cells == 2).sum()
        state.turn = grid.turn(mover)
        if max(state.count) > 2 * game.cols:
            raise ValueError(f"a player has at most {2 * game.cols} pawns")
        home = [state.count[1] == 0 or state.pawns[0, 0] > 0, state.count[0] == 0 or state.pawns[1, game.rows - 1] > 0]
        if home[state.turn]:
            raise ValueError("who is to move has won already")
        state.winner = 2 - state.turn if home[1 - state.turn] else NOBODY
        return state

    def where(game, state, action):
        down = 1 if action // 3 % 2 else -1
        return [action // 6, grid.beyond(game, action // 6, down, action % 3 - 1)]

    def name(game, action):
        return by_cells(game, action)
