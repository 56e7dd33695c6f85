"""Breakthrough (Dan Troyka, 2000): pawns step forward, straight or askew, and capture askew."""

from typing import NamedTuple

import numpy as np


class Breakthrough(NamedTuple):
    """Reach the far row, or take all of the other's pawns."""

    size: int = 8

    def fields(game):
        return [("cells", np.int8, (game.size, game.size)), ("turn", np.int8), ("winner", np.int8)]

    def start(game, state):
        for col in range(game.size):
            for row in range(2):
                state.cells[game.size - 1 - row, col] = 1
                state.cells[row, col] = 2

    def actions(game):
        return game.size * game.size * 3  # from a cell to the left, straight on or to the right

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        step = -1 if state.turn == 0 else 1
        for row in range(game.size):
            for col in range(game.size):
                if state.cells[row, col] == state.turn + 1:
                    for side in (-1, 0, 1):
                        r, c = row + step, col + side
                        if 0 <= r < game.size and 0 <= c < game.size:
                            target = state.cells[r, c]
                            if target == 0 or (side != 0 and target == 2 - state.turn):
                                out[count] = (row * game.size + col) * 3 + side + 1
                                count += 1
        return count

    def play(game, state, action):
        cell, side = action // 3, action % 3 - 1
        row, col = cell // game.size, cell % game.size
        r, c = row + (-1 if state.turn == 0 else 1), col + side
        state.cells[row, col] = 0
        state.cells[r, c] = state.turn + 1
        if r == (0 if state.turn == 0 else game.size - 1) or not (state.cells == 2 - state.turn).any():
            state.winner = state.turn + 1
        state.turn = 1 - state.turn

    def over(game, state):
        return state.winner != 0

    def score(game, state):
        return 1.0 if state.winner == 1 else -1.0

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size}

    def cells(game, state):
        return state.cells.ravel().tolist()

    def where(game, state, action):
        cell = action // 3
        return [cell, cell + (-game.size if state.turn == 0 else game.size) + action % 3 - 1]

    def name(game, action):
        row, col = divmod(action // 3, game.size)
        return f"{chr(97 + col)}{game.size - row}{'lfr'[action % 3]}"  # b2l: from b2 to the left, forward or right
