"""Fox and hounds: four hounds go forward on the dark squares of a chessboard, and one fox goes wherever it likes."""

from typing import NamedTuple

import numpy as np

HOUND, FOX = 1, 2


class FoxAndHounds(NamedTuple):
    """The hounds, who begin, enclose the fox; it wants to come to the row from which they started."""

    size: int = 8

    def limits(game):
        if game.size % 2:
            raise ValueError(f"the board has an even side, not {game.size}")

    def fields(game):
        return [("cells", np.int8, (game.size, game.size)), ("turn", np.int8)]

    def start(game, state):
        for col in range(0, game.size, 2):
            state.cells[game.size - 1, col] = HOUND
        state.cells[0, game.size // 2 - (game.size // 2 + 1) % 2] = FOX

    def actions(game):
        return 4 * game.size * game.size  # from a cell: up to the left, up to the right, down to the left and right

    def player(game, state):
        return state.turn

    def target(game, action):
        """The row and the column that an action leads to."""
        cell, way = action // 4, action % 4
        return cell // game.size + (1 if way > 1 else -1), cell % game.size + (1 if way % 2 else -1)

    def legal(game, state, out):
        count = 0
        for cell in range(game.size * game.size):
            if state.cells[cell // game.size, cell % game.size] == state.turn + 1:
                for way in range(2 if state.turn == 0 else 4):
                    row, col = game.target(4 * cell + way)
                    if 0 <= row < game.size and 0 <= col < game.size and state.cells[row, col] == 0:
                        out[count] = 4 * cell + way
                        count += 1
        return count

    def play(game, state, action):
        row, col = game.target(action)
        state.cells[action // 4 // game.size, action // 4 % game.size] = 0
        state.cells[row, col] = state.turn + 1
        state.turn = 1 - state.turn

    def escaped(game, state):
        for col in range(game.size):
            if state.cells[game.size - 1, col] == FOX:
                return True
        return False

    def over(game, state):
        return game.escaped(state) or game.legal(state, np.empty(16, np.int32)) == 0

    def score(game, state):
        return 1.0 if state.turn == 1 and not game.escaped(state) else -1.0

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size, "checkered": True, "sides": ["Hounds", "Fox"]}

    def cells(game, state):
        return state.cells.ravel().tolist()

    def where(game, state, action):
        row, col = game.target(action)
        return [action // 4, row * game.size + col]

    def name(game, action):
        cells = (divmod(action // 4, game.size), game.target(action))
        names = [f"{chr(97 + col)}{game.size - row}" for row, col in cells if min(row, col) >= 0]
        return "-".join(names) if max(cells[1]) < game.size and len(names) == 2 else f"x{action}"
