"""Y (Claude Shannon, about 1953): fill a cell of a triangle in turn; who joins all three of its sides has won.

The state remembers groups of stones that are joined, and the sides that each touches (union-find).  So a move need not
search the board: it looks at its neighbours only.  The fields `turn` and `winner` tell who moves, and who has won.
"""

from typing import NamedTuple

import numpy as np

AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class Y(NamedTuple):
    """Join the three sides of the triangle; corners belong to two of them."""

    size: int = 7

    def fields(game):
        cells = game.size * game.size  # those whose row and column add up to less than the size are on the board
        groups = [("leader", np.int16, (cells,)), ("sides", np.int8, (cells,))]  # of a leader's group, as bits
        return [("cells", np.int8, (cells,)), *groups, ("turn", np.int8), ("winner", np.int8)]

    def actions(game):
        return game.size * game.size

    def legal(game, state, out):
        count = 0
        for cell in range(game.size * game.size):
            out[count] = cell
            count += game.still(state, cell)
        return count

    def still(game, state, action):
        return state.cells[action] == 0 and action // game.size + action % game.size < game.size

    def play(game, state, action):
        row, col = action // game.size, action % game.size
        state.cells[action] = state.turn + 1
        state.leader[action] = action
        state.sides[action] = (row == 0) + 2 * int(col == 0) + 4 * int(row + col == game.size - 1)
        for down, right in AROUND:
            r, c = row + down, col + right
            if r >= 0 and c >= 0 and r + c < game.size and state.cells[r * game.size + c] == state.turn + 1:
                game.join(state, action, r * game.size + c)
        if state.sides[game.leader(state, action)] == 7:
            state.winner = state.turn + 1
        state.turn = 1 - state.turn

    def leader(game, state, cell):
        """The cell that stands for the group of this one."""
        while state.leader[cell] != cell:
            state.leader[cell] = state.leader[state.leader[cell]]  # the way is half as long next time
            cell = state.leader[cell]
        return cell

    def join(game, state, one, other):
        one, other = game.leader(state, one), game.leader(state, other)
        state.leader[one] = other
        state.sides[other] |= state.sides[one]

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size}

    def cells(game, state):
        there = [row + col < game.size for row in range(game.size) for col in range(game.size)]
        return [stone if on else -1 for stone, on in zip(state.cells.tolist(), there, strict=True)]

    def where(game, state, action):
        return [action]
