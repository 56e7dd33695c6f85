"""Alpha-beta on a board that knows its patterns: the search of `gomoku-classic`.

Negamax with a transposition table, late moves looked at less deeply and with a null window (principal variation
search).  Threats make it narrow: a five is taken, a four is answered, an open three is stopped or met with fours, and
such answers cost no depth.  At a leaf wins by fours are looked for; what is quiet is worth the points of the board.

It stands beside `search.depth_first.alphabeta`, not on it: that one copies states and proves values, whereas here one
board is changed and restored, moves are left out, and threads share a table of 16 bytes an entry without locks.
"""

from __future__ import annotations

import numpy as np

from ....rules import inner, kernel, record, recursive
from .board import EMPTY, Shape, board_type, find, put, take
from .fours import fours
from .patterns import FOUR_THREE, FOURS, WINS, WON

MATE = 30_000  # the value of a win, less the stones until it
SURE = MATE - 1_000  # wins and losses lie beyond
PLIES = 60
WIDTH, ROOT_WIDTH = 28, 60  # moves that are looked at
QUIET = 6  # plies that answers to threats may go on beyond the depth
TEMPO = 30  # points for who is to move
SCALE = 400  # points that make a position probably won
LEAF = 100  # stones that a look for fours may put
REFUTED = 1 << 14
EXACT, LOWER, UPPER = 0, 1, 2
FIRST, KILLER = 1 << 28, 1 << 12  # points of a move in the ordering

FAR = 44  # points of a move that is near no stone
ENTRY = [("check", np.uint64), ("word", np.uint64)]  # what is known, and the key with it: half an entry is none


def room_type(shape: Shape) -> np.dtype:
    """What the search works in."""
    return record(
        [
            ("board", board_type(shape)),
            ("order", np.int16, (shape.m * shape.n,)),  # the stones of the position as they were put
            ("refuted", np.uint64, (REFUTED,)),
            ("history", np.int32, (2, shape.size)),
            ("killers", np.int16, (PLIES, 2)),
            ("moves", np.int16, (PLIES, shape.m * shape.n)),
            ("points", np.int32, (PLIES, shape.m * shape.n)),
            ("values", np.int32, (shape.size,)),  # of the moves at the root, by cell
            ("banned", np.int8, (shape.size,)),  # cells that must not be played there
            ("nodes", np.int64),
            ("stop", np.bool_),
            ("best", np.int64),  # cell, value and depth of the deepest search that has ended
            ("value", np.int64),
            ("depth", np.int64),
        ]
    )


def new_table(entries: int) -> np.ndarray:
    """A table of positions; a power of two."""
    return np.zeros(entries, record(ENTRY))


@inner
def recall(table, key, ply):
    """The best move, depth, bound and value of a position; depth -128 if it is not known."""
    entry = table[np.int64(key & np.uint64(table.size - 1))]
    data = entry.word
    if entry.check ^ data != key:
        return np.int64(0), np.int64(-128), np.int64(0), np.int64(0)
    packed = np.int64(data)
    value = (packed >> 26) - MATE
    if abs(value) > SURE:  # the stones until the end count from here
        value += -ply if value > 0 else ply
    return packed & 0xFFFF, (packed >> 18 & 0xFF) - 128, packed >> 16 & 3, value


@inner
def keep(table, key, ply, move, depth, bound, value):
    """Write down what is known of a position."""
    if abs(value) > SURE:
        value += ply if value > 0 else -ply
    data = np.uint64(value + MATE << 26 | depth + 128 << 18 | bound << 16 | move)
    entry = table[np.int64(key & np.uint64(table.size - 1))]
    entry.check, entry.word = key ^ data, data


@inner
def worth(board, player):
    """What a quiet position is worth for the player to move."""
    return np.int64(min(max(board.points[player] - board.points[1 - player] + TEMPO, -SURE + 1), SURE - 1))


@inner
def add_moves(room, tables, player, ply, hint, far):
    """Write the moves of more than `far` points, with these, into the room of this ply; return how many."""
    board, other = room.board, 1 - player
    fives, open_fours = board.count[other, WINS] > 0, board.count[other, WON] > 0
    count = 0
    for at in range(board.first, board.end):
        if board.cells[at] != EMPTY or (ply == 0 and room.banned[at] != 0):
            continue
        mine, theirs = board.rank[player, at], board.rank[other, at]
        if fives:
            if theirs != WINS:
                continue
        elif open_fours and theirs < FOURS and mine < FOURS:
            continue
        points = (
            np.int64(tables.points[board.codes[player, at]]) * 5 + np.int64(tables.points[board.codes[other, at]]) * 4
        )
        if points <= far and board.stones > 0 and not fives and not open_fours:
            continue
        points = points * 16 + room.history[player, at]
        if at == hint:
            points += FIRST
        elif at == room.killers[ply, 0] or at == room.killers[ply, 1]:
            points += KILLER
        room.moves[ply, count] = at
        room.points[ply, count] = points
        count += 1
    return count


