"""English draughts (checkers): men go and jump forward, kings both ways; who can jump has to, on and on.

A move of several jumps is played jump by jump: the same player goes on with the same piece.  A man that comes to the
last row becomes a king, and that ends the move.  Who cannot move has lost; 40 plies without a jump are a draw.

Pieces are the bits of numbers, row by row.  A way that would leave the board by a side comes back by the other on a
light square, and no piece is ever there.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..bits import ones, shifted
from ..boards import by_cells, cell_name
from ..rules import blank
from ..spec import About
from .grid import beyond, in_rows, lettered

LETTERS = ".bwBW"  # nothing, men and kings, as the index of a piece
WAYS = ((-1, -1), (-1, 1), (1, -1), (1, 1))  # the first player goes up
DARK = 0x56A56A56A, 0x55AA55AA55AA55AA  # squares of 6 x 6 and of 8 x 8
QUIET = 40  # plies without a jump, after which the game is drawn


class Draughts(NamedTuple):
    """Take or block all of the other's pieces; who can take has to."""

    size: Annotated[int, About("side of the board: 6 or 8", low=6, high=8)] = 8

    def limits(game):
        if game.size % 2:
            raise ValueError(f"the board is 6 or 8 squares wide, not {game.size}")

    def fields(game):
        pieces = [("pieces", np.int64, (2,)), ("kings", np.int64), ("jumper", np.int64)]
        return [*pieces, ("turn", np.int8), ("quiet", np.int8)]

    def start(game, state):
        dark, men = DARK[game.size // 8], game.size * (game.size // 2 - 1)  # three rows of men, or two
        state.pieces[1] = dark & (1 << men) - 1
        state.pieces[0] = dark >> game.size**2 - men << game.size**2 - men

    def actions(game):
        return game.size * game.size * 8  # from a square, four ways to go, four to jump

    def step(game, way):
        """From a square to the next one."""
        return WAYS[way][0] * game.size + WAYS[way][1]

    def who_can(game, state, way, far):
        """The pieces of the player to move that can go this way, 1, or jump, 2."""
        own, theirs = int(state.pieces[state.turn]), int(state.pieces[1 - state.turn])
        back, free = game.step(way ^ 3), DARK[game.size // 8] & ~(own | theirs)
        mine = int(state.jumper) or own
        if way // 2 != state.turn:
            mine &= int(state.kings)
        return mine & shifted(free if far == 1 else shifted(free, back) & theirs, back)

    def can(game, state, far):
        found = 0
        for way in range(4):
            found |= game.who_can(state, way, far)
        return found != 0

    def legal(game, state, out):
        far, count = 2 if game.can(state, 2) else 1, 0
        for way in range(4):
            pieces = game.who_can(state, way, far)
            while pieces != 0:
                out[count] = 8 * ones((pieces & -pieces) - 1) + 4 * (far - 1) + way
                count += 1
                pieces &= pieces - 1
        return count

    def play(game, state, action):
        cell, way, far, turn = action // 8, action % 4, 1 + action % 8 // 4, int(state.turn)
        to, kings = cell + far * game.step(way), int(state.kings)
        taken = 1 << cell + game.step(way) if far == 2 else 0
        king = kings >> cell & 1 == 1
        crowned = not king and to // game.size == (game.size - 1) * turn
        state.pieces[turn] ^= 1 << cell | 1 << to
        state.pieces[1 - turn] &= ~taken
        state.kings = kings & ~(1 << cell | taken) | (1 << to if king or crowned else 0)
        state.quiet = 0 if taken else state.quiet + 1
        state.jumper = 1 << to
        if not taken or crowned or not game.can(state, 2):
            state.jumper = 0
            state.turn = 1 - turn

    def over(game, state):
        return state.quiet >= QUIET or game.score(state) != 0

    def score(game, state):
        return 0.0 if game.can(state, 1) or game.can(state, 2) else 2.0 * state.turn - 1.0

    def planes(game):
        return (7, game.size, game.size)

    def encode(game, state, planes):
        """Men and kings of who moves, then of the other; the piece that has to go on; quiet plies; who moves."""
        for cell in range(game.size * game.size):
            row, col, king = cell // game.size, cell % game.size, state.kings >> cell & 1
            for other in range(2):
                planes[2 * other + king, row, col] = state.pieces[state.turn ^ other] >> cell & 1
            planes[4, row, col] = state.jumper >> cell & 1
            planes[5, row, col] = state.quiet / QUIET
            planes[6, row, col] = state.turn

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size, "checkered": True, "sides": ["Black", "White"]}

    def kinds(game, state):
        """What stands on every square: 0 nothing, 1 and 2 men, 3 and 4 kings."""
        (first, second), kings = state.pieces.tolist(), int(state.kings)
        return [(first >> at & 1) + 2 * (second >> at & 1) + 2 * (kings >> at & 1) for at in range(game.size**2)]

    def cells(game, state):
        return [(kind - 1) % 2 + 1 if kind else 0 for kind in game.kinds(state)]

    def glyphs(game, state):
        return [("", "\u26c2", "\u26c0", "\u26c3", "\u26c1")[kind] for kind in game.kinds(state)]

    def where(game, state, action):
        (down, right), far = WAYS[action % 4], 1 + action % 8 // 4
        return [action // 8, beyond(game, action // 8, far * down, far * right)]

    def name(game, action):
        return by_cells(game, action, "x" if action % 8 >= 4 else "-")

    def diagram(game, state):
        rows = in_rows([LETTERS[kind] for kind in game.kinds(state)], game.size)
        jumper = [cell_name(game.size, game.size, int(state.jumper).bit_length() - 1)] if state.jumper else []
        return " ".join([rows, "bw"[state.turn], str(state.quiet), *jumper])

    def read(game, diagram):
        kinds, told = lettered(diagram, game.size, game.size, LETTERS)
        mover, quiet, jumper = (*told.split(), *("b", "0", "")[len(told.split()) :])[:3]
        state, bits = blank(game), [sum(1 << at for at in np.flatnonzero(kinds == kind).tolist()) for kind in range(5)]
        state.pieces[:] = bits[1] | bits[3], bits[2] | bits[4]
        state.kings = bits[3] | bits[4]
        if (state.pieces & ~DARK[game.size // 8]).any():
            raise ValueError("pieces stand on the dark squares")
        if mover not in ("b", "w") or not (quiet.isascii() and quiet.isdigit() and int(quiet) <= QUIET):
            raise ValueError(f"b or w moves, and then come the plies without a jump, 0 to {QUIET}")
        names = {cell_name(game.size, game.size, cell): 1 << cell for cell in range(game.size**2)}
        state.turn, state.quiet, state.jumper = mover == "w", int(quiet), names.get(jumper, 0)
        if jumper and not (state.jumper & state.pieces[state.turn] and game.can(state, 2)):
            raise ValueError(f"no piece on {jumper} can go on")
        return state
