"""Pieces and squares of chess, how a piece is put on a square, and what a square sees of the others.

Squares are cells, row by row from the top: a8 is 0, h1 is 63.
"""

import numpy as np

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6  # white pieces; those of black are negative
LETTERS = ".PNBRQK"
QUIET = 100  # plies without a capture or a move of a pawn, after which the game is drawn
NONE = -1

STEP = np.array([-8, 1, 8, -1, -7, 9, 7, -9])  # the ways of rooks, then of bishops
REACH = np.zeros((64, 8), np.int64)  # squares from here to the edge
WAY = np.full((64, 64), NONE, np.int8)  # from here to there, if they are on one line
JUMPS = np.full((64, 8), NONE, np.int64)  # where a knight may go
KEEP = np.full(64, 15)  # the rights to castle that are left when something leaves a square or comes to it
BIT = np.left_shift(np.int64(1), np.arange(64))
STRAIGHT, DIAGONAL, JUMPING = 0, 1, 2  # sets of pieces that attack so
SEEN = np.zeros((3, 64), np.int64)  # by set: the squares, as bits, from which such a piece may attack this one
KEYS = np.random.default_rng(1).integers(-(2**63), 2**63, (13, 64), np.int64)  # by piece and square
for _square in range(64):
    _row, _col = divmod(_square, 8)
    for _way, (_down, _right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))):
        while 0 <= _row + _down * (_far := int(REACH[_square, _way]) + 1) < 8 and 0 <= _col + _right * _far < 8:
            REACH[_square, _way] = _far
            WAY[_square, _square + _far * STEP[_way]] = _way
            SEEN[_way // 4, _square] |= BIT[_square + _far * STEP[_way]]
    for _jump, (_down, _right) in enumerate(((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))):
        if 0 <= _row + _down < 8 and 0 <= _col + _right < 8:
            JUMPS[_square, _jump] = _square + 8 * _down + _right
            SEEN[JUMPING, _square] |= BIT[JUMPS[_square, _jump]]
for _square, _lost in ((60, 3), (63, 1), (56, 2), (4, 12), (7, 4), (0, 8)):
    KEEP[_square] = 15 - _lost


def put(state, square, piece):
    """Let a piece, or 0, be on a square instead of what is there."""
    exchange(state, square, state.pieces[square])
    exchange(state, square, piece)
    state.pieces[square] = piece


def exchange(state, square, piece):
    """Put the square into the sets that a piece on it belongs to, or take it out of them."""
    kind, owner = abs(piece), 0 if piece > 0 else 1
    if kind in (ROOK, QUEEN):
        state.sets[owner, STRAIGHT] ^= BIT[square]
    if kind in (BISHOP, QUEEN):
        state.sets[owner, DIAGONAL] ^= BIT[square]
    if kind == KNIGHT:
        state.sets[owner, JUMPING] ^= BIT[square]
