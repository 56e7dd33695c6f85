"""Othello, or Reversi: put a disc so that it encloses a line of the other's discs, which are turned over.

Every row of discs is the bits of one number, column by column, so that all cells of a row are looked at at once.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import letters
from ..rules import blank
from ..spec import About
from . import grid
from .grid import WAYS


def shifted(bits, right):
    """The bits of a row, one column to the right, one to the left, or where they are."""
    return bits << 1 if right > 0 else bits >> 1 if right < 0 else bits


class Othello(NamedTuple):
    """Enclose the other's discs between two of yours, and they become yours; more discs win."""

    size: Annotated[int, About("side of the board, an even number", low=4, high=16)] = 8

    def limits(game):
        if game.size % 2:
            raise ValueError(f"the side of the board is an even number, not {game.size}")

    def fields(game):
        rows = [("discs", np.int32, (2, game.size)), ("moves", np.int32, (game.size,))]  # of who is to move
        return [*rows, ("count", np.int16, (2,)), ("turn", np.int8), ("ended", np.bool_)]

    def start(game, state):
        middle = game.size // 2
        state.discs[0, middle - 1] = state.discs[1, middle] = 1 << middle
        state.discs[1, middle - 1] = state.discs[0, middle] = 1 << middle - 1
        state.count[0] = state.count[1] = 2
        game.find_moves(state, 0)

    def actions(game):
        return game.size * game.size + 1  # cells, and to pass

    def player(game, state):
        return state.turn

    def find_moves(game, state, player):
        """Set `moves` to where the player may put a disc; return whether there is such a cell."""
        for row in range(game.size):
            state.moves[row] = 0
        full, any_move = (1 << game.size) - 1, 0
        for right in (-1, 1):  # along the rows
            for row in range(game.size):
                other = int(state.discs[1 - player, row])
                chain = shifted(int(state.discs[player, row]), right) & other  # discs of the other's, after one's own
                for _ in range(game.size - 3):
                    chain |= shifted(chain, right) & other
                state.moves[row] |= shifted(chain, right) & full & ~(int(state.discs[player, row]) | other)
        for down in (-1, 1):  # from row to row, straight and askew
            for right in (-1, 0, 1):
                chain = mine = 0  # in the row before
                for i in range(game.size):
                    row = i if down > 0 else game.size - 1 - i
                    own, other = int(state.discs[player, row]), int(state.discs[1 - player, row])
                    state.moves[row] |= shifted(chain, right) & full & ~(own | other)
                    chain, mine = shifted(chain | mine, right) & other, own
        for row in range(game.size):
            any_move |= state.moves[row]
        return any_move != 0

    def legal(game, state, out):
        count = 0
        for row in range(game.size):
            moves = int(state.moves[row])
            col = 0
            while moves != 0:
                out[count] = row * game.size + col
                count += moves & 1
                moves >>= 1
                col += 1
        if count == 0:
            out[0] = game.size * game.size
            count = 1
        return count

    def play(game, state, action):
        if action < game.size * game.size:
            game.put(state, action // game.size, action % game.size)
        state.turn = 1 - state.turn
        game.look(state)

    def look(game, state):
        """What the player to move may do; where nobody can put a disc the game has ended."""
        if not game.find_moves(state, state.turn):
            state.ended = not game.find_moves(state, 1 - state.turn)
            for row in range(game.size):
                state.moves[row] = 0

    def put(game, state, row, col):
        """Put a disc of the player to move, and turn over what it encloses."""
        me, other = state.turn, 1 - state.turn
        state.discs[me, row] |= 1 << col
        state.count[me] += 1
        for down, right in WAYS:
            r, c, length = row + down, col + right, 0
            while 0 <= r < game.size and 0 <= c < game.size and state.discs[other, r] >> c & 1:
                r, c, length = r + down, c + right, length + 1
            if length > 0 and 0 <= r < game.size and 0 <= c < game.size and state.discs[me, r] >> c & 1:
                for i in range(1, length + 1):
                    state.discs[me, row + i * down] ^= 1 << col + i * right
                    state.discs[other, row + i * down] ^= 1 << col + i * right
                state.count[me] += length
                state.count[other] -= length

    def over(game, state):
        return state.ended

    def score(game, state):
        return float(np.sign(state.count[0] - state.count[1])) if state.ended else 0.0

    def planes(game):
        return (3, game.size, game.size)

    def encode(game, state, planes):
        """The discs of who moves, those of the other, and where a disc may be put."""
        for row in range(game.size):
            for col in range(game.size):
                planes[0, row, col] = state.discs[state.turn, row] >> col & 1
                planes[1, row, col] = state.discs[1 - state.turn, row] >> col & 1
                planes[2, row, col] = state.moves[row] >> col & 1

    def symmetries(game):
        return grid.symmetries_of(game)

    def board(game):
        rows = [str(row + 1) for row in range(game.size)]  # from the top, as Othello is written down
        return {"shape": "cells", "rows": game.size, "cols": game.size, "row_labels": rows, "sides": ["Black", "White"]}

    def cells(game, state):
        return grid.cells_of(state.discs, game.size)

    def read(game, diagram):
        cells, mover = grid.drawn(diagram, game.size, game.size)
        state = blank(game)
        state.discs[0], state.discs[1] = grid.bits(cells, 1), grid.bits(cells, 2)
        state.count[0], state.count[1] = (cells == 1).sum(), (cells == 2).sum()
        state.turn = grid.turn(mover)
        game.look(state)
        return state

    def where(game, state, action):
        return [action] if action < game.size * game.size else []

    def name(game, action):
        row, col = divmod(action, game.size)
        return f"{letters(col)}{row + 1}" if row < game.size else "pass"
