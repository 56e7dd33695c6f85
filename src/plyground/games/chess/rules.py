"""Chess, by the laws of FIDE, with draws as programs play them: nobody has to claim one.

A game is drawn by stalemate; when a position comes for the third time, with the same player to move and the same rights
to castle and to take en passant; after a hundred plies without a capture or a move of a pawn, unless the last one
mates; and where neither side has the material for any mate: a king alone, or with a single knight, or with bishops that
all stand, as those of the other, on squares of one colour.

A state keeps its legal moves: `play` finds them to know whether the game is over, and `legal` copies them.  It keeps
the line of moves since the last one that cannot be undone, with a key of every position on it, to know what has come
before.  Positions are written as FEN, and as UCI writes them if some moves since then matter: `FEN moves g1f3 g8f6`.
"""

from typing import NamedTuple

import numpy as np

from ...boards import cell_name
from . import fen
from .moves import MOVES, PROMOTIONS, add, attacked, castles, ends, may_slide, pawn_moves, pinned
from .squares import BISHOP, JUMPS, KEEP, KEYS, KING, KNIGHT, LETTERS, NONE, PAWN, QUEEN, QUIET, REACH, ROOK, STEP, put

GLYPHS = "\u2659\u2658\u2657\u2656\u2655\u2654", "\u265f\u265e\u265d\u265c\u265b\u265a"
MOST = 218  # legal moves in any position


