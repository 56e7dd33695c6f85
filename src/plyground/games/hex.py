"""Hex: fill a cell in turn; the first player joins the top to the bottom, the second the left to the right.

Above the board and on its left lie stones of the players who have to join these edges to the other ones.  A stone that
is joined to them is marked: a move looks at its neighbours only, and every stone is walked through once in a game.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import letters
from ..rules import new
from ..spec import About
from . import grid
from .grid import STONES

JOINED = 2  # is added to stones that are joined to their player's first edge
EDGE = 5  # on the right and below


class Hex(NamedTuple):
    """Join your two edges of the board: top and bottom if you begin, left and right if not."""

    size: Annotated[int, About("side of the board", low=2, high=19)] = 11

    def fields(game):
        side = game.size + 2  # with the edges
        return [("stones", np.int8, (side * side,)), ("turn", np.int8), ("winner", np.int8)]

    def start(game, state):
        side = game.size + 2
        for i in range(side):
            state.stones[i] = 1 + JOINED
            state.stones[side * i + side - 1] = state.stones[side * (side - 1) + i] = EDGE
        for i in range(1, side - 1):
            state.stones[side * i] = 2 + JOINED

    def actions(game):
        return game.size * game.size

    def spot(game, cell):
        """Where the stone of a cell is kept; its row is cell // size, written without a division, which takes long."""
        row = np.int64(cell) * (65536 // game.size + 1) >> 16
        return cell + 2 * row + game.size + 3

    def legal(game, state, out):
        count, cell = 0, 0
        for row in range(game.size):
            first = game.spot(row * game.size)
            for col in range(game.size):
                out[count] = cell
                count += state.stones[first + col] == 0
                cell += 1
        return count

    def still(game, state, action):
        return state.stones[game.spot(action)] == 0

    def play(game, state, action):
        spot, stone, side = game.spot(action), state.turn + 1, game.size + 2
        state.stones[spot] = stone
        for step in (-side, 1 - side, -1, 1, side - 1, side):
            if state.stones[spot + step] == stone + JOINED:
                game.join(state, spot, stone)
                break
        state.turn = 1 - state.turn

    def join(game, state, spot, stone):
        """Mark this stone and all that hang on it; who comes to the other edge has won."""
        side = game.size + 2
        waiting = np.empty(side * side, np.int16)
        waiting[0], count = spot, 1
        state.stones[spot] = stone + JOINED
        while count > 0:
            count -= 1
            here = waiting[count]
            if (here // side if stone == 1 else here % side) == game.size:
                state.winner = stone
            for step in (-side, 1 - side, -1, 1, side - 1, side):
                if state.stones[here + step] == stone:
                    state.stones[here + step] = stone + JOINED
                    waiting[count] = here + step
                    count += 1

    def decisive(game):
        return True

    def planes(game):
        return (3, game.size, game.size)

    def encode(game, state, planes):
        turn = state.turn
        mine, theirs = turn + 1, 2 - turn
        for row in range(game.size):
            first = game.spot(row * game.size)
            for col in range(game.size):
                stone = state.stones[first + col]
                planes[0, row, col] = (stone - mine) & ~JOINED == 0  # it is joined, or not
                planes[1, row, col] = (stone - theirs) & ~JOINED == 0
        for row in range(game.size):
            for col in range(game.size):
                planes[2, row, col] = turn  # whose edges they are

    def symmetries(game):
        """Half a turn leaves the edges to whom they belong."""
        cells = np.arange(game.size * game.size)
        return [(cells, cells), (cells[::-1].copy(), cells[::-1].copy())]

    def board(game):
        """Every row lies half a cell further to the right."""
        shift = (game.size - 1) // 2
        columns = [""] * shift + [letters(col) for col in range(game.size)]
        labels = {"columns": columns, "row_labels": [str(row + 1) for row in range(game.size)]}
        edges = [["top", "bottom"], ["left", "right"]]
        return {"shape": "hexagons", "rows": game.size, "cols": game.size + shift, "edges": edges, **labels}

    def cells(game, state):
        found = []
        for row in range(game.size):
            stones = [int(state.stones[game.spot(row * game.size + col)]) for col in range(game.size)]
            found += [-1] * (row // 2) + [(stone - 1) % 2 + 1 if stone else 0 for stone in stones]
            found += [-1] * ((game.size - 1) // 2 - row // 2)
        return found

    def diagram(game, state):
        """The rows from the top, without those that lie further to the right."""
        stones = [STONES[stone] for stone in game.cells(state) if stone >= 0]
        return f"{grid.in_rows(stones, game.size)} {STONES[1 + state.turn]}"

    def read(game, diagram):
        cells = grid.parse(diagram, game.size, game.size).ravel()
        state, mine = new(game), [np.flatnonzero(cells == stone).tolist() for stone in (1, 2)]
        for ply in range(np.count_nonzero(cells)):
            game.play(state, mine[ply % 2][ply // 2])
        if state.winner == state.turn + 1:
            raise ValueError("the game was over before the last move")
        return state

    def where(game, state, action):
        row, col = divmod(action, game.size)
        return [row * (game.size + (game.size - 1) // 2) + row // 2 + col]

    def name(game, action):
        row, col = divmod(action, game.size)
        return f"{letters(col)}{row + 1}"
