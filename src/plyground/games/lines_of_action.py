"""Lines of Action: a piece moves along a line as many squares as pieces of both stand on it; join all of yours to win.

It may pass over its own side's pieces, not over the other's, and takes one of those where it comes to.  Who has all
pieces in one group wins, the mover if both have; who cannot move has lost.  A board that comes again is a draw, whoever
moved then, and so are 1,000 moves.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import by_cells
from ..spec import About
from .grid import DRAW, WAYS, group, symmetries_of, was_there

LONGEST = 1000
KIND = (3, 1, 2, 0, 0, 2, 1, 3)  # of the line that each of WAYS goes along
KEYS = np.random.default_rng(1).integers(-(2**63), 2**63, (3, 81), np.int64)  # by piece and square


class LinesOfAction(NamedTuple):
    """Move as many squares as there are pieces on the line; who has all pieces in one group wins."""

    size: Annotated[int, About("side of the board", low=5, high=9)] = 8

    def fields(game):
        history = [("past", np.int64, (LONGEST,)), ("key", np.int64), ("moves", np.int16), ("taken", np.int16)]
        lines = [("lines", np.int8, (4, 2 * game.size)), ("count", np.int8, (2,))]
        return [*history, *lines, ("pieces", np.int8, (game.size**2,)), ("turn", np.int8), ("winner", np.int8)]

    def start(game, state):
        last = game.size - 1
        for i in range(1, last):
            game.put(state, i, 1)
            game.put(state, last * game.size + i, 1)
            game.put(state, i * game.size, 2)
            game.put(state, i * game.size + last, 2)
        state.key = 0

    def actions(game):
        return game.size**4  # from a square to another

    def lines_of(game, row, col):
        """The row, the column, the rising and the falling diagonal that a square lies on."""
        return row, col, row + col, row - col + game.size

    def put(game, state, cell, piece):
        """Put a piece, 1 or 2, on an empty square, or take away what lies there, 0."""
        by, who = (1, piece) if piece > 0 else (-1, int(state.pieces[cell]))
        lines = game.lines_of(cell // game.size, cell % game.size)
        for kind in range(4):
            state.lines[kind, lines[kind]] += by
        state.count[who - 1] += by
        state.key ^= KEYS[who, cell]
        state.pieces[cell] = piece

    def target(game, state, row, col, way):
        """Where the piece on a square comes to this way; -1 if it cannot go."""
        (down, right), size = WAYS[way], game.size
        far = int(state.lines[KIND[way], game.lines_of(row, col)[KIND[way]]])
        if not (0 <= row + far * down < size and 0 <= col + far * right < size):
            return -1
        cell, step = row * size + col, down * size + right
        mine = state.pieces[cell]
        for i in range(1, far):
            if state.pieces[cell + i * step] == 3 - mine:
                return -1
        to = cell + far * step
        return to if state.pieces[to] != mine else -1

    def legal(game, state, out):
        count, cell, squares = 0, 0, game.size * game.size
        for row in range(game.size):
            for col in range(game.size):
                if state.pieces[cell] == state.turn + 1:
                    for way in range(8):
                        to = game.target(state, row, col, way)
                        out[count] = cell * squares + to
                        count += int(to >= 0)
                cell += 1
        return count

    def play(game, state, action):
        cell, to, me = action // game.size**2, action % game.size**2, int(state.turn)
        state.past[state.moves] = state.key
        state.moves += 1
        takes = state.pieces[to] != 0
        if takes:
            game.put(state, to, 0)
            state.taken = state.moves  # no board from before comes again
        game.put(state, cell, 0)
        game.put(state, to, me + 1)
        state.turn = 1 - me
        if state.moves == LONGEST or was_there(state.past, state.taken, state.moves, state.key):
            state.winner = DRAW
        elif game.joined(state, me + 1):
            state.winner = me + 1
        elif takes and game.joined(state, 2 - me):
            state.winner = 2 - me
        elif not game.can_move(state):
            state.winner = me + 1

    def joined(game, state, piece):
        """Do all pieces of this kind hang together?"""
        cell = 0
        while state.pieces[cell] != piece:
            cell += 1
        return group(state.pieces, game.size, cell) == state.count[piece - 1]

    def can_move(game, state):
        for cell in range(game.size * game.size):
            if state.pieces[cell] == state.turn + 1:
                for way in range(8):
                    if game.target(state, cell // game.size, cell % game.size, way) >= 0:
                        return True
        return False

    def planes(game):
        return (4, game.size, game.size)

    def encode(game, state, planes):
        """Pieces of who moves, and of the other; who moves; how much of the longest game has been played."""
        for cell in range(game.size * game.size):
            row, col = cell // game.size, cell % game.size
            planes[0, row, col] = state.pieces[cell] == state.turn + 1
            planes[1, row, col] = state.pieces[cell] == 2 - state.turn
            planes[2, row, col] = state.turn
            planes[3, row, col] = state.moves / LONGEST

    def symmetries(game):
        return symmetries_of(game)

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size, "checkered": True, "sides": ["Black", "White"]}

    def cells(game, state):
        return state.pieces.tolist()

    def glyphs(game, state):
        return [("", "\u25cf", "\u25cb")[piece] for piece in state.pieces.tolist()]

    def where(game, state, action):
        return [*divmod(action, game.size**2)]

    def name(game, action):
        return by_cells(game, action)
