"""m,n,k-games: put a stone on an empty cell; k of your own in a row win (tic-tac-toe, Gomoku).

The stones of each player are also kept as bits, one word for every row, column and diagonal, so that a
few shifts find a run of k in the four lines through a new stone.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ...boards import cell_name
from ...jit.interpreted import interpreted_as
from ...rules import blank
from ...spec import About
from .. import grid
from ..grid import DRAW, NOBODY
from .rows import LARGEST, add_wins, can_be_stopped, put, wins_at

RULES = ("freestyle", "exactly-five")


def free_cells(game, state, out):
    """`MNK.legal` by NumPy."""
    free = np.flatnonzero(state.cells == NOBODY)
    out[: free.size] = free
    return free.size


def stones_of_both(game, state, planes):
    """`MNK.encode` by NumPy."""
    stones, me = state.cells.reshape(game.n, game.m), (int(state.stones) & 1) + 1
    np.equal(stones, me, out=planes[0])
    np.equal(stones, 3 - me, out=planes[1])


class MNK(NamedTuple):
    m: int = 3  # columns
    n: int = 3  # rows
    k: int = 3  # in a row to win
    exact: bool = False  # more than k in a row do not win

    def limits(game):
        if not (1 <= game.m <= LARGEST and 1 <= game.n <= LARGEST):
            raise ValueError(f"the board has 1 to {LARGEST} columns and rows, not {game.m} x {game.n}")
        grid.check_row(game.k, game.m, game.n)

    def fields(game):
        cells, lines = game.m * game.n, 3 * (game.m + game.n) - 2
        stones = [("stones", np.int16), ("winner", np.int8), ("cells", np.int8, (cells,))]
        return [("lines", np.int32, (2, lines)), *stones]

    def actions(game):
        return game.m * game.n

    def player(game, state):
        return state.stones & 1

    @interpreted_as(free_cells)
    def legal(game, state, out):
        cells, count = state.cells, 0
        for action in range(game.m * game.n):
            out[count] = action  # written over unless the cell is free: no branch to guess wrongly
            count += cells[action] == NOBODY
        return count

    def still(game, state, action):
        return state.cells[action] == NOBODY

    def play(game, state, action):
        me = state.stones & 1
        state.cells[action] = me + 1
        state.stones += 1
        if state.stones == game.m * game.n:
            state.winner = DRAW
        if put(game, state, action, me):
            state.winner = me + 1

    def over(game, state):
        return state.winner != NOBODY

    def score(game, state):
        return (0.0, 1.0, -1.0, 0.0)[state.winner]

    def wins(game, state, player, out):
        cells, count = state.cells, 0
        for action in range(game.m * game.n):
            if cells[action] == NOBODY and wins_at(game, state, action, player):
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
        if player != state.stones & 1:  # it has just moved
            kept = add_wins(game, state, action, player, out, kept)
        return kept

    def hope(game, state, player):
        return not can_be_stopped(game, state, player, state.stones & 1 == player)

    def planes(game):
        return (2, game.n, game.m)

    @interpreted_as(stones_of_both)
    def encode(game, state, planes):
        me = (state.stones & 1) + 1
        for row in range(game.n):
            for col in range(game.m):
                stone = state.cells[row * game.m + col]
                planes[0, row, col] = stone == me
                planes[1, row, col] = stone == 3 - me

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
        return grid.row(game, state)

    def middle(game):
        rows, cols = {(game.n - 1) // 2, game.n // 2}, {(game.m - 1) // 2, game.m // 2}
        return [row * game.m + col for row in sorted(rows) for col in sorted(cols)]

    def name(game, action):
        return cell_name(game.n, game.m, action)

    def read(game, diagram):
        board = grid.parse(diagram, game.n, game.m)
        state = blank(game)
        state.winner = grid.winner(board, np.ndindex(board.shape), game.k, game.exact)
        state.cells = board.ravel()
        for action in np.flatnonzero(board).tolist():
            put(game, state, action, state.cells[action] - 1)
            state.stones += 1
        return state


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
