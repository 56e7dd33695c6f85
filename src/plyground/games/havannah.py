"""Havannah (Christian Freeling, 1979): fill a cell of a hexagon in turn; a bridge, a fork or a ring wins.

Groups of joined stones are known by a leader each, which keeps the corners and edges that its group touches
(union-find), so a move looks at its neighbours only.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..bits import ones
from ..boards import letters
from ..spec import About
from .grid import DRAW, hexagon_symmetries

OFF = 3  # in the place of a stone: not on the board
CORNERS, EDGES = 0b111111, 0b111111000000


class Havannah(NamedTuple):
    """Join two corners (bridge) or three edges (fork; corners are none), or go around a cell (ring)."""

    size: Annotated[int, About("side of the hexagon", low=2, high=10)] = 8

    def fields(game):
        spots = (2 * game.size + 1) ** 2  # a square around the hexagon, with a rim
        groups = [("leader", np.int16, (spots,)), ("sides", np.int16, (spots,))]
        return [("stones", np.int8, (spots,)), *groups, ("moves", np.int16), ("winner", np.int8)]

    def start(game, state):
        for spot in range((2 * game.size + 1) ** 2):
            row, col = spot // (2 * game.size + 1) - 1, spot % (2 * game.size + 1) - 1
            inside = min(row, col) >= 0 and max(row, col) <= 2 * game.size - 2
            if not (inside and abs(row - col) < game.size):
                state.stones[spot] = OFF

    def actions(game):
        return (2 * game.size - 1) ** 2

    def player(game, state):
        return state.moves & 1

    def spot(game, cell):
        """Where the stone of a cell is kept."""
        wide = 2 * game.size - 1
        return (cell // wide + 1) * (wide + 2) + cell % wide + 1

    def legal(game, state, out):
        count = 0
        for cell in range(game.actions()):
            out[count] = cell
            count += state.stones[game.spot(cell)] == 0
        return count

    def still(game, state, action):
        return state.stones[game.spot(action)] == 0

    def steps(game):
        """To the six neighbours, clockwise."""
        side = 2 * game.size + 1
        return (-side - 1, -side, 1, side + 1, side, -1)

    def touched(game, cell):
        """The corner or the edge of a cell, as a bit: edges come after corners."""
        row, col, half = cell // (2 * game.size - 1), cell % (2 * game.size - 1), game.size - 1
        along = (row == 0, col - row == half, col == 2 * half, row == 2 * half, row - col == half, col == 0)
        bits = 0
        for i in range(6):  # clockwise from the upper one; a corner lies on two of them
            if along[i] and along[(i + 1) % 6]:
                return 1 << i
            bits |= (1 << 6 + i) if along[i] and not along[(i + 5) % 6] else 0
        return bits

    def leads(game, state, spot):
        """The leader of a stone's group."""
        while state.leader[spot] != spot:
            state.leader[spot] = state.leader[state.leader[spot]]  # the way is half as long next time
            spot = state.leader[spot]
        return spot

    def play(game, state, action):
        spot, stone = game.spot(action), 1 + (state.moves & 1)
        state.stones[spot] = stone
        state.sides[spot] = game.touched(action)
        state.leader[spot] = spot
        ring, first, before = False, spot, state.stones[spot - 1] == stone
        for step in game.steps():
            here = state.stones[spot + step] == stone
            if here and not before:  # of neighbours side by side one is enough
                other = game.leads(state, spot + step)
                ring = ring or other == first  # two ways around lead to the same group
                state.leader[first] = other
                if other != first:
                    state.sides[other] |= state.sides[first]
                first = other
            if here:
                ring = ring or game.surrounded(state, spot + step, stone)
            before = here
        state.moves += 1
        if ring or ones(state.sides[first] & CORNERS) >= 2 or ones(state.sides[first] & EDGES) >= 3:
            state.winner = stone
        elif state.moves == 3 * game.size * (game.size - 1) + 1:
            state.winner = DRAW

    def surrounded(game, state, spot, stone):
        """Are all neighbours such stones, too?"""
        for step in game.steps():
            if state.stones[spot + step] != stone:
                return False
        return True

    def planes(game):
        return (2, 2 * game.size - 1, 2 * game.size - 1)

    def encode(game, state, planes):
        wide, mine = 2 * game.size - 1, 1 + (state.moves & 1)
        for cell in range(game.actions()):
            stone = state.stones[game.spot(cell)]
            planes[0, cell // wide, cell % wide] = stone == mine
            planes[1, cell // wide, cell % wide] = stone == 3 - mine

    def symmetries(game):
        return [(image, image) for image in hexagon_symmetries(game.size)]

    def board(game):
        """Before a row stands the name of its first cell."""
        wide = 2 * game.size - 1
        firsts = [game.name(row * wide + max(0, row - game.size + 1)) for row in range(wide)]
        return {"shape": "hexagons", "rows": wide, "cols": wide, "columns": [""] * wide, "row_labels": firsts}

    def drawn_at(game, row, col):
        """The cell of the drawing, whose rows lie half a cell further to the left each."""
        wide = 2 * game.size - 1
        return row * wide + col + (wide - 1 - row) // 2 - (game.size - 1) // 2

    def cells(game, state):
        wide = 2 * game.size - 1
        found = [-1] * (wide * wide)
        for cell in range(wide * wide):
            stone = int(state.stones[game.spot(cell)])
            if stone != OFF:
                found[game.drawn_at(*divmod(cell, wide))] = stone
        return found

    def where(game, state, action):
        return [game.drawn_at(*divmod(action, 2 * game.size - 1))]

    def name(game, action):
        row, col = divmod(action, 2 * game.size - 1)
        return f"{letters(col)}{row + 1}"
