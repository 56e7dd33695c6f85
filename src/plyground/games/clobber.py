"""Clobber: a stone takes a neighbouring one of the other's; who can take none loses."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About

WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left


class Clobber(NamedTuple):
    """Move a stone onto a neighbouring one of the other's, which it takes; who cannot move loses."""

    rows: Annotated[int, About("rows", low=1, high=20)] = 5
    cols: Annotated[int, About("columns", low=1, high=20)] = 6

    def limits(game):
        if game.rows * game.cols < 2:
            raise ValueError("the board has two cells at least")

    def fields(game):
        return [("stones", np.int8, (game.rows, game.cols)), ("turn", np.int8)]

    def start(game, state):
        for row in range(game.rows):
            for col in range(game.cols):
                state.stones[row, col] = 1 + (game.rows - 1 - row + col) % 2  # a1 is the first player's

    def actions(game):
        return 4 * game.rows * game.cols

    def player(game, state):
        return state.turn

    def takes(game, state, row, col, way):
        """Is there a stone of the player to move here, and one of the other's on this side?"""
        down, right = WAYS[way]
        r, c = row + down, col + right
        if not (0 <= r < game.rows and 0 <= c < game.cols):
            return False
        return state.stones[row, col] == state.turn + 1 and state.stones[r, c] == 2 - state.turn

    def legal(game, state, out):
        count = 0
        for row in range(game.rows):
            for col in range(game.cols):
                for way in range(4):
                    if game.takes(state, row, col, way):
                        out[count] = 4 * (row * game.cols + col) + way
                        count += 1
        return count

    def play(game, state, action):
        row, col = action // 4 // game.cols, action // 4 % game.cols
        down, right = WAYS[action % 4]
        state.stones[row, col] = 0
        state.stones[row + down, col + right] = state.turn + 1
        state.turn = 1 - state.turn

    def over(game, state):
        for row in range(game.rows):
            for col in range(game.cols):
                for way in range(4):
                    if game.takes(state, row, col, way):
                        return False
        return True

    def score(game, state):
        return float(2 * state.turn - 1) if game.over(state) else 0.0

    def planes(game):
        return (2, game.rows, game.cols)

    def encode(game, state, planes):
        for row in range(game.rows):
            for col in range(game.cols):
                planes[0, row, col] = state.stones[row, col] == state.turn + 1
                planes[1, row, col] = state.stones[row, col] == 2 - state.turn

    def board(game):
        return {"shape": "cells", "rows": game.rows, "cols": game.cols}

    def cells(game, state):
        return state.stones.ravel().tolist()

    def where(game, state, action):
        cell, way = divmod(action, 4)
        down, right = WAYS[way]
        return [cell, cell + down * game.cols + right]

    def name(game, action):
        cell, way = divmod(action, 4)
        return f"{cell_name(game.rows, game.cols, cell)}{'urdl'[way]}"
