"""Connect Four: drop a stone into a column; four of your own in a row win (any board, any number)."""

from typing import Annotated, NamedTuple

import numpy as np

from ...boards import letters
from ...rules import blank
from ...spec import About
from .. import grid
from ..grid import DRAW, NOBODY
from .columns import bit, column, columns_of, landing, spots, whole, won


class ConnectFour(NamedTuple):
    """Drop stones into columns; four in a row win."""

    cols: Annotated[int, About("columns", low=1, high=31)] = 7
    rows: Annotated[int, About("rows", low=1, high=61)] = 6
    k: Annotated[int, About("stones in a row to win", low=1, high=61)] = 4

    def limits(game):
        if game.cols < 1 or game.rows < 1 or game.cols * (game.rows + 1) > 62:
            raise ValueError(f"{game.cols} columns of {game.rows} rows do not fit: columns x (rows + 1) is 2 to 62")
        grid.check_row(game.k, game.cols, game.rows)
        if (game.k - 1) * (game.rows + 2) > 63:
            raise ValueError(f"{game.k} in a row with {game.rows} rows is too much: (k - 1) x (rows + 2) is at most 63")

    def fields(game):
        return [("stones", np.int64, (2,)), ("moves", np.int8), ("winner", np.int8)]  # stones as in `columns`

    def actions(game):
        return game.cols

    def player(game, state):
        return state.moves & 1

    def legal(game, state, out):
        return columns_of(game, landing(game, state), out)

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
        return columns_of(game, spots(game, state.stones[player]) & landing(game, state), out)

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
        return won(game, whole(game) & ~state.stones[1 - player])

    def planes(game):
        return (2, game.rows, game.cols)

    def encode(game, state, planes):
        me = state.moves & 1
        for row in range(game.rows):
            mine, theirs = state.stones[me] >> bit(game, row, 0), state.stones[1 - me] >> bit(game, row, 0)
            for col in range(game.cols):
                planes[0, row, col], planes[1, row, col] = mine & 1, theirs & 1
                mine, theirs = mine >> game.rows + 1, theirs >> game.rows + 1

    def symmetries(game):
        columns = np.arange(game.cols)
        both = grid.symmetries(game.rows, game.cols, turns=False)
        return list(zip((columns, columns[::-1].copy()), both, strict=False))

    def board(game):
        return {"shape": "cells", "rows": game.rows, "cols": game.cols}

    def cells(game, state):
        first, second = (int(stones) for stones in state.stones)
        bits = [bit(game, row, col) for row in range(game.rows) for col in range(game.cols)]
        return [(first >> i & 1) + 2 * (second >> i & 1) for i in bits]

    def where(game, state, action):
        free = game.cells(state)[action :: game.cols].count(NOBODY)
        return [(free - 1) * game.cols + action] if free else []

    def row(game, state):
        return grid.row(game, state)

    def middle(game):
        return sorted({(game.cols - 1) // 2, game.cols // 2})

    def name(game, action):
        return letters(action)

    def read(game, diagram):
        board = grid.parse(diagram, game.rows, game.cols)
        if (board[:-1][board[1:] == NOBODY] != NOBODY).any():
            raise ValueError("a stone hangs in the air: below every stone there is another or the floor")
        tops = [(int(np.argmax(col != NOBODY)), i) for i, col in enumerate(board.T)]
        state = blank(game)
        state.winner = grid.winner(board, tops, game.k)
        state.moves = np.count_nonzero(board)
        for row, col in np.argwhere(board).tolist():
            state.stones[board[row, col] - 1] |= 1 << bit(game, row, col)
        return state
