"""Connect Four: drop a stone into a column; four of your own in a row win (any board, any number).

Each player's stones are the bits of one number, column by column from the bottom, with one bit free on
top of every column, so that a shift never joins two columns.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..rules import blank
from ..spec import About
from . import grid

NOBODY, DRAW = 0, 3  # winner: 1 is player 0, 2 is player 1


class ConnectFour(NamedTuple):
    cols: int = 7
    rows: int = 6
    k: int = 4  # in a row to win

    def limits(game):
        if game.cols < 1 or game.rows < 1 or game.cols * (game.rows + 1) > 62:
            raise ValueError(f"{game.cols} columns of {game.rows} rows do not fit: columns x (rows + 1) is 2 to 62")
        if not 1 <= game.k <= max(game.cols, game.rows):
            raise ValueError(
                f"k is 1 to {max(game.cols, game.rows)} on a board of {game.cols} x {game.rows}, not {game.k}"
            )
        if (game.k - 1) * (game.rows + 2) > 63:
            raise ValueError(f"{game.k} in a row with {game.rows} rows is too much: (k - 1) x (rows + 2) is at most 63")

    def fields(game):
        return [("stones", np.int64, (2,)), ("moves", np.int8), ("winner", np.int8)]

    def actions(game):
        return game.cols

    def player(game, state):
        return state.moves & 1

    def legal(game, state, out):
        count = 0
        for col in range(game.cols):
            if game.still(state, col):
                out[count] = col
                count += 1
        return count

    def still(game, state, action):
        top = action * (game.rows + 1) + game.rows - 1
        return (state.stones[0] | state.stones[1]) >> top & 1 == 0

    def play(game, state, action):
        me = state.moves & 1
        mine = state.stones[me] | landing(game, state) & column(game, action)
        state.stones[me] = mine
        state.moves += 1
        if won(game, mine):
            state.winner = me + 1
        elif state.moves == game.cols * game.rows:
            state.winner = DRAW

    def over(game, state):
        return state.winner != NOBODY

    def score(game, state):
        return (0.0, 1.0, -1.0, 0.0)[state.winner]

    def wins(game, state, player, out):
        count = 0
        winning = spots(game, state.stones[player]) & landing(game, state)
        if winning != 0:
            for col in range(game.cols):
                if winning & column(game, col):
                    out[count] = col
                    count += 1
        return count

    def wins_after(game, state, action, player, out, count):
        if player != state.moves & 1:  # it has just moved
            return game.wins(state, player, out)
        kept = 0
        for i in range(count):
            if out[i] != action:
                out[kept] = out[i]
                kept += 1
        stone = landing(game, state) & column(game, action)
        if stone != 0 and won(game, state.stones[player] | stone):
            out[kept] = action
            kept += 1
        return kept

    def hope(game, state, player):
        board = ((1 << game.cols * (game.rows + 1)) - 1) // ((1 << game.rows + 1) - 1) * ((1 << game.rows) - 1)
        return won(game, board & ~state.stones[1 - player])

    def planes(game):
        return (2, game.rows, game.cols)

    def encode(game, state, planes):
        me = state.moves & 1
        for col in range(game.cols):
            for height in range(game.rows):
                for player in range(2):
                    if state.stones[player] >> col * (game.rows + 1) + height & 1:
                        planes[0 if player == me else 1, game.rows - 1 - height, col] = 1

    def symmetries(game):
        columns = np.arange(game.cols)
        both = grid.symmetries(game.rows, game.cols, turns=False)
        return list(zip((columns, columns[::-1].copy()), both, strict=False))

    def board(game):
        return {"shape": "cells", "rows": game.rows, "cols": game.cols}

    def cells(game, state):
        return cells(game, state).ravel().tolist()

    def where(game, state, action):
        free = int((cells(game, state)[:, action] == NOBODY).sum())
        return [(free - 1) * game.cols + action] if free else []

    def row(game, state):
        return grid.rows_of(cells(game, state), game.k)

    def left(game, state):
        return game.cols * game.rows - state.moves

    def middle(game):
        return sorted({(game.cols - 1) // 2, game.cols // 2})

    def name(game, action):
        return grid.letters(action)

    def text(game, state):
        return grid.text(cells(game, state))

    def diagram(game, state):
        return grid.diagram(cells(game, state), state.moves & 1)

    def read(game, diagram):
        board = grid.parse(diagram, game.rows, game.cols)
        if (board[:-1][board[1:] == NOBODY] != NOBODY).any():
            raise ValueError("a stone hangs in the air: below every stone there is another or the floor")
        last = 2 - np.count_nonzero(board) % 2
        tops = [(int(np.argmax(col != NOBODY)), i) for i, col in enumerate(board.T)]
        earlier = grid.without(board, [top for top in tops if board[top] == last])
        state = built(game, board)
        state.winner = grid.result(board, lambda b, stone: won(game, built(game, b).stones[stone - 1]), earlier)
        return state


def column(game, col):
    """The bits of a column's cells."""
    return np.int64((1 << game.rows) - 1) << col * (game.rows + 1)


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


def cells(game, state):
    """The board as people see it: rows from the top, 0, 1 or 2 in each cell."""
    board = np.zeros((game.rows, game.cols), np.int8)
    for col in range(game.cols):
        for height in range(game.rows):
            for player in range(2):
                if int(state.stones[player]) >> col * (game.rows + 1) + height & 1:
                    board[game.rows - 1 - height, col] = player + 1
    return board


def built(game, board):
    """A state with these stones, whoever has won."""
    state = blank(game)
    for row, col in zip(*np.nonzero(board), strict=True):
        state.stones[board[row, col] - 1] |= 1 << int(col) * (game.rows + 1) + game.rows - 1 - int(row)
    state.moves = np.count_nonzero(board)
    return state


def connect_four(
    cols: Annotated[int, About("columns", low=1, high=31)] = 7,
    rows: Annotated[int, About("rows", low=1, high=61)] = 6,
    k: Annotated[int, About("stones in a row to win", low=1, high=61)] = 4,
) -> ConnectFour:
    """Drop stones into columns; four in a row win."""
    return ConnectFour(cols, rows, k)
