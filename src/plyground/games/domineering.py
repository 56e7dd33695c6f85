"""Domineering: one player lays dominoes upright, the other across; who can lay none loses."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from .grid import symmetries_of


class Domineering(NamedTuple):
    """Lay dominoes, the first player upright, the second across; who cannot move loses."""

    rows: Annotated[int, About("rows", low=1, high=15)] = 8
    cols: Annotated[int, About("columns", low=1, high=15)] = 8

    def fields(game):
        return [("cells", np.int8, (game.rows, game.cols)), ("turn", np.int8)]

    def actions(game):
        return 2 * game.rows * game.cols  # by the upper cell of an upright domino, then by the left one of another

    def legal(game, state, out):
        count, turn = 0, int(state.turn)
        for row in range(game.rows - 1 + turn):
            for col in range(game.cols - turn):
                out[count] = (turn * game.rows + row) * game.cols + col
                count += state.cells[row, col] == 0 and state.cells[row + 1 - turn, col + turn] == 0
        return count

    def play(game, state, action):
        row, col = action // game.cols % game.rows, action % game.cols
        state.cells[row, col] = state.turn + 1
        state.cells[row + 1 - state.turn, col + state.turn] = state.turn + 1
        state.turn = 1 - state.turn

    def over(game, state):
        for row in range(game.rows - 1 + state.turn):
            for col in range(game.cols - state.turn):
                if state.cells[row, col] == 0 and state.cells[row + 1 - state.turn, col + state.turn] == 0:
                    return False
        return True

    def score(game, state):
        return float(2 * state.turn - 1) if game.over(state) else 0.0

    def decisive(game):
        return True

    def planes(game):
        return (3, game.rows, game.cols)

    def encode(game, state, planes):
        for row in range(game.rows):
            for col in range(game.cols):
                if state.cells[row, col] != 0:
                    planes[state.cells[row, col] - 1, row, col] = 1
                planes[2, row, col] = state.turn

    def symmetries(game):
        return symmetries_of(game, ordered=False)

    def cells(game, state):
        return state.cells.ravel().tolist()

    def where(game, state, action):
        across, cell = divmod(action, game.rows * game.cols)
        return [cell, cell + (1 if across else game.cols)]

    def name(game, action):
        across, cell = divmod(action, game.rows * game.cols)
        return f"{cell_name(game.rows, game.cols, cell)}{'h' if across else 'v'}"
