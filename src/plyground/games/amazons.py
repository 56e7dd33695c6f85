"""Amazons: move a queen, then shoot an arrow from where she stands, which blocks a cell; who cannot move loses."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from .grid import WAYS, symmetries_of

CHOOSE, MOVE, SHOOT = 0, 1, 2  # the three parts of a turn
ARROW = 3
QUEENS = 4  # of each player


class Amazons(NamedTuple):
    """Choose a queen, move her, and shoot an arrow that blocks a cell; who cannot move loses."""

    size: Annotated[int, About("side of the board: 6, 8 or 10", low=6, high=10)] = 10

    def limits(game):
        if game.size % 2:
            raise ValueError(f"the board is 6, 8 or 10 cells wide, not {game.size}")

    def fields(game):
        where = [("stones", np.int8, (game.size, game.size)), ("queens", np.int8, (2, QUEENS))]
        return [*where, ("part", np.int8), ("queen", np.int8), ("turn", np.int8)]

    def start(game, state):
        last, far = game.size - 1, (game.size - 1) // 3  # from the corners
        for player in range(2):
            home, edge = (last, last - far) if player == 0 else (0, far)
            stand = ((edge, 0), (edge, last), (home, far), (home, last - far))
            for i in range(QUEENS):
                row, col = stand[i]
                state.queens[player, i] = row * game.size + col
                state.stones[row, col] = player + 1

    def actions(game):
        return game.size * game.size

    def free(game, state, row, col):
        return 0 <= row < game.size and 0 <= col < game.size and state.stones[row, col] == 0

    def can_go(game, state, row, col):
        for down, right in WAYS:
            if game.free(state, row + down, col + right):
                return True
        return False

    def legal(game, state, out):
        count = 0
        if state.part == CHOOSE:
            for i in range(QUEENS):
                cell = state.queens[state.turn, i]
                out[count] = cell
                count += game.can_go(state, cell // game.size, cell % game.size)
            return count
        here_row, here_col = state.queen // game.size, state.queen % game.size
        for down, right in WAYS:
            row, col = here_row + down, here_col + right
            while game.free(state, row, col):
                out[count] = row * game.size + col
                count += 1
                row, col = row + down, col + right
        return count

    def play(game, state, action):
        row, col = action // game.size, action % game.size
        if state.part == CHOOSE:
            state.queen = action
            state.part = MOVE
        elif state.part == MOVE:
            state.stones[state.queen // game.size, state.queen % game.size] = 0
            state.stones[row, col] = state.turn + 1
            for i in range(QUEENS):
                if state.queens[state.turn, i] == state.queen:
                    state.queens[state.turn, i] = action
            state.queen = action
            state.part = SHOOT
        else:
            state.stones[row, col] = ARROW
            state.part = CHOOSE
            state.queen = 0
            state.turn = 1 - state.turn

    def over(game, state):
        if state.part != CHOOSE:
            return False
        for i in range(QUEENS):
            cell = state.queens[state.turn, i]
            if game.can_go(state, cell // game.size, cell % game.size):
                return False
        return True

    def score(game, state):
        return float(2 * state.turn - 1) if game.over(state) else 0.0

    def decisive(game):
        return True

    def planes(game):
        return (6, game.size, game.size)

    def encode(game, state, planes):
        for row in range(game.size):
            for col in range(game.size):
                planes[0, row, col] = state.stones[row, col] == state.turn + 1
                planes[1, row, col] = state.stones[row, col] == 2 - state.turn
                planes[2, row, col] = state.stones[row, col] == ARROW
                planes[3, row, col] = state.part == MOVE
                planes[4, row, col] = state.part == SHOOT
        if state.part != CHOOSE:
            planes[5, state.queen // game.size, state.queen % game.size] = 1

    def symmetries(game):
        return symmetries_of(game)

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size, "checkered": True, "sides": ["White", "Black"]}

    def cells(game, state):
        return state.stones.ravel().tolist()

    def glyphs(game, state):
        return [("", "\u2655", "\u265b", "")[stone] for stone in game.cells(state)]

    def caption(game, state):
        queen = cell_name(game.size, game.size, int(state.queen))
        part = ("chooses a queen", f"moves the queen on {queen}", f"shoots from {queen}")[state.part]
        return f"{('White', 'Black')[state.turn]} {part}"

    def where(game, state, action):
        return [action]

    def name(game, action):
        return cell_name(game.size, game.size, action)
