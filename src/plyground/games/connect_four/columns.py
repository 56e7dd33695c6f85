"""Stones in columns, as Connect Four has them: each player's are the bits of one number.

The bits go column by column from the bottom, with one bit free on top of every column, so that a shift never
joins two columns.
"""

import numpy as np


def column(game, col):
    """The bits of a column's cells."""
    return np.int64((1 << game.rows) - 1) << col * (game.rows + 1)


def columns_of(game, cells, out):
    """Write the columns of these cells into `out`; return how many."""
    count = 0
    if cells != 0:
        for col in range(game.cols):
            if cells & column(game, col):
                out[count] = col
                count += 1
    return count


def landing(game, state):
    """The bits of the cells on which the next stone of each column comes to lie."""
    taken = state.stones[0] | state.stones[1]
    floor = ((1 << game.cols * (game.rows + 1)) - 1) // ((1 << game.rows + 1) - 1)
    return taken + floor & ~(taken | floor << game.rows)


def spots(game, stones):
    """The bits of the cells that complete a run of k: the one empty cell of a window with k-1 stones."""
    up, across, rising, falling = stones, stones, stones, stones  # windows full of stones begin here
    up1, across1, rising1, falling1 = ~stones, ~stones, ~stones, ~stones  # windows with one cell empty
    high = game.rows + 1
    for i in range(1, game.k):
        a, b, c, d = stones >> i, stones >> i * high, stones >> i * (high + 1), stones >> i * (high - 1)
        up1, up = up1 & a | up & ~a, up & a
        across1, across = across1 & b | across & ~b, across & b
        rising1, rising = rising1 & c | rising & ~c, rising & c
        falling1, falling = falling1 & d | falling & ~d, falling & d
    found = 0
    for i in range(game.k):
        found |= up1 << i | across1 << i * high | rising1 << i * (high + 1) | falling1 << i * (high - 1)
    return found & ~stones


def won(game, stones):
    """Do these stones hold a run of k up, across or along a diagonal?"""
    up, across, rising, falling = stones, stones, stones, stones
    high = game.rows + 1
    have = 1
    while have < game.k:  # a bit of a word stands for a run of `have` stones
        step = have if have < game.k - have else game.k - have
        up &= up >> step
        across &= across >> step * high
        rising &= rising >> step * (high + 1)
        falling &= falling >> step * (high - 1)
        have += step
    return up | across | rising | falling != 0


def bit(game, row, col):
    """The number of a cell's bit; rows count from the top."""
    return col * (game.rows + 1) + game.rows - 1 - row


def whole(game):
    """The bits of all cells."""
    return ((1 << game.cols * (game.rows + 1)) - 1) // ((1 << game.rows + 1) - 1) * ((1 << game.rows) - 1)
