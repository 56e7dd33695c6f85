"""Othello, or Reversi: put a disc so that it encloses a line of the other's discs, which are turned over.

Every row of discs is the bits of one number, column by column, so that all cells of a row are looked at at once.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..bits import ones
from ..boards import by_cells
from ..rules import blank
from ..spec import About
from . import grid


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

    def find_moves(game, state, player):
        """Set `moves` to where the player may put a disc; return whether there is such a cell."""
        full, any_move = (1 << game.size) - 1, 0
        for row in range(game.size):  # along the rows
            own, other = int(state.discs[player, row]), int(state.discs[1 - player, row])
            ends = (other + (own << 1 & other)) & ~other  # a carry runs along the other's discs, after one's own
            chain, run = own >> 1 & other, other
            for far in (1, 2, 4, 8):  # twice as long each time, through the other's discs
                chain |= chain >> far & run
                run &= run >> far
            state.moves[row] = (ends | chain >> 1) & full & ~(own | other)
        for down in (-1, 1):  # from row to row, straight and askew
            left = straight = right = mine = 0  # discs of the other's after one's own, and one's own, in the row before
            for i in range(game.size):
                row = i if down > 0 else game.size - 1 - i
                own, other = int(state.discs[player, row]), int(state.discs[1 - player, row])
                state.moves[row] |= (left >> 1 | straight | right << 1) & full & ~(own | other)
                any_move |= state.moves[row]
                left, right = (left | mine) >> 1 & other, (right | mine) << 1 & other
                straight, mine = (straight | mine) & other, own
        return any_move != 0

    def legal(game, state, out):
        count = 0
        for row in range(game.size):
            moves = int(state.moves[row])
            for col in range(game.size):
                out[count] = row * game.size + col  # written over unless it is a move: no branch to guess wrongly
                count += moves >> col & 1
        out[count] = game.size * game.size  # to pass, if there is nothing else
        return max(count, 1)

    def play(game, state, action):
        if action < game.size * game.size:
            game.put(state, action // game.size, action % game.size)
        state.turn = 1 - state.turn
        game.look(state)

    def look(game, state):
        """What the player to move may do; where nobody can put a disc the game has ended."""
        if not game.find_moves(state, state.turn):
            state.ended = not game.find_moves(state, 1 - state.turn)
            state.moves[:] = 0

    def put(game, state, row, col):
        """Put a disc of the player to move, and turn over what it encloses."""
        me, other, disc = state.turn, 1 - state.turn, 1 << col
        own, theirs = int(state.discs[me, row]), int(state.discs[other, row])
        right = theirs & ~(theirs + (disc << 1 & theirs))  # a carry runs along the other's discs
        left = disc >> 1 & theirs
        for _ in range(game.size - 3):
            left |= left >> 1 & theirs
        turned = (right if right << 1 & own else 0) | (left if left >> 1 & own else 0)
        state.discs[me, row], state.discs[other, row] = own | disc | turned, theirs & ~turned
        count = ones(turned)
        for down in (-1, 1):  # from row to row, straight and askew
            for way in range(3):  # to the left, straight on, to the right
                at, here = row + down, disc << way >> 1
                while 0 <= at < game.size and state.discs[other, at] & here:
                    at, here = at + down, here << way >> 1
                if 0 <= at < game.size and state.discs[me, at] & here:
                    while at != row + down:  # back again
                        at, here = at - down, here << 2 - way >> 1
                        state.discs[me, at] ^= here
                        state.discs[other, at] ^= here
                        count += 1
        state.count[me] += 1 + count
        state.count[other] -= count

    def over(game, state):
        return state.ended

    def score(game, state):
        return float(np.sign(state.count[0] - state.count[1])) if state.ended else 0.0

    def planes(game):
        return (3, game.size, game.size)

    def encode(game, state, planes):
        """The discs of who moves, those of the other, and where a disc may be put."""
        for row in range(game.size):
            mine, theirs, moves = state.discs[state.turn, row], state.discs[1 - state.turn, row], state.moves[row]
            for col in range(game.size):
                planes[0, row, col], planes[1, row, col] = mine >> col & 1, theirs >> col & 1
                planes[2, row, col] = moves >> col & 1

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
        return by_cells(game, action)
