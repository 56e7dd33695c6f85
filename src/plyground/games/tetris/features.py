"""Tetris: the features of placements by Dellacherie and by Thiery and Scherrer (2009), weighed and added up.

They are those of MDPTetris, the program of the latter.  Walls and floor count as cells.

    landing height      rows below the middle of the piece where it comes to rest
    eroded cells        lines that the piece clears, times its own cells in them
    row transitions     neighbours in a row of which one is a cell and the other is none, in all rows
    column transitions  the same in the columns
    holes               empty cells with a cell somewhere above them
    wells               for every empty cell between two cells: how many cells are empty from there down
    hole depth          cells that lie on a hole, or on such a cell
    hole rows           rows with a hole

The first two belong to the move; the others are counted when full rows have vanished.  All but the last are sums
over columns, and a piece changes few of them: what the others count is added up once for all placements.
"""

from typing import NamedTuple

import numpy as np

from ...bits import ones
from .rules import placement
from .tetrominoes import BITS, HEIGHT, LEFT, PADDED, WIDEST, WIDTH, without
from .well import origin, spawn, well

LOST = -1e9  # points of a placement that ends the game
FIELD = 12  # bits of each of the five counts that one number holds
COUNT = (1 << FIELD) - 1


class Linear(NamedTuple):
    """What placements are worth: their features times these weights."""

    landing_height: float = 0.0
    eroded_cells: float = 0.0
    row_transitions: float = 0.0
    column_transitions: float = 0.0
    holes: float = 0.0
    wells: float = 0.0
    hole_depth: float = 0.0
    hole_rows: float = 0.0

    def room(scoring, game):
        size = game.cols + 1
        return [("counts", np.int64, (size,)), ("hollow", np.int64, (2, size)), ("full", np.int64, (2, size))]

    def rate(scoring, game, state, actions, count, points, room):
        survey(game, state, room)
        for k in range(count):
            points[k] = worth(scoring, game, state, np.int64(actions[k]), room)

    def gain(scoring, game, state, action):
        piece, turn, col, _, y = placement(game, state, action)
        full = np.int64(-1)
        for i in range(game.cols):
            full &= state.columns[i] | PADDED[piece, turn, WIDEST + i - col] << y
        return of_move(scoring, piece, turn, y, full)


class Lowest(NamedTuple):
    """Takes the placement that lies lowest: every column is read, nothing counted.  What benchmarks compare with."""

    weight: float = -1.0

    def room(scoring, game):
        return [("read", np.int64)]

    def rate(scoring, game, state, actions, count, points, room):
        for k in range(count):
            piece, turn, col, _, y = placement(game, state, np.int64(actions[k]))
            for i in range(game.cols):
                room.read += state.columns[i] | PADDED[piece, turn, WIDEST + i - col] << y
            points[k] = scoring.weight * y

    def gain(scoring, game, state, action):
        return 0.0


DELLACHERIE = Linear(-1.0, 1.0, -1.0, -1.0, -4.0, -1.0)
BCTS = Linear(-12.63, 6.60, -9.22, -19.77, -13.08, -10.49, -1.61, -24.04)

FAST = Linear(landing_height=-1.0, holes=-4.0)  # plays roll-outs


def survey(game, state, room):
    """Add up what columns count as they are, from the left and from the right."""
    cols, wall = game.cols, (1 << well(game)) - 1
    room.counts[0] = 0
    room.hollow[0, 0], room.hollow[1, cols] = 0, 0
    room.full[0, 0], room.full[1, cols] = wall, wall
    left = np.int64(wall)
    for i in range(cols):
        here, right = np.int64(state.columns[i]), np.int64(wall)
        if i + 1 < cols:
            right = np.int64(state.columns[i + 1])
        room.counts[i + 1] = room.counts[i] + counted(left, here, right)
        room.hollow[0, i + 1] = room.hollow[0, i] | hollow(here)
        room.full[0, i + 1] = room.full[0, i] & here
        left = here
    room.counts[cols] += ones(left ^ wall)
    for i in range(cols - 1, -1, -1):
        here = np.int64(state.columns[i])
        room.hollow[1, i] = room.hollow[1, i + 1] | hollow(here)
        room.full[1, i] = room.full[1, i + 1] & here


def counted(left, here, right):
    """Row and column transitions, holes, wells and hole depth of a column between two others, in one number."""
    wells = np.int64(0)
    narrow = left & right & ~here
    while narrow != 0:
        wells += ones(narrow)
        narrow = narrow >> 1 & ~here
    count = ones(here & here + 1) << FIELD | wells
    count = count << FIELD | ones(hollow(here))
    count = count << FIELD | ones(here ^ (here << 1 | 1))
    return count << FIELD | ones(left ^ here)


def hollow(column):
    """The holes of a column."""
    below = column | column >> 1
    below |= below >> 2
    below |= below >> 4
    below |= below >> 8
    below |= below >> 16
    return below & ~column


def of_move(scoring, piece, turn, y, full):
    """What the move itself is worth."""
    own = np.int64(0)
    if full != 0:
        for i in range(WIDTH[piece, turn]):
            own += ones(BITS[piece, turn, i] << y & full)
    landing = y + (HEIGHT[piece, turn] - 1) / 2
    return scoring.landing_height * landing + scoring.eroded_cells * ones(full) * own


def worth(scoring, game, state, action, room):
    """What a placement is worth, given what was surveyed."""
    piece, turn, col, _, y = placement(game, state, action)
    if not game.reference and y + HEIGHT[piece, turn] > game.rows:
        return LOST
    first, end = col, col + WIDTH[piece, turn]
    full = room.full[0, first] & room.full[1, end]
    for i in range(first, end):
        full &= state.columns[i] | PADDED[piece, turn, WIDEST + i - col] << y
    if game.reference and state.next > 0:  # can it appear then?
        after = np.int64(state.next - 1)
        for i in range(WIDTH[after, 0]):
            k = spawn(game, after) + LEFT[after, 0] + i
            column = without(state.columns[k] | PADDED[piece, turn, WIDEST + k - col] << y, full)
            if column >> origin(game, after, 0) & BITS[after, 0, i]:
                return LOST
    first, end = max(first - 1, 0), min(end + 1, game.cols)  # the columns that count anew
    if full != 0:
        first, end = 0, game.cols
    wall = np.int64((1 << well(game)) - 1)
    count = room.counts[first] + room.counts[game.cols] - room.counts[end]
    holes = room.hollow[0, first] | room.hollow[1, end]
    left = np.int64(state.columns[first - 1]) if first > 0 else wall
    here = without(state.columns[first] | PADDED[piece, turn, WIDEST + first - col] << y, full)
    for i in range(first, end):
        right = wall
        if i + 1 < game.cols:
            right = without(state.columns[i + 1] | PADDED[piece, turn, WIDEST + i + 1 - col] << y, full)
        count += counted(left, here, right)
        holes |= hollow(here)
        left = here
        here = right
    if end == game.cols:
        count += ones(left ^ wall)
    points = of_move(scoring, piece, turn, y, full)
    points += scoring.row_transitions * (count & COUNT)
    points += scoring.column_transitions * (count >> FIELD & COUNT)
    points += scoring.holes * (count >> 2 * FIELD & COUNT)
    points += scoring.wells * (count >> 3 * FIELD & COUNT)
    points += scoring.hole_depth * (count >> 4 * FIELD)
    return points + scoring.hole_rows * ones(holes)
