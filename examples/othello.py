"""Othello: place a disc so that it encloses a row of the other's discs, which are flipped."""

from typing import NamedTuple

import numpy as np

SIZE = 8
PASS = SIZE * SIZE
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


class Othello(NamedTuple):
    """Have more discs at the end; who can flip nothing passes."""

    def fields(game):
        return [("cells", np.int8, (SIZE, SIZE)), ("turn", np.int8)]

    def start(game, state):
        state.cells[3, 3] = state.cells[4, 4] = 2
        state.cells[3, 4] = state.cells[4, 3] = 1

    def actions(game):
        return SIZE * SIZE + 1

    def player(game, state):
        return state.turn

    def flips(game, state, row, col, down, right, player):
        """How many discs a disc of the player on this cell flips in one direction."""
        count = 0
        r, c = row + down, col + right
        while 0 <= r < SIZE and 0 <= c < SIZE and state.cells[r, c] == 2 - player:
            count += 1
            r += down
            c += right
        if 0 <= r < SIZE and 0 <= c < SIZE and state.cells[r, c] == player + 1:
            return count
        return 0

    def can_play(game, state, cell, player):
        row, col = cell // SIZE, cell % SIZE
        if state.cells[row, col] != 0:
            return False
        for down, right in DIRECTIONS:
            if game.flips(state, row, col, down, right, player) > 0:
                return True
        return False

    def can_move(game, state, player):
        for cell in range(SIZE * SIZE):
            if game.can_play(state, cell, player):
                return True
        return False

    def legal(game, state, out):
        count = 0
        for cell in range(SIZE * SIZE):
            if game.can_play(state, cell, state.turn):
                out[count] = cell
                count += 1
        if count == 0:
            out[0] = PASS
            count = 1
        return count

    def play(game, state, action):
        if action != PASS:
            row, col = action // SIZE, action % SIZE
            for down, right in DIRECTIONS:
                count = game.flips(state, row, col, down, right, state.turn)
                for i in range(1, count + 1):
                    state.cells[row + i * down, col + i * right] = state.turn + 1
            state.cells[row, col] = state.turn + 1
        state.turn = 1 - state.turn

    def over(game, state):
        return not game.can_move(state, 0) and not game.can_move(state, 1)

    def score(game, state):
        mine = (state.cells == 1).sum()
        other = (state.cells == 2).sum()
        return 1.0 if mine > other else -1.0 if mine < other else 0.0
