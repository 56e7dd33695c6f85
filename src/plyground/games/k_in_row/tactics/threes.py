"""Wins by continuous threats, of fours and of open threes: what the other may answer is more than one cell, but few.

After a three, let the other pass: if the attacker then wins by fours, the *line* of that win tells what can stop it.  A
stone elsewhere changes nothing in it, unless it makes a four, now or together with the answers in the line.  So
only these cells are replies: those of the line, those on which the defender makes a four, and those on which
it would while the line is played.  If every reply loses the three has won, and that is a proof.
"""

from __future__ import annotations

import numpy as np

from ....rules import inner, kernel, record, recursive
from .board import DEEPEST, Shape, board_type, find, next_hot, next_ranked, put, take
from .fours import SIDE, answer, fours, remember, was_refuted
from .patterns import FOUR_THREE, FOURS, THREES, TWO_THREES, WINS

MANY = 128  # replies to a threat
REFUTED = 1 << 16  # positions remembered
DEPTH = np.uint64(0x9E3779B97F4A7C15)  # tells what was refuted at one depth from what was at another


def room_type(shape: Shape) -> np.dtype:
    """What the search works in, besides its memory of what was refuted, which may be large or small."""
    return record(
        [
            ("board", board_type(shape)),
            ("order", np.int16, (shape.m * shape.n,)),  # the stones of the position as they were put
            ("count", np.int64, (DEEPEST,)),  # replies by ply
            ("replies", np.int16, (DEEPEST, MANY)),
            ("depth", np.int64),  # of the win that was found last
        ]
    )


@inner
def add_reply(room, ply, cell):
    count = room.count[ply]
    for i in range(count):
        if room.replies[ply, i] == cell:
            return
    if count < MANY:
        room.replies[ply, count] = cell
    room.count[ply] = count + 1


@inner
def add_fours(room, ply, player):
    """Add the cells on which the player makes a four."""
    board = room.board
    cell = next_hot(board, player, np.int64(0))
    while cell > 0:
        add_reply(room, ply, cell)
        cell = next_hot(board, player, cell)


@recursive
def find_replies(room, tables, ply, player):
    """Write down what may stop the attacker's win by fours, whose line the board holds, and put no stone for good."""
    board, other = room.board, 1 - player
    room.count[ply] = 0
    for i in range(board.length):
        add_reply(room, ply, np.int64(board.line[i]))
    add_fours(room, ply, other)
    played = 0
    while played + 1 < board.length:
        stone, reply = np.int64(board.line[played]), np.int64(board.line[played + 1])
        if board.rank[player, stone] != FOURS and board.rank[player, stone] != FOUR_THREE:
            break
        put(board, tables, stone, player)
        put(board, tables, reply, other)
        played += 2
        add_fours(room, ply, other)
    for i in range(played - 1, -1, -1):
        take(board, tables, np.int64(board.line[i]))


@recursive
def threats(room, tables, refuted, player, turn, ply, depth):
    """Does the player win by continuous threats, `depth` of its stones deep, before it need only make fours?

    If it is its turn, the cell is returned with which it wins; if the other is to answer, 1.  0: not that is seen.
    refuted uint64[a power of 2]: see `fours`.
    """
    board, other = room.board, 1 - player
    if ply >= DEEPEST:
        return np.int64(0)
    if turn != player:
        if board.nodes >= board.limit or board.count[other, WINS] > 0:
            return np.int64(0)
        if fours(board, tables, refuted, other, np.int64(0)) > 0:
            return np.int64(0)
        if fours(board, tables, refuted, player, np.int64(0)) == 0:
            return np.int64(0)
        find_replies(room, tables, ply, player)
        if room.count[ply] > MANY:
            return np.int64(0)
        for i in range(room.count[ply]):
            reply = np.int64(room.replies[ply, i])
            put(board, tables, reply, other)
            won = threats(room, tables, refuted, player, player, ply + 1, depth)
            take(board, tables, reply)
            if won == 0:
                return np.int64(0)
        return np.int64(1)

    won = fours(board, tables, refuted, player, np.int64(0))
    if won > 0 or depth <= 0 or board.nodes >= board.limit:
        return won
    if board.count[other, WINS] > 1:
        return np.int64(0)
    must = find(board, other, WINS)
    key = (board.hash if player == 0 else board.hash ^ SIDE) ^ DEPTH >> np.uint64(depth)
    if was_refuted(refuted, key):
        return np.int64(0)
    for rank in (TWO_THREES, FOUR_THREE, THREES, FOURS):
        none = rank != THREES if must > 0 else board.count[player, rank] == 0
        if none:
            continue
        cell = must if must > 0 else next_ranked(board, player, rank, np.int64(0))
        while cell > 0:
            makes_four = board.rank[player, cell] >= FOURS
            put(board, tables, cell, player)
            if makes_four:
                reply = answer(board, player, cell, np.int64(0))
                put(board, tables, reply, other)
                won = threats(room, tables, refuted, player, player, ply + 1, depth - 1)
                take(board, tables, reply)
            else:
                won = threats(room, tables, refuted, player, other, ply + 1, depth - 1)
            take(board, tables, cell)
            if won > 0:
                return cell
            if board.nodes >= board.limit:
                return np.int64(0)
            cell = np.int64(0) if must > 0 else next_ranked(board, player, rank, cell)
    remember(refuted, key)
    return np.int64(0)


@kernel
def search(rooms, tables, refuted, player, deepest):
    """The cell with which the player, to move, wins by fours, or by threats `deepest` deep; 0 if that is not seen.

    It looks deeper and deeper, and puts no more stones than the board's limit, which may be lowered meanwhile.  Of a
    win by fours it also finds what might stop it if the other were to move: `replies[0]`.

    rooms room_type[1]; tables [1] of `tables_of`; refuted uint64[entries]: positions in which nothing was found.
    """
    board = rooms[0].board
    board.nodes = 0
    for depth in range(deepest + 1):
        board.length = 0
        won = threats(rooms[0], tables[0], refuted, player, player, np.int64(0), np.int64(depth))
        if won > 0:
            rooms[0].depth = depth
            if depth == 0:
                find_replies(rooms[0], tables[0], np.int64(0), player)
            return won
        if board.nodes >= board.limit:
            break
    return np.int64(0)
