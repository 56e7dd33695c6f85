"""English draughts (checkers): men go and jump forward, kings both ways; who can jump has to, on and on.

A move of several jumps is played jump by jump: the same player goes on with the same piece.  A man that comes to the
last row becomes a king, and that ends the move.  Who cannot move has lost; 40 plies without a jump are a draw.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..rules import blank
from ..spec import About
from .grid import in_rows, lettered

MAN, KING = 1, 2  # of the first player; those of the second are negative
LETTERS = ".bBWw"  # as index of a piece, from behind for the second player
GLYPHS = "\u26c2\u26c3", "\u26c0\u26c1"
WAYS = ((-1, -1), (-1, 1), (1, -1), (1, 1))  # the first player goes up
QUIET = 40  # plies without a jump, after which the game is drawn
NOBODY = -1


class Draughts(NamedTuple):
    """Take or block all of the other's pieces; who can take has to."""

    size: Annotated[int, About("side of the board: 6 or 8", low=6, high=8)] = 8

    def limits(game):
        if game.size % 2:
            raise ValueError(f"the board is 6 or 8 squares wide, not {game.size}")

    def fields(game):
        small = [("turn", np.int8), ("quiet", np.int8), ("jumper", np.int8)]
        return [("pieces", np.int8, (game.size * game.size,)), *small]

    def start(game, state):
        full = game.size // 2 - 1  # rows of men
        for cell in range(game.size * game.size):
            row = cell // game.size
            if (row + cell % game.size) % 2 == 1 and (row < full or row >= game.size - full):
                state.pieces[cell] = -MAN if row < full else MAN
        state.jumper = NOBODY

    def actions(game):
        return game.size * game.size * 8  # from a square, four ways to go, four to jump

    def player(game, state):
        return state.turn

    def can(game, state, row, col, way, far):
        """Can this piece of the player to move go so far, 1, or jump, 2?"""
        side, (down, right), size = 1 - 2 * int(state.turn), WAYS[way], game.size
        to_row, to_col = row + far * down, col + far * right
        if not (0 <= to_row < size and 0 <= to_col < size) or state.pieces[to_row * size + to_col] != 0:
            return False
        if down == side and state.pieces[row * size + col] * side == MAN:
            return False
        return far == 1 or state.pieces[(row + down) * size + col + right] * side < 0

    def list_moves(game, state, far, out):
        """Write the moves, 1, or jumps, 2; return how many."""
        side, count = 1 - 2 * int(state.turn), 0
        for row in range(game.size):
            for col in range(1 - row % 2, game.size, 2):  # the dark squares
                cell = row * game.size + col
                if state.pieces[cell] * side > 0 and (state.jumper == NOBODY or state.jumper == cell):
                    for way in range(4):
                        out[count] = 8 * cell + 4 * (far - 1) + way
                        count += int(game.can(state, row, col, way, far))
        return count

    def legal(game, state, out):
        count = game.list_moves(state, 2, out)
        return count if count > 0 else game.list_moves(state, 1, out)

    def play(game, state, action):
        cell, way, far = action // 8, action % 4, 1 + action % 8 // 4
        step = WAYS[way][0] * game.size + WAYS[way][1]
        to, piece = cell + far * step, state.pieces[cell]
        row, col = to // game.size, to % game.size
        crowned = abs(piece) == MAN and row == (0 if piece > 0 else game.size - 1)
        state.pieces[cell] = 0
        state.pieces[to] = 2 * piece if crowned else piece
        state.jumper = NOBODY
        state.quiet += 1
        if far == 2:
            state.pieces[cell + step] = 0
            state.quiet = 0
            if not crowned and game.can_jump(state, row, col):
                state.jumper = to
        if state.jumper == NOBODY:
            state.turn = 1 - state.turn

    def can_jump(game, state, row, col):
        for way in range(4):
            if game.can(state, row, col, way, 2):
                return True
        return False

    def can_move(game, state):
        side = 1 - 2 * int(state.turn)
        for row in range(game.size):
            for col in range(1 - row % 2, game.size, 2):
                if state.pieces[row * game.size + col] * side > 0:
                    for way in range(4):
                        if game.can(state, row, col, way, 1) or game.can(state, row, col, way, 2):
                            return True
        return False

    def over(game, state):
        return state.quiet >= QUIET or not game.can_move(state)

    def score(game, state):
        return 0.0 if game.can_move(state) else 2.0 * state.turn - 1.0

    def planes(game):
        return (7, game.size, game.size)

    def encode(game, state, planes):
        """Men and kings of who moves, then of the other; the piece that has to go on; quiet plies; who moves."""
        side = 1 - 2 * int(state.turn)
        for cell in range(game.size * game.size):
            row, col, piece = cell // game.size, cell % game.size, int(state.pieces[cell]) * side
            if piece != 0:
                planes[piece - 1 if piece > 0 else 1 - piece, row, col] = 1
            planes[4, row, col] = cell == state.jumper
            planes[5, row, col] = state.quiet / QUIET
            planes[6, row, col] = state.turn

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size, "checkered": True, "sides": ["Black", "White"]}

    def cells(game, state):
        return [0 if piece == 0 else 1 if piece > 0 else 2 for piece in state.pieces.tolist()]

    def glyphs(game, state):
        return [GLYPHS[piece < 0][abs(piece) - 1] if piece else "" for piece in state.pieces.tolist()]

    def ends(game, action):
        """The squares from which and to which an action goes; None if that is off the board."""
        cell, way, far = action // 8, action % 4, 1 + action % 8 // 4
        row, col = cell // game.size + far * WAYS[way][0], cell % game.size + far * WAYS[way][1]
        return (cell, row * game.size + col) if 0 <= row < game.size and 0 <= col < game.size else None

    def where(game, state, action):
        return [*game.ends(action)]

    def name(game, action):
        ends = game.ends(action)
        if ends is None:
            return f"x{action}"
        return ("x" if action % 8 >= 4 else "-").join(cell_name(game.size, game.size, cell) for cell in ends)

    def diagram(game, state):
        rows = in_rows([LETTERS[piece] for piece in state.pieces.tolist()], game.size)
        jumper = "" if state.jumper == NOBODY else f" {cell_name(game.size, game.size, int(state.jumper))}"
        return f"{rows} {'bw'[state.turn]} {state.quiet}{jumper}"

    def read(game, diagram):
        pieces, told = lettered(diagram, game.size, game.size, LETTERS)
        mover, quiet, jumper = (*told.split(), *("b", "0", "")[len(told.split()) :])[:3]
        state = blank(game)
        state.pieces[:] = np.where(pieces > KING, pieces - len(LETTERS), pieces).ravel()
        if (pieces[::2, ::2] != 0).any() or (pieces[1::2, 1::2] != 0).any():
            raise ValueError("pieces stand on the dark squares")
        if mover not in ("b", "w") or not (quiet.isascii() and quiet.isdigit() and int(quiet) <= QUIET):
            raise ValueError(f"b or w moves, and then come the plies without a jump, 0 to {QUIET}")
        names = {"": NOBODY} | {cell_name(game.size, game.size, cell): cell for cell in range(game.size**2)}
        state.turn, state.quiet, state.jumper = mover == "w", int(quiet), names.get(jumper, NOBODY)
        cell, side = state.jumper, 1 - 2 * int(state.turn)
        if jumper and (
            cell == NOBODY or state.pieces[cell] * side <= 0 or not game.can_jump(state, *divmod(cell, game.size))
        ):
            raise ValueError(f"no piece on {jumper} can go on")
        return state
