"""m,n,k-games: put a stone on an empty cell; k of your own in a row win (tic-tac-toe, Gomoku).

The stones of each player are also kept as bits, one word for every row, column and diagonal, so that a
few shifts find a run of k in the four lines through a new stone.
"""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from ..rules import blank
from ..spec import About
from . import grid
from .rows import LARGEST, ON_BOARD, line_cells, lines, one_short, ones, wins_at, won

NOBODY, DRAW = 0, 3  # winner: 1 is player 0, 2 is player 1
STEPS = ((0, 1), (1, 0), (1, 1), (-1, 1))  # rows and columns a step along a row, column, diagonal, anti-diagonal
RULES = ("freestyle", "exactly-five")


class MNK(NamedTuple):
    m: int = 3  # columns
    n: int = 3  # rows
    k: int = 3  # in a row to win
    exact: bool = False  # more than k in a row do not win

    def limits(game):
        if not (1 <= game.m <= LARGEST and 1 <= game.n <= LARGEST):
            raise ValueError(f"the board has 1 to {LARGEST} columns and rows, not {game.m} x {game.n}")
        if not 1 <= game.k <= max(game.m, game.n):
            raise ValueError(f"k is 1 to {max(game.m, game.n)} on a board of {game.m} x {game.n}, not {game.k}")

    def fields(game):
        lines = 3 * (game.m + game.n) - 2
        cells = game.m * game.n
        return [
            ("lines", np.int32, (2, lines)),
            ("stones", np.int16),
            ("winner", np.int8),
            ("cells", np.int8, (cells,)),
        ]

    def actions(game):
        return game.m * game.n

    def player(game, state):
        return state.stones & 1

    def legal(game, state, out):
        count = 0
        for action in range(game.m * game.n):
            out[count] = action  # written over unless the cell is free: no branch to guess wrongly
            count += state.cells[action] == NOBODY
        return count

    def still(game, state, action):
        return state.cells[action] == NOBODY

    def play(game, state, action):
        me = state.stones & 1
        state.cells[action] = me + 1
        state.stones += 1
        if state.stones == game.m * game.n:
            state.winner = DRAW
        row, col, down, diagonal, anti = lines(game, action)
        a = state.lines[me, row] | 1 << col
        b = state.lines[me, down] | 1 << row
        c = state.lines[me, diagonal] | 1 << col
        d = state.lines[me, anti] | 1 << col
        state.lines[me, row] = a
        state.lines[me, down] = b
        state.lines[me, diagonal] = c
        state.lines[me, anti] = d
        if won(game, a, b, c, d):
            state.winner = me + 1

    def over(game, state):
        return state.winner != NOBODY

    def score(game, state):
        return (0.0, 1.0, -1.0, 0.0)[state.winner]

    def wins(game, state, player, out):
        count = 0
        for action in range(game.m * game.n):
            if state.cells[action] == NOBODY and wins_at(game, state, action, player):
                out[count] = action
                count += 1
        return count

    def wins_after(game, state, action, player, out, count):
        kept = 0
        for i in range(count):
            spot = np.int64(out[i])
            if state.cells[spot] == NOBODY and (not game.exact or wins_at(game, state, spot, player)):
                out[kept] = spot
                kept += 1
        if player != state.stones & 1:  # it has just moved: look along the lines through its stone
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
                        if (
                            0 <= r < game.n
                            and 0 <= c < game.m
                            and (not game.exact or wins_at(game, state, spot, player))
                        ):
                            known = False
                            for j in range(kept):
                                known |= out[j] == spot
                            out[kept] = spot
                            kept += not known
                    spots >>= 1
                    away += 1
        return kept

    def hope(game, state, player):
        # Erdos and Selfridge: who is to answer can break all rows if the windows of the other that are open,
        # each counted 2 ** stones, come to less than 2 ** k; half of that if the other is to move
        enough = 1 << game.k - (state.stones & 1 == player)
        for number in range(len(state.lines[0])):
            cells = line_cells(game, number)
            window = (1 << game.k) - 1
            while window <= cells and enough > 0:
                if window & cells & ~state.lines[1 - player, number] == window:
                    enough -= 1 << ones(window & state.lines[player, number])
                window <<= 1
        return enough <= 0

    def planes(game):
        return (2, game.n, game.m)

    def encode(game, state, planes):
        me = (state.stones & 1) + 1
        for cell in range(game.m * game.n):
            if state.cells[cell] != NOBODY:
                planes[0 if state.cells[cell] == me else 1, cell // game.m, cell % game.m] = 1

    def symmetries(game):
        return [(cells, cells) for cells in grid.symmetries(game.n, game.m)]

    def board(game):
        shape = "intersections" if game.k >= 5 and min(game.m, game.n) >= 9 else "cells"
        return {"shape": shape, "rows": game.n, "cols": game.m}

    def cells(game, state):
        return state.cells.tolist()

    def where(game, state, action):
        return [action]

    def row(game, state):
        return grid.rows_of(state.cells.reshape(game.n, game.m), game.k)

    def left(game, state):
        return game.m * game.n - state.stones

    def middle(game):
        rows, cols = {(game.n - 1) // 2, game.n // 2}, {(game.m - 1) // 2, game.m // 2}
        return [row * game.m + col for row in sorted(rows) for col in sorted(cols)]

    def name(game, action):
        return grid.cell_name(game.n, game.m, action)

    def text(game, state):
        return grid.text(state.cells.reshape(game.n, game.m))

    def diagram(game, state):
        return grid.diagram(state.cells.reshape(game.n, game.m), state.stones & 1)

    def read(game, diagram):
        board = grid.parse(diagram, game.n, game.m)
        last = 2 - np.count_nonzero(board) % 2
        state = built(game, board)
        state.winner = grid.result(
            board, partial(has_row, game), grid.without(board, zip(*np.where(board == last), strict=True))
        )
        return state


def built(game, board):
    """A state with these stones, whoever has won."""
    state = blank(game)
    for cell, stone in enumerate(board.flat):
        if stone != NOBODY:
            row, col, down, diagonal, anti = lines(game, cell)
            for number, bit in ((row, col), (down, row), (diagonal, col), (anti, col)):
                state.lines[stone - 1, number] |= 1 << bit
    state.cells = board.ravel()
    state.stones = np.count_nonzero(board)
    return state


def has_row(game, board, stone):
    """Is one of the stones of this kind in a row that wins?"""
    state = built(game, board)
    return any(wins_at(game, state, int(cell), stone - 1) for cell in np.flatnonzero(board == stone))


def tictactoe(n: Annotated[int, About("side of the board, and stones in a row to win", low=1, high=19)] = 3) -> MNK:
    """n x n tic-tac-toe, n in a row win."""
    return MNK(n, n, n)


def gomoku(
    n: Annotated[int, About("side of the board", low=5, high=LARGEST)] = 15,
    rule: Annotated[str, About("freestyle: five or more win; exactly-five: more do not", choices=RULES)] = "freestyle",
) -> MNK:
    """Five in a row on n x n."""
    return MNK(n, n, 5, rule == "exactly-five")


def mnk(
    m: Annotated[int, About("columns", low=1, high=LARGEST)] = 3,
    n: Annotated[int, About("rows", low=1, high=LARGEST)] = 3,
    k: Annotated[int, About("stones in a row to win", low=1, high=LARGEST)] = 3,
) -> MNK:
    """k in a row on m columns and n rows."""
    return MNK(m, n, k)
