"""Hex: two players take turns to fill a cell; the first joins the top to the bottom, the second the left to the right.

The state remembers which stones hang on their player's first edge.  So a move need not search the board: it looks at
its neighbours, and only what newly hangs on the edge is walked through, once in a game.
"""

from typing import NamedTuple

import numpy as np

AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))  # rows lie half a cell further to the right each


class Hex(NamedTuple):
    """Join your two edges of the board: top and bottom for the first player, left and right for the second."""

    size: int = 7

    def fields(game):
        cells = game.size * game.size
        return [("cells", np.int8, (cells,)), ("hangs", np.int8, (cells,)), ("turn", np.int8), ("winner", np.int8)]

    def actions(game):
        return game.size * game.size

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        for cell in range(game.size * game.size):
            out[count] = cell
            count += state.cells[cell] == 0
        return count

    def still(game, state, action):
        return state.cells[action] == 0

    def play(game, state, action):
        state.cells[action] = state.turn + 1
        if game.on_edge(state, action):
            game.hang(state, action)
        state.turn = 1 - state.turn

    def on_edge(game, state, cell):
        """Does a stone of the player to move hang on its first edge here, by itself or by a neighbour?"""
        row, col = cell // game.size, cell % game.size
        if (row if state.turn == 0 else col) == 0:
            return True
        for down, right in AROUND:
            r, c = row + down, col + right
            if 0 <= r < game.size and 0 <= c < game.size:
                other = r * game.size + c
                if state.hangs[other] == 1 and state.cells[other] == state.turn + 1:
                    return True
        return False

    def hang(game, state, cell):
        """Mark this stone and all that are joined to it; who reaches the other edge has won."""
        waiting = np.empty(game.size * game.size, np.int16)
        waiting[0], count = cell, 1
        state.hangs[cell] = 1
        while count > 0:
            count -= 1
            row, col = waiting[count] // game.size, waiting[count] % game.size
            if (row if state.turn == 0 else col) == game.size - 1:
                state.winner = state.turn + 1
            for down, right in AROUND:
                r, c = row + down, col + right
                if 0 <= r < game.size and 0 <= c < game.size:
                    other = r * game.size + c
                    if state.hangs[other] == 0 and state.cells[other] == state.turn + 1:
                        state.hangs[other] = 1
                        waiting[count] = other
                        count += 1

    def over(game, state):
        return state.winner != 0

    def score(game, state):
        return 1.0 if state.winner == 1 else -1.0

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size}

    def cells(game, state):
        return state.cells.tolist()

    def where(game, state, action):
        return [action]
