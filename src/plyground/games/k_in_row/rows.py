"""Rows of stones on a board of m columns and n rows, each line of the board as the bits of one number.

There is a number for every row, column, diagonal and anti-diagonal, in this order.  The bit of a cell is its
column, in columns its row.
"""

import numpy as np

from ...bits import ones

LARGEST = 30  # cells of a line: it has to fit into 32 bits
STEPS = ((0, 1), (1, 0), (1, 1), (-1, 1))  # rows and columns a step along a row, column, diagonal, anti-diagonal
ON_BOARD = (1 << LARGEST) - 1


def lines(game, action):
    """Row and column of a cell, and the numbers of its column, diagonal and anti-diagonal among the lines.

    The row is action // m, written such that the division need not wait for the action.
    """
    row = np.int64(action) * (65536 // game.m + 1) >> 16
    col = action - row * game.m
    return row, col, game.n + col, game.n + 2 * game.m - 1 + row - col, 2 * (game.n + game.m) - 1 + row + col


def line_cells(game, number):
    """The bits of a line that are cells of the board."""
    if number < game.n:
        return (1 << game.m) - 1
    if number < game.n + game.m:
        return (1 << game.n) - 1
    below = number - (game.n + 2 * game.m - 1)  # row - col of a diagonal
    first, last = -below, game.n - 1 - below  # columns at its first and last row
    if number >= 2 * game.n + 2 * game.m - 1:
        above = number - (2 * (game.n + game.m) - 1)  # row + col of an anti-diagonal
        first, last = above - game.n + 1, above
    first = first if first > 0 else 0
    last = last if last < game.m - 1 else game.m - 1
    return (1 << last + 1) - (1 << first)


def won(game, a, b, c, d):
    """Does one of four lines hold a run of k (of exactly k, if the game says so)?"""
    have = 1
    while have < game.k:  # a bit of a word stands for a run of `have` stones
        step = have if have < game.k - have else game.k - have
        a &= a >> step
        b &= b >> step
        c &= c >> step
        d &= d >> step
        have += step
    if game.exact:  # a longer run has left two bits side by side
        a &= ~(a << 1) & ~(a >> 1)
        b &= ~(b << 1) & ~(b >> 1)
        c &= ~(c << 1) & ~(c >> 1)
        d &= ~(d << 1) & ~(d >> 1)
    return a | b | c | d != 0


def put(game, state, action, player):
    """Put a stone on a cell; do the lines through it win now?"""
    row, col, down, diagonal, anti = lines(game, action)
    a = state.lines[player, row] | 1 << col
    b = state.lines[player, down] | 1 << row
    c = state.lines[player, diagonal] | 1 << col
    d = state.lines[player, anti] | 1 << col
    state.lines[player, row] = a
    state.lines[player, down] = b
    state.lines[player, diagonal] = c
    state.lines[player, anti] = d
    return won(game, a, b, c, d)


def wins_at(game, state, action, player):
    """Do the lines through this cell win for the player, with its stone on the cell?"""
    row, col, down, diagonal, anti = lines(game, action)
    a = state.lines[player, row] | 1 << col
    b = state.lines[player, down] | 1 << row
    c = state.lines[player, diagonal] | 1 << col
    d = state.lines[player, anti] | 1 << col
    return won(game, a, b, c, d)


def one_short(game, a, b, c, d):
    """For each of four lines, the bits at which a window of k cells begins that holds k-1 stones."""
    full_a, full_b, full_c, full_d = a, b, c, d
    short_a, short_b, short_c, short_d = ~a, ~b, ~c, ~d
    for i in range(1, game.k):
        short_a = short_a & (a >> i) | full_a & ~(a >> i)
        short_b = short_b & (b >> i) | full_b & ~(b >> i)
        short_c = short_c & (c >> i) | full_c & ~(c >> i)
        short_d = short_d & (d >> i) | full_d & ~(d >> i)
        full_a &= a >> i
        full_b &= b >> i
        full_c &= c >> i
        full_d &= d >> i
    return short_a, short_b, short_c, short_d


def add_wins(game, state, action, player, out, count):
    """Add the cells with which the lines through the player's last stone win to `out[:count]`; return how many."""
    row, col, down, diagonal, anti = lines(game, action)
    mine, theirs = state.lines[player], state.lines[1 - player]
    numbers = (row, down, diagonal, anti)
    windows = one_short(game, mine[row], mine[down], mine[diagonal], mine[anti])
    for i in range(4):
        cells = windows[i]
        if cells == 0:
            continue
        for j in range(1, game.k):
            cells |= windows[i] << j
        spots = cells & ~mine[numbers[i]] & ~theirs[numbers[i]] & ON_BOARD
        away = -row if i == 1 else -col  # steps from the stone to bit 0 of its line
        while spots != 0:
            if spots & 1:
                r, c = row + away * STEPS[i][0], col + away * STEPS[i][1]
                spot = r * game.m + c
                if 0 <= r < game.n and 0 <= c < game.m and (not game.exact or wins_at(game, state, spot, player)):
                    known = False
                    for j in range(count):
                        known |= out[j] == spot
                    out[count] = spot
                    count += not known
            spots >>= 1
            away += 1
    return count


def can_be_stopped(game, state, player, moves_first):
    """Can the other break all rows of the player, by the count of Erdos and Selfridge?

    Who is to answer can if the windows that are open to the player, each counted 2 ** stones, come to less than
    2 ** k; to less than half of that if the player moves first.
    """
    enough = 1 << game.k - moves_first
    for number in range(len(state.lines[0])):
        cells = line_cells(game, number)
        window = (1 << game.k) - 1
        while window <= cells and enough > 0:
            if window & cells & ~state.lines[1 - player, number] == window:
                enough -= 1 << ones(window & state.lines[player, number])
            window <<= 1
    return enough > 0
