"""Ultimate tic-tac-toe: nine boards of nine cells; a move in a cell sends the other to the board of that place."""

from typing import NamedTuple

import numpy as np

from ..boards import cell_name
from ..rules import legal
from .grid import DRAW, NOBODY, symmetries_of

LINES = (0b111, 0b111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100, 0b100010001, 0b001010100)
FULL = 0b111111111
ANY = 9  # in the place of a board


def three_in_a_row(bits):
    """Are there three in a row among these of nine cells?"""
    for line in LINES:
        if bits & line == line:
            return True
    return False


class Ultimate(NamedTuple):
    """Win three boards of tic-tac-toe in a row; the cell you play in says on which board the other goes on.

    Cells are numbered board by board.
    """

    def fields(game):
        boards = [("mine", np.int16, (2, 9)), ("won", np.int16, (2,)), ("closed", np.int16)]  # as bits
        return [*boards, ("next", np.int8), ("turn", np.int8), ("winner", np.int8)]

    def start(game, state):
        state.next = ANY

    def actions(game):
        return 81

    def legal(game, state, out):
        count = 0
        for board in range(9):
            if (state.next == ANY or state.next == board) and state.closed >> board & 1 == 0:
                taken = state.mine[0, board] | state.mine[1, board]
                for cell in range(9):
                    out[count] = 9 * board + cell
                    count += taken >> cell & 1 == 0
        return count

    def play(game, state, action):
        board, cell, me = action // 9, action % 9, state.turn
        state.mine[me, board] |= 1 << cell
        if three_in_a_row(state.mine[me, board]):
            state.won[me] |= 1 << board
            state.closed |= 1 << board
            if three_in_a_row(state.won[me]):
                state.winner = me + 1
        elif state.mine[0, board] | state.mine[1, board] == FULL:
            state.closed |= 1 << board
        if state.winner == NOBODY and state.closed == FULL:
            state.winner = DRAW
        state.next = ANY if state.closed >> cell & 1 else cell
        state.turn = 1 - me

    def planes(game):
        return (5, 9, 9)

    def encode(game, state, planes):
        for board in range(9):
            for cell in range(9):
                row, col = board // 3 * 3 + cell // 3, board % 3 * 3 + cell % 3
                planes[0, row, col] = state.mine[state.turn, board] >> cell & 1
                planes[1, row, col] = state.mine[1 - state.turn, board] >> cell & 1
                planes[2, row, col] = state.won[state.turn] >> board & 1
                planes[3, row, col] = state.won[1 - state.turn] >> board & 1
                planes[4, row, col] = (state.next == ANY or state.next == board) and state.closed >> board & 1 == 0

    def place(game, action):
        """The cell of the whole board, row by row."""
        board, cell = divmod(action, 9)
        return (board // 3 * 3 + cell // 3) * 9 + board % 3 * 3 + cell % 3

    def symmetries(game):
        return symmetries_of(game)

    def board(game):
        return {"shape": "cells", "rows": 9, "cols": 9, "block": 3}

    def cells(game, state):
        shown = [0] * 81
        for action in range(81):
            board, cell = divmod(action, 9)
            first, second = (int(bits) >> cell & 1 for bits in state.mine[:, board])
            shown[game.place(action)] = first + 2 * second or 3 * (int(state.closed) >> board & 1)
        return shown

    def glyphs(game, state):
        """A dot where the next stone may lie, and nothing on other empty cells."""
        shown = [" " if cell == 0 else "" for cell in game.cells(state)]
        for action in legal(game, state):
            shown[game.place(action)] = "\u00b7"
        return shown

    def where(game, state, action):
        return [game.place(action)]

    def name(game, action):
        return cell_name(9, 9, game.place(action))