@inner
def pick(room, ply, i, count):
    """Bring the best of moves[i:count] to the front of them; return it."""
    best = i
    for j in range(i + 1, count):
        if room.points[ply, j] > room.points[ply, best]:
            best = j
    move, points = room.moves[ply, best], room.points[ply, best]
    room.moves[ply, best], room.points[ply, best] = room.moves[ply, i], room.points[ply, i]
    room.moves[ply, i], room.points[ply, i] = move, points
    return np.int64(move)


@inner
def credit(room, player, ply, cell, depth):
    """A move has refuted what came before it: it is tried early from now on."""
    if room.killers[ply, 0] != cell:
        room.killers[ply, 1] = room.killers[ply, 0]
        room.killers[ply, 0] = cell
    room.history[player, cell] += depth * depth
    if room.history[player, cell] > KILLER:
        for each in range(2):
            for at in range(room.history.shape[1]):
                room.history[each, at] >>= 1


@inner
def won_by(room, ply, cell, stones):
    """The value of a win that begins with this cell and takes so many stones; at the root it is the best move."""
    if ply == 0:
        room.best, room.value = cell, MATE - stones
    return MATE - ply - stones


@recursive
def negamax(room, tables, table, player, ply, depth, alpha, beta):
    """The value for the player to move, or a bound of it if it does not lie between alpha and beta."""
    board, other = room.board, 1 - player
    room.nodes += 1
    if board.count[player, WINS] > 0:
        return won_by(room, ply, find(board, player, WINS), np.int64(1))
    if board.count[other, WINS] > 1:
        return ply + 2 - MATE
    forced = board.count[other, WINS] == 1
    if not forced and board.count[player, WON] > 0:
        return won_by(room, ply, find(board, player, WON), np.int64(3))
    if board.stones == board.m * board.n:
        return np.int64(0)
    if board.count[player, FOURS] + board.count[player, FOUR_THREE] > 0:
        board.nodes, board.limit = 0, LEAF if depth <= 0 else 4 * LEAF
        cell = fours(board, tables, room.refuted[:], player, np.int64(0))
        if cell > 0:
            return won_by(room, ply, cell, board.length)
    pressed = forced or board.count[other, WON] > 0
    if room.stop or ply >= PLIES - 1 or (depth <= 0 and not (pressed and depth > -QUIET)):
        return worth(board, player)

    key = board.hash if player == 0 else ~board.hash
    hint, known, bound, value = recall(table, key, ply)
    if known >= depth and ply > 0:
        if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
            return value

    count = add_moves(room, tables, player, ply, hint, FAR)
    if count == 0:
        count = add_moves(room, tables, player, ply, hint, -1)
    if count == 0:
        return worth(board, player)
    best, best_cell, low = np.int64(-MATE), np.int64(0), alpha
    width = count if pressed else min(count, ROOT_WIDTH if ply == 0 else WIDTH)
    deeper = depth if pressed and depth > 0 and ply < PLIES // 2 else depth - 1
    for i in range(width):
        cell = pick(room, ply, i, count)
        put(board, tables, cell, player)
        value = low + 1
        if i > 0:  # is it better than the best so far?
            late = 0
            if depth >= 3 and i >= 4 and not pressed:
                late = 2 if i >= 12 else 1
            value = -negamax(room, tables, table, other, ply + 1, deeper - late, -low - 1, -low)
            if late > 0 and value > low:
                value = -negamax(room, tables, table, other, ply + 1, deeper, -low - 1, -low)
        if i == 0 or low < value < beta:
            value = -negamax(room, tables, table, other, ply + 1, deeper, -beta, -low)
        take(board, tables, cell)
        if room.stop:
            return best
        if ply == 0:
            room.values[cell] = value
        if value > best:
            best, best_cell = value, cell
            if ply == 0:
                room.best, room.value = cell, value
            if value > low:
                low = value
            if value >= beta:
                credit(room, player, ply, cell, max(depth, 1))
                break
    keep(table, key, ply, best_cell, depth, LOWER if best >= beta else EXACT if best > alpha else UPPER, best)
    return best


@kernel
def deepen(rooms, tables, table, player, deepest):
    """Search deeper and deeper until `rooms[0].stop`; what is known stands in best, value, depth and values.

    rooms room_type[1]; tables [1] of `tables_of`; table ENTRY[entries], a power of two; player: to move; deepest:
    plies.
    """
    room = rooms[0]
    room.nodes, room.depth = 0, 0
    count = add_moves(room, tables[0], player, np.int64(0), np.int64(0), FAR)
    if count == 0:
        count = add_moves(room, tables[0], player, np.int64(0), np.int64(0), -1)
    if count == 0:  # all are banned: what was best before has to do
        return
    room.best, room.value = pick(room, np.int64(0), np.int64(0), count), worth(room.board, player)
    for cell in range(room.values.size):
        room.values[cell] = -MATE
    if count == 1:
        return
    for depth in range(1, deepest + 1):
        value = negamax(room, tables[0], table, player, np.int64(0), np.int64(depth), np.int64(-MATE), np.int64(MATE))
        if room.stop:
            return
        room.depth = depth
        if abs(value) > SURE:
            return
