"""The seven pieces of Tetris, and how they come to rest: a well is an array of columns, each the bits of one number.

Bit 0 of a column is its cell on the floor.  Columns, not rows: a hole, a well or the height of a pile is then a few
operations on one number, and a piece touches four numbers at most.

A piece turns clockwise within its square box.  Turns that leave the same cells, such as those of the square, are one
*shape*.  The `turn` of a piece is the number of its turns, `col` the leftmost column of its cells, `y` its lowest row.
"""

import numpy as np

from ...bits import ones

LETTERS = "iotszjl"
WIDEST = 15  # columns of a well
BOXES = (
    ("....", "####", "....", "...."),
    ("##", "##"),
    (".#.", "###", "..."),
    (".##", "##.", "..."),
    ("##.", ".##", "..."),
    ("#..", "###", "..."),
    ("..#", "###", "..."),
)


def turned(box, turns):
    """The rows of a box after so many turns to the right."""
    for _ in range(turns):
        box = tuple("".join(col) for col in zip(*box[::-1], strict=True))
    return box


def cells(piece, turn):
    """Row and column of the cells of a piece within its box."""
    box = turned(BOXES[piece], turn)
    return [(row, col) for row, line in enumerate(box) for col, sign in enumerate(line) if sign == "#"]


# by piece and turn
LEFT = np.zeros((7, 4), np.int64)  # columns of the box left of the cells
DOWN = np.zeros((7, 4), np.int64)  # rows of the box down to the lowest cell
WIDTH = np.zeros((7, 4), np.int64)
HEIGHT = np.zeros((7, 4), np.int64)
BITS = np.zeros((7, 4, 4), np.int64)  # the cells in each of its columns
BOTTOM = np.zeros((7, 4, 4), np.int64)  # the lowest of them
PADDED = np.zeros((7, 4, 2 * WIDEST + 4), np.int64)  # the same between as many columns without cells
SHAPES = np.zeros(7, np.int64)  # by piece: its first turns give all its shapes, 1, 2 or 4

for _piece in range(7):
    _seen = set()
    for _turn in range(4):
        _rows, _cols = zip(*cells(_piece, _turn), strict=True)
        LEFT[_piece, _turn], DOWN[_piece, _turn] = min(_cols), max(_rows) + 1
        WIDTH[_piece, _turn] = max(_cols) - min(_cols) + 1
        HEIGHT[_piece, _turn] = max(_rows) - min(_rows) + 1
        for _row, _col in zip(_rows, _cols, strict=True):
            BITS[_piece, _turn, _col - min(_cols)] |= 1 << max(_rows) - _row
        for _i in range(WIDTH[_piece, _turn]):
            BOTTOM[_piece, _turn, _i] = next(_bit for _bit in range(4) if BITS[_piece, _turn, _i] >> _bit & 1)
        _seen.add(tuple(BITS[_piece, _turn].tolist()))
    SHAPES[_piece] = len(_seen)
PADDED[:, :, WIDEST : WIDEST + 4] = BITS


def height(column):
    """Rows up to the highest cell of a column."""
    column = np.int64(column)
    column |= column >> 1
    column |= column >> 2
    column |= column >> 4
    column |= column >> 8
    return ones(column | column >> 16)


def fits(columns, piece, turn, col, y):
    """Are the cells free that the piece would take?"""
    taken = np.int64(0)
    for i in range(WIDTH[piece, turn]):
        taken |= columns[col + i] & BITS[piece, turn, i] << y
    return taken == 0


def landing(columns, piece, turn, col, y):
    """The row to which a piece falls from row y; above it there may be cells, too."""
    rest = np.int64(0)
    for i in range(WIDTH[piece, turn]):
        bottom = BOTTOM[piece, turn, i]
        rest = max(rest, height(columns[col + i] & (1 << y + bottom) - 1) - bottom)
    return rest


def without(column, full):
    """A column without these rows: what lies above them comes down."""
    column, full = np.int64(column), np.int64(full)
    while full != 0:
        below = (full & -full) - 1
        column = column & below | column >> 1 & ~below
        full = (full & full - 1) >> 1
    return column
