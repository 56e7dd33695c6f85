"""Dots and Boxes: draw an edge between two dots; who closes a box has it, and draws again."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from .grid import symmetries_of


class Dots(NamedTuple):
    """Draw edges; who closes a box has it and moves again, and more boxes win.

    The board has a cell for every dot, edge and box, so that a box is the cell (odd, odd) with its edges around it.
    """

    rows: Annotated[int, About("rows of boxes", low=1, high=9)] = 3
    cols: Annotated[int, About("columns of boxes", low=1, high=9)] = 3

    def fields(game):
        # of edges and boxes: 0, or 1 and 2 by whom; an edge is nobody's: 3
        return [("cells", np.int8, (2 * game.rows + 1, 2 * game.cols + 1)), ("boxes", np.int8, (2,)), ("turn", np.int8)]

    def start(game, state):
        for row in range(0, 2 * game.rows + 1, 2):
            for col in range(0, 2 * game.cols + 1, 2):
                state.cells[row, col] = 3  # dots

    def actions(game):
        return 2 * game.rows * game.cols + game.rows + game.cols  # edges, row by row

    def place(game, edge):
        """The row and column of an edge's cell: of two rows of cells the upper has `cols` edges, the lower one more."""
        pair, rest = edge // (2 * game.cols + 1), edge % (2 * game.cols + 1)
        if rest < game.cols:
            return 2 * pair, 2 * rest + 1
        return 2 * pair + 1, 2 * (rest - game.cols)

    def spot(game, edge):
        """The number of an edge's cell."""
        row, col = game.place(edge)
        return row * (2 * game.cols + 1) + col

    def legal(game, state, out):
        count = 0
        for edge in range(game.actions()):
            out[count] = edge
            count += game.still(state, edge)
        return count

    def still(game, state, action):
        row, col = game.place(action)
        return state.cells[row, col] == 0

    def closed(game, state, row, col):
        """Is there a box here, all whose edges are drawn?"""
        if not (0 < row < 2 * game.rows and 0 < col < 2 * game.cols):
            return False
        cells = state.cells
        return (
            cells[row - 1, col] != 0
            and cells[row + 1, col] != 0
            and cells[row, col - 1] != 0
            and cells[row, col + 1] != 0
        )

    def play(game, state, action):
        row, col = game.place(action)
        state.cells[row, col] = 3
        across, again = row % 2 == 0, False  # a box above and one below, or one on the left and one on the right
        for side in (-1, 1):
            r, c = row + (side if across else 0), col + (0 if across else side)
            if game.closed(state, r, c):
                state.cells[r, c] = state.turn + 1
                state.boxes[state.turn] += 1
                again = True
        if not again:
            state.turn = 1 - state.turn

    def over(game, state):
        return state.boxes[0] + state.boxes[1] == game.rows * game.cols

    def score(game, state):
        return float(np.sign(state.boxes[0] - state.boxes[1])) if game.over(state) else 0.0

    def decisive(game):
        return game.rows * game.cols % 2 == 1

    def planes(game):
        return (3, 2 * game.rows + 1, 2 * game.cols + 1)

    def encode(game, state, planes):
        for row in range(2 * game.rows + 1):
            for col in range(2 * game.cols + 1):
                cell = state.cells[row, col]
                planes[0, row, col] = cell == state.turn + 1
                planes[1, row, col] = cell == 2 - state.turn
                planes[2, row, col] = cell == 3

    def symmetries(game):
        return symmetries_of(game)

    def cells(game, state):
        return state.cells.ravel().tolist()

    def glyphs(game, state):
        """Dots, and edges that are drawn; nothing on a box that is nobody's."""
        shown = []
        for row, cells in enumerate(state.cells.tolist()):
            drawn = ("\u2502", "") if row % 2 else ("\u2022", "\u2500")  # in columns of dots, and in those of boxes
            free = ("", " ") if row % 2 else ("", "")
            shown += [(drawn if cell else free)[col % 2] for col, cell in enumerate(cells)]
        return shown

    def where(game, state, action):
        return [game.spot(action)]

    def name(game, action):
        return cell_name(2 * game.rows + 1, 2 * game.cols + 1, game.spot(action))
