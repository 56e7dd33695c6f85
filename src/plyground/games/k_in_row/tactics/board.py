"""A board that knows at every empty cell what a stone of either player would make there, kept up move by move.

The cells have a rim of walls, `reach` wide, so that no line has to be checked for the edge; `inside` turns an action
into a cell.  Stones are taken back in the reverse order of play: what a cell knew when it was covered is true again
when it is free.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ....jit.interpreted import interpreted_as
from ....rules import inner, kernel, record, recursive
from ....search.rng import seeded
from . import patterns, vectorised
from .patterns import FOURS, WINS

EMPTY, WALL = 0, 3  # a cell; 1 and 2 are the players' stones
DEEPEST = 64  # threats in a line of play
LINES = 4
RANKS = WINS + 1


class Shape(NamedTuple):
    """A board of m columns and n rows on which k in a row win."""

    m: int
    n: int
    k: int
    exact: bool

    @property
    def reach(self) -> int:
        return patterns.reach(self.k, self.exact)

    @property
    def stride(self) -> int:
        return self.m + self.reach  # the wall at the end of a row is also that at the start of the next

    @property
    def rows(self) -> int:
        return self.n + 2 * self.reach

    @property
    def size(self) -> int:
        return self.reach + self.rows * self.stride + self.reach


def shape_of(game: Any) -> Shape:
    return Shape(game.m, game.n, game.k, bool(game.exact))


@cache
def tables_of(shape: Shape) -> np.ndarray:
    """What does not change in a game, as an array of one record."""
    made = patterns.by_key(shape.k, shape.exact)
    rank, points = patterns.by_lines()
    fields: list = [("noise", np.uint64, (2, shape.size)), ("points", np.int16, points.shape)]
    fields += [("row", np.int16, (shape.size,))]
    fields += [("rank", np.int8, rank.shape), ("made", np.int8, made.shape)]  # by code, by code, by player and key
    tables = np.zeros(1, record(fields))
    tables["noise"] = [[seeded(2 * cell + player) for cell in range(shape.size)] for player in range(2)]
    tables["points"], tables["rank"], tables["made"] = points, rank, made
    tables["row"] = np.clip((np.arange(shape.size) - shape.reach) // shape.stride, 0, shape.rows - 1)
    return tables


def board_type(shape: Shape) -> np.dtype:
    size = shape.size
    return record(
        [
            ("m", np.int64),
            ("n", np.int64),
            ("reach", np.int64),
            ("stride", np.int64),
            ("first", np.int64),  # the first cell that is no wall, and the one after the last
            ("end", np.int64),
            ("steps", np.int64, (LINES,)),  # from cell to cell along a row, column, diagonal, anti-diagonal
            ("hash", np.uint64),
            ("stones", np.int64),
            ("count", np.int64, (2, RANKS)),  # empty cells by what a stone of the player would make there
            ("points", np.int64, (2,)),  # of all of them together
            ("hot", np.int16, (2, shape.rows)),  # by row, the empty cells on which a stone makes a four or more
            ("nodes", np.int64),  # stones put by a search, and how many it may put
            ("limit", np.int64),
            ("length", np.int64),  # of the line that a search has found
            ("line", np.int16, (2 * DEEPEST + 4,)),
            ("keys", np.int32, (size, LINES)),
            ("codes", np.uint16, (2, size)),
            ("rank", np.int8, (2, size)),
            ("cells", np.int8, (size,)),
        ]
    )


def new(shape: Shape) -> np.ndarray:
    """An empty board, as an array of one record."""
    boards = np.zeros(1, board_type(shape))
    board = boards[0]
    side, stride = shape.reach, shape.stride
    board.m, board.n, board.reach, board.stride = shape.m, shape.n, side, stride
    board.first, board.end = inside(board, 0), inside(board, shape.m * shape.n - 1) + 1
    board.steps = [1, stride, stride + 1, stride - 1]
    board.cells = WALL
    for action in range(shape.m * shape.n):
        board.cells[inside(board, action)] = EMPTY
    tables = tables_of(shape)[0]
    made, rank, points = tables.made, tables.rank, tables.points
    empty = np.flatnonzero(board.cells == EMPTY)
    for line in range(LINES):
        others = [i for i in range(-side, side + 1) if i]
        for place, i in enumerate(others):
            at = board.cells[empty + i * board.steps[line]]
            board.keys[empty, line] |= at.astype(np.int32) << 2 * place
        for player in range(2):
            board.codes[player, empty] |= made[player, board.keys[empty, line]].astype(np.uint16) << 4 * line
    for player in range(2):
        codes = board.codes[player, empty]
        board.rank[player, empty] = rank[codes]
        board.count[player] = np.bincount(rank[codes], minlength=RANKS)
        board.points[player] = points[codes].sum()
    return boards


def inside(board, action):
    """The cell of an action."""
    row = action // board.m
    return board.reach + (row + board.reach) * board.stride + action - row * board.m


def outside(board, cell):
    """The action of a cell."""
    row = (cell - board.reach) // board.stride
    return (row - board.reach) * board.m + cell - board.reach - row * board.stride


inside_of, outside_of = inner(inside), inner(outside)


@recursive
def put(board, tables, cell, player):
    """Put a stone on an empty cell."""
    for each in range(2):
        rank = board.rank[each, cell]
        board.count[each, rank] -= 1
        board.hot[each, tables.row[cell]] -= rank >= FOURS
        board.points[each] -= tables.points[board.codes[each, cell]]
    board.cells[cell] = player + 1
    board.stones += 1
    board.hash ^= tables.noise[player, cell]
    board.nodes += 1
    change(board, tables, cell, np.int64(player + 1))


@recursive
def take(board, tables, cell):
    """Take back the stone that was put last."""
    player = np.int64(board.cells[cell] - 1)
    change(board, tables, cell, -1 - player)
    board.cells[cell] = EMPTY
    board.stones -= 1
    board.hash ^= tables.noise[player, cell]
    for each in range(2):
        rank = board.rank[each, cell]
        board.count[each, rank] += 1
        board.hot[each, tables.row[cell]] += rank >= FOURS
        board.points[each] += tables.points[board.codes[each, cell]]


@interpreted_as(vectorised.change)
@recursive
def change(board, tables, cell, stone):
    """Add a stone to the keys of all cells that see this one, and to what the empty ones of them know."""
    side = board.reach
    for line in range(LINES):
        step = board.steps[line]
        for i in range(-side, side + 1):
            at = cell + i * step
            if i == 0 or board.cells[at] != EMPTY:
                continue
            place = side - i - (i < 0)  # of this cell among the others of that line
            key = board.keys[at, line] + (stone << 2 * place)
            board.keys[at, line] = key
            for player in range(2):
                old = np.int64(board.codes[player, at])
                now = np.int64(tables.made[player, key])
                if now != (old >> 4 * line & 15):
                    code = old & ~(15 << 4 * line) | now << 4 * line
                    board.codes[player, at] = code
                    board.points[player] += np.int64(tables.points[code]) - np.int64(tables.points[old])
                    before, after = board.rank[player, at], tables.rank[code]
                    if before != after:
                        board.rank[player, at] = after
                        board.count[player, before] -= 1
                        board.count[player, after] += 1
                        board.hot[player, tables.row[at]] += np.int64(after >= FOURS) - np.int64(before >= FOURS)


@inner
def follow(board, tables, order, cells):
    """Make the board that of these cells, int8[action]; order int16[stones]: its stones as they were put.

    Stones that it has and they have not are taken back, with all that were put later, then what is missing is put.
    """
    same = 0
    while same < board.stones:
        cell = np.int64(order[same])
        if cells[outside_of(board, cell)] != board.cells[cell]:
            break
        same += 1
    while board.stones > same:
        take(board, tables, np.int64(order[board.stones - 1]))
    for action in range(cells.size):
        if cells[action] != EMPTY:
            cell = inside_of(board, np.int64(action))
            if board.cells[cell] == EMPTY:
                order[board.stones] = cell
                put(board, tables, cell, np.int64(cells[action] - 1))


@kernel
def set_up(rooms, tables, cells):
    """Show a position, int8[action], to what works in a room.

    rooms [1], with a `board_type` and the order of its stones; tables [1] of `tables_of`; cells int8[actions].
    """
    follow(rooms[0].board, tables[0], rooms[0].order, cells)


@inner
def find(board, player, rank):
    """The first cell on which a stone of the player has this rank, a four or more; 0, a wall, if there is none."""
    cell = np.int64(0)
    if board.count[player, rank] > 0:
        cell = next_hot(board, player, cell)
        while cell > 0 and board.rank[player, cell] != rank:
            cell = next_hot(board, player, cell)
    return cell


@interpreted_as(vectorised.next_hot)
@inner
def next_hot(board, player, cell):
    """The next cell after this one on which a stone of the player makes a four or more; 0 after the last."""
    start = board.first if cell == 0 else cell + 1
    row = (start - board.reach) // board.stride
    at = np.int64(start)
    while row < board.n + board.reach:
        end = board.reach + row * board.stride + board.m
        if board.hot[player, row] > 0:
            while at < end:
                if board.rank[player, at] >= FOURS and board.cells[at] == EMPTY:
                    return at
                at += 1
        row += 1
        at = board.reach + row * board.stride
    return np.int64(0)


@interpreted_as(vectorised.next_ranked)
@inner
def next_ranked(board, player, rank, cell):
    """The next empty cell after this one on which a stone of the player has this rank; 0 after the last."""
    at = board.first if cell == 0 else cell + 1
    while at < board.end:
        if board.rank[player, at] == rank and board.cells[at] == EMPTY:
            return np.int64(at)
        at += 1
    return np.int64(0)
