"""Chomp: bite into a bar of chocolate; who has to eat the poisoned square in the lower left corner loses."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name, letters
from ..spec import About
from .grid import symmetries_of


class Chomp(NamedTuple):
    """Eat a square with all above it and to the right; the one in the lower left corner is poisoned."""

    rows: Annotated[int, About("rows of the bar", low=1, high=15)] = 4
    cols: Annotated[int, About("columns of the bar", low=1, high=15)] = 5

    def fields(game):
        return [("width", np.int8, (game.rows,)), ("turn", np.int8)]  # squares of each row that are left, from the top

    def start(game, state):
        for row in range(game.rows):
            state.width[row] = game.cols

    def actions(game):
        return game.rows * game.cols

    def legal(game, state, out):
        count = 0
        for row in range(game.rows):
            for col in range(state.width[row]):
                out[count] = row * game.cols + col
                count += 1
        return count

    def still(game, state, action):
        return action % game.cols < state.width[action // game.cols]

    def play(game, state, action):
        for row in range(action // game.cols + 1):
            state.width[row] = min(state.width[row], action % game.cols)
        state.turn = 1 - state.turn

    def over(game, state):
        return state.width[game.rows - 1] == 0

    def score(game, state):
        return float(1 - 2 * state.turn) if game.over(state) else 0.0  # the other one has eaten it

    def decisive(game):
        return True

    def planes(game):
        return (2, game.rows, game.cols)

    def encode(game, state, planes):
        for row in range(game.rows):
            for col in range(state.width[row]):
                planes[0, row, col] = 1
        planes[1, game.rows - 1, 0] = 1  # poison

    def symmetries(game):
        return symmetries_of(game, ordered=False)

    def board(game):
        columns, rows = [letters(col) for col in range(game.cols)], [str(game.rows - row) for row in range(game.rows)]
        return {"shape": "cells", "rows": game.rows, "cols": game.cols, "columns": columns, "row_labels": rows}

    def cells(game, state):
        return [0 if col < width else 3 for width in state.width.tolist() for col in range(game.cols)]

    def glyphs(game, state):
        poison = (game.rows - 1) * game.cols if state.width[-1] else -1
        return ["\u2620" if cell == poison else "" for cell in range(game.rows * game.cols)]

    def where(game, state, action):
        row, col = divmod(action, game.cols)
        return [r * game.cols + c for r in range(row, -1, -1) for c in range(col, int(state.width[r]))]

    def name(game, action):
        return cell_name(game.rows, game.cols, action)
