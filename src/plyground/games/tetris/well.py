"""The well of Tetris: where its pieces appear, and where keys can bring them before they fall."""

import numpy as np

from .tetrominoes import DOWN, LEFT, WIDTH, fits

HIDDEN = 2  # rows on top of the reference game's well
KICKS = (0, 1, -1, 2, -2)  # columns by which a piece that turns is moved: the first that keeps it within the walls
LANE = 16  # bits of a set of places that one turn takes


def well(game):
    """The rows of the well with the hidden ones."""
    return game.rows + HIDDEN if game.reference else game.rows


def spawn(game, piece):
    """The column in which the box of a piece appears."""
    return game.cols // 2 - (1 if piece == 1 else 2)


def origin(game, piece, turn):
    """The lowest row of a piece before it falls."""
    return game.rows + HIDDEN - DOWN[piece, turn] if game.reference else np.int64(game.rows)


def appears(game, state):
    """Can the piece to place appear?"""
    if state.piece == 0:
        return True
    piece = np.int64(state.piece - 1)
    return fits(state.columns, piece, 0, spawn(game, piece) + LEFT[piece, 0], origin(game, piece, 0))


def reachable(game, columns, piece):
    """The turns and columns to which keys can bring a piece before it falls, as bits: LANE for every turn.

    All that lie in the well, unless the pile reaches into the rows in which pieces turn.
    """
    pile = np.int64(0)
    if game.reference:
        for col in range(game.cols):
            pile |= columns[col]
    if pile >> well(game) - 4 == 0:
        return np.int64(-1)
    free = np.int64(0)
    for turn in range(4):
        for col in range(game.cols - WIDTH[piece, turn] + 1):
            free |= np.int64(fits(columns, piece, turn, col, origin(game, piece, turn))) << turn * LANE + col
    found, before = np.int64(1) << spawn(game, piece) + LEFT[piece, 0], np.int64(0)
    while found != before:
        before = found
        found |= (found << 1 | found >> 1) & free
        for turn in range(4):
            for col in range(game.cols):
                if found >> turn * LANE + col & 1:
                    then = (turn + 1) % 4
                    found |= np.int64(1) << then * LANE + turned_to(game, piece, turn, col) & free
    return found


def turned_to(game, piece, turn, col):
    """The column of a piece after one more turn, moved such that it keeps within the walls."""
    then = (turn + 1) % 4
    col += LEFT[piece, then] - LEFT[piece, turn]
    for i in range(len(KICKS)):
        if 0 <= col + KICKS[i] <= game.cols - WIDTH[piece, then]:
            return col + KICKS[i]
    return col
