"""A toy game in a well: two players drop dominoes, upright or lying; who has no room left loses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


def height(game, state, col):
    """The free cells above the pile in a column."""
    for row in range(game.rows):
        if state.cells[row * game.cols + col]:
            return row
    return game.rows


class Dominoes(NamedTuple):
    rows: int = 8
    cols: int = 5

    def fields(game):
        return [("cells", np.int8, (game.rows * game.cols,)), ("moves", np.int16)]

    def actions(game):
        return 2 * game.cols - 1  # upright in each column, then lying on two

    def player(game, state):
        return state.moves & 1

    def legal(game, state, out):
        count = 0
        for action in range(2 * game.cols - 1):
            col = action % game.cols
            room = height(game, state, col) - 1
            if action >= game.cols:
                room = min(room, height(game, state, col + 1) - 1) + 1
            if room >= 1:
                out[count] = action
                count += 1
        return count

    def play(game, state, action):
        col = action % game.cols
        row = height(game, state, col) - 1
        state.moves += 1
        colour = 1 + (state.moves - 1) % 9
        if action < game.cols:
            state.cells[row * game.cols + col] = colour
            state.cells[(row - 1) * game.cols + col] = colour
        else:
            row = min(row, height(game, state, col + 1) - 1)
            state.cells[row * game.cols + col] = colour
            state.cells[row * game.cols + col + 1] = colour

    def over(game, state):
        for col in range(game.cols):
            if height(game, state, col) >= 2:
                return False
            if col and height(game, state, col) >= 1 and height(game, state, col - 1) >= 1:
                return False
        return True

    def score(game, state):
        return 1.0 if state.moves & 1 else -1.0

    def board(game):
        return {"shape": "well", "rows": game.rows, "cols": game.cols}

    def cells(game, state):
        return state.cells.tolist()

    def where(game, state, action):
        col = action % game.cols
        row = height(game, state, col) - 1
        if action < game.cols:
            return [row * game.cols + col, (row - 1) * game.cols + col]
        row = min(row, height(game, state, col + 1) - 1)
        return [row * game.cols + col, row * game.cols + col + 1]

    def name(game, action):
        return f"{'u' if action < game.cols else 'l'}{action % game.cols + 1}"