class Chess(NamedTuple):
    """Mate the king.  Moves are written as in UCI: e2e4, e7e8q; positions as FEN."""

    def fields(game):
        line = [("past", np.int64, (QUIET,)), ("key", np.int64), ("line", np.int16, (QUIET,)), ("length", np.int16)]
        moves = [("moves", np.int16, (MOST,)), ("count", np.int16), ("fullmove", np.int16)]
        small = [(name, np.int8) for name in ("turn", "castling", "ep", "clock", "winner")]
        sets = [("sets", np.int64, (2, 3))]
        return [*sets, *line, *moves, ("pieces", np.int8, (64,)), ("kings", np.int8, (2,)), *small]

    def start(game, state):
        for col in range(8):
            piece = KING if col == 4 else QUEEN if col == 3 else (ROOK, KNIGHT, BISHOP)[min(col, 7 - col)]
            put(state, col, -piece)
            put(state, 8 + col, -PAWN)
            put(state, 48 + col, PAWN)
            put(state, 56 + col, piece)
        state.kings[0], state.kings[1] = 60, 4
        state.castling = 15
        state.ep = NONE
        state.fullmove = 1
        game.settle(state, False)

    def actions(game):
        return MOVES

    def legal(game, state, out):
        for i in range(state.count):
            out[i] = state.moves[i]
        return int(state.count)

    def play(game, state, action):
        board, turn = state.pieces, int(state.turn)
        side = 1 - 2 * turn
        start, to, promoted = ends(action)
        piece, taken = board[start], board[to]
        castling = state.castling & KEEP[start] & KEEP[to]
        quiet = taken == 0 and abs(piece) != PAWN
        if quiet and castling == state.castling and state.ep == NONE:  # the position before may come again
            state.past[state.length] = state.key
            state.line[state.length] = action
            state.length += 1
            state.key ^= KEYS[piece + 6, start] ^ KEYS[piece + 6, to]
        else:
            forget(state)
        put(state, start, 0)
        put(state, to, piece if promoted == 0 else promoted * side)
        passed = NONE
        if abs(piece) == PAWN and to == state.ep:
            put(state, to + 8 * side, 0)
        elif abs(piece) == PAWN and abs(to - start) == 16:
            passed = (start + to) // 2
        elif abs(piece) == KING:
            state.kings[turn] = to
            if abs(to - start) == 2:
                corner = to + 1 if to > start else to - 2
                put(state, corner, 0)
                put(state, (start + to) // 2, ROOK * side)
        state.castling = castling
        state.ep = passed
        state.clock = state.clock + 1 if quiet else 0
        state.fullmove += turn
        state.turn = 1 - turn
        game.settle(state, taken != 0 or promoted != 0)

    def settle(game, state, changed):
        """Find the legal moves of a new position, and whether the game is over; have the pieces changed?"""
        check = game.find_moves(state)
        if state.ep != NONE and not can_pass(state):
            state.ep = NONE
        if state.count == 0:
            state.winner = 2 - state.turn if check else 3
        elif state.clock >= QUIET or times_before(state) >= 2 or (changed and too_little(state.pieces)):
            state.winner = 3

    def find_moves(game, state):
        """List the legal moves in the state; return whether it is check."""
        board, turn, before = state.pieces, int(state.turn), state.count
        side, king = 1 - 2 * turn, int(state.kings[turn])
        check, lined = attacked(state, king, -side), may_slide(state, king, -side)
        state.count = 0
        for start in range(64):
            kind = board[start] * side
            if kind <= 0:
                continue
            free = not check and kind != KING  # wherever it goes
            if free and lined:
                free = not pinned(board, king, start, side)
            if kind == PAWN:
                pawn_moves(state, start, side, free)
            elif kind == KNIGHT:
                for i in range(8):
                    to = JUMPS[start, i]
                    if to != NONE and board[to] * side <= 0:
                        add(state, start, to, side, free)
            else:
                farthest = 1 if kind == KING else 7
                for way in range(4 if kind == BISHOP else 0, 4 if kind == ROOK else 8):
                    to = start
                    for _ in range(min(farthest, REACH[start, way])):
                        to += STEP[way]
                        if board[to] * side <= 0:
                            add(state, start, to, side, free)
                        if board[to] != 0:
                            break
        if not check:
            castles(state, side)
        for i in range(state.count, before):
            state.moves[i] = 0
        return check

    def planes(game):
        return (20, 8, 8)

    def encode(game, state, planes):
        """Six kinds of pieces of who moves, then of the other; what each may castle, king's side first; the square
        that a pawn has passed; plies without a capture or a move of a pawn; how often the position came; who moves."""
        side, seen = 1 - 2 * int(state.turn), times_before(state)
        for square in range(64):
            row, col, kind = square // 8, square % 8, state.pieces[square] * side
            if kind != 0:
                planes[kind - 1 if kind > 0 else 5 - kind, row, col] = 1
            for right in range(4):
                planes[12 + (right ^ 2 * state.turn), row, col] = state.castling >> right & 1
            planes[16, row, col] = square == state.ep
            planes[17, row, col] = state.clock / QUIET
            planes[18, row, col] = seen / 2
            planes[19, row, col] = state.turn

    def board(game):
        return {"shape": "cells", "rows": 8, "cols": 8, "checkered": True, "sides": ["White", "Black"]}

    def cells(game, state):
        return np.where(state.pieces > 0, 1, np.where(state.pieces < 0, 2, 0)).tolist()

    def glyphs(game, state):
        return [GLYPHS[piece < 0][abs(piece) - 1] if piece else "" for piece in state.pieces.tolist()]

    def where(game, state, action):
        start, to, _ = ends(action)
        return [int(start), int(to)]

    def name(game, action):
        start, to, promoted = ends(action)
        return cell_name(8, 8, start) + cell_name(8, 8, to) + (LETTERS[promoted].lower() if promoted else "")

    def diagram(game, state):
        return fen.written(game, state)

    def read(game, diagram):
        return fen.read(game, diagram)


# --- positions ---------------------------------------------------------------------------------------


def can_pass(state):
    """Is a pawn's move to the square that was passed legal?"""
    for i in range(state.count):
        move = state.moves[i]
        if move < PROMOTIONS and move % 64 == state.ep and abs(state.pieces[move // 64]) == PAWN:
            return True
    return False


def forget(state):
    """What lies before an action that cannot be undone does not come again."""
    for i in range(state.length):
        state.past[i] = state.line[i] = 0
    state.key = state.length = 0


def times_before(state):
    """How often the position came before; equal ones have the same player to move, and are two moves apart at least."""
    count = 0
    for i in range(state.length - 4, -1, -2):
        count += int(state.past[i] == state.key)
    return count


def too_little(board):
    """Is there no mate with what is left?"""
    knights = bishops = colours = 0
    for square in range(64):
        kind = abs(board[square])
        if kind in (PAWN, ROOK, QUEEN):
            return False
        if kind == KNIGHT:
            knights += 1
        elif kind == BISHOP:
            bishops += 1
            colours |= 1 + (square // 8 + square) % 2
    return (knights == 0 and colours != 3) or (knights == 1 and bishops == 0)
