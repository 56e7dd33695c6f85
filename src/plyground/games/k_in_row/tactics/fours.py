"""Wins by continuous fours: every stone threatens to win at once, so that the other can only answer.

The player to move wins with five, or with an open four unless the other has a four; else it tries each four, the
other fills the one cell that stops it, and so on.  The *line* of a win is its stones and answers in order; after an
open four both cells that would win.
"""

from __future__ import annotations

import numpy as np

from ....jit.interpreted import interpreted_as
from ....rules import inner, recursive
from . import vectorised
from .board import DEEPEST, EMPTY, LINES, find, next_hot, put, take
from .patterns import FOUR, FOUR_THREE, FOURS, WINS, WON


@interpreted_as(vectorised.answer)
@inner
def answer(board, player, cell, after):
    """Where the player wins now that a stone on this cell has made a four: the first cell beyond `after`, or 0."""
    best = np.int64(0)
    for line in range(LINES):
        if np.int64(board.codes[player, cell]) >> 4 * line & 15 < FOUR:
            continue
        for i in range(-board.reach, board.reach + 1):
            at = cell + i * board.steps[line]
            if board.rank[player, at] == WINS and board.cells[at] == EMPTY and at > after and (best == 0 or at < best):
                best = np.int64(at)
    return best


@inner
def note(board, ply, cell):
    """Write a cell down as the line's stone at this ply."""
    board.line[ply] = cell


@inner
def was_refuted(refuted, key):
    """Was this position looked at to no avail?"""
    return refuted[np.int64(key & np.uint64(refuted.size - 1))] == key


@inner
def remember(refuted, key):
    refuted[np.int64(key & np.uint64(refuted.size - 1))] = key


SIDE = np.uint64(0x5851F42D4C957F2D)  # tells the positions of one attacker from those of the other


@recursive
def fours(board, tables, refuted, player, ply):
    """The cell with which the player to move wins by continuous fours; 0 if it does not, or no more may be looked at.

    refuted uint64[a power of 2]: positions, each with its attacker, that are known not to be won so.
    """
    if board.count[player, WINS] > 0:
        cell = find(board, player, WINS)
        note(board, ply, cell)
        board.length = ply + 1
        return cell
    other = 1 - player
    must = np.int64(0)
    if board.count[other, WINS] > 0:
        must = find(board, other, WINS)
        if board.count[other, WINS] > 1 or board.rank[player, must] < FOURS:
            return np.int64(0)
    best = must if must > 0 else find(board, player, WON)
    if best > 0 and board.rank[player, best] == WON:
        put(board, tables, best, player)
        first = answer(board, player, best, np.int64(0))
        note(board, ply, best)
        note(board, ply + 1, first)
        note(board, ply + 2, answer(board, player, best, first))
        board.length = ply + 3
        take(board, tables, best)
        return best
    if board.count[player, FOUR_THREE] + board.count[player, FOURS] == 0 or ply >= 2 * DEEPEST:
        return np.int64(0)
    key = board.hash if player == 0 else board.hash ^ SIDE
    if was_refuted(refuted, key):
        return np.int64(0)
    for rank in (FOUR_THREE, FOURS):
        if board.count[player, rank] == 0:
            continue
        cell = np.int64(0)
        while True:
            cell = next_hot(board, player, cell)
            if cell == 0:
                break
            if board.rank[player, cell] != rank or (must > 0 and cell != must):
                continue
            if board.nodes >= board.limit:
                return np.int64(0)
            put(board, tables, cell, player)
            reply = answer(board, player, cell, np.int64(0))
            put(board, tables, reply, other)
            won = fours(board, tables, refuted, player, ply + 2)
            take(board, tables, reply)
            take(board, tables, cell)
            if won > 0:
                note(board, ply, cell)
                note(board, ply + 1, reply)
                return cell
    if board.nodes < board.limit:
        remember(refuted, key)
    return np.int64(0)
