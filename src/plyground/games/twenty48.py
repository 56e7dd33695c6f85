"""2048 (Gabriele Cirulli, 2014), a game of one player and of chance: slide the tiles, and equal ones merge.

A line of tiles is one number, a byte for each of them, so that the tiles of all columns slide at once, or of all rows.
"""

import re
from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..rules import blank
from ..spec import About
from . import grid

UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
NEW = 4  # outcomes of chance from here on: a 2 or a 4 on each cell
OFTEN, SELDOM = 0.9, 0.1  # how often a new tile is a 2, and a 4
KINDS = 17  # of tiles that a net tells apart, up to 131,072, the largest on 4x4
BITS, TILE, ONES = 8, 0xFF, 0x0101010101  # of a tile in its line; a line of ones


def filled(line):
    """A line with 1 in the place of every tile."""
    return (line + 127 * ONES) >> 7 & ONES


class Twenty48(NamedTuple):
    """Slide all tiles to one side; two equal ones that meet become one, which scores its number."""

    size: Annotated[int, About("side of the board", low=2, high=5)] = 4

    def fields(game):
        # all rows, and all columns; a tile is the exponent of its number; `fresh` tiles are still to come; when they
        # have, `sides` are those that tiles can move to, as bits
        lines = ("lines", np.int64, (2, game.size))
        return [lines, ("points", np.int64), ("fresh", np.int8), ("sides", np.int8)]

    def start(game, state):
        state.fresh = 2

    def alone(game):
        return True

    def actions(game):
        return NEW + 2 * game.size * game.size

    def player(game, state):
        return -1 if state.fresh > 0 else 0

    def tile(game, state, row, col):
        return state.lines[0, row] >> BITS * col & TILE

    def chance(game, state, out, weights):
        count, cells = 0, game.size * game.size
        for row in range(game.size):
            gaps = ONES ^ filled(state.lines[0, row])
            for col in range(game.size):
                first = NEW + 2 * (row * game.size + col)
                out[count], out[count + 1] = first, first + 1
                count += 2 * (gaps >> BITS * col & 1)  # else they are written over: no branch to guess wrongly
        for cell in range(cells):
            weights[2 * cell], weights[2 * cell + 1] = OFTEN * 2 / count, SELDOM * 2 / count
        return count

    def legal(game, state, out):
        count = 0
        for side in range(4):
            out[count] = side
            count += state.sides >> side & 1
        return count

    def ways(game, state):
        """The sides that tiles can move to, as bits: where there is a gap before one, or an equal one."""
        found = 0
        for across in range(2):
            first = last = 0
            for i in range(1, game.size):
                a, b = state.lines[across, i - 1], state.lines[across, i]
                first |= filled(b) & ~(filled(a) & filled(a ^ b))
                last |= filled(a) & ~(filled(b) & filled(a ^ b))
            found |= (first != 0) << 3 * across | (last != 0) << 2 - across
        return found

    def play(game, state, action):
        if action < NEW:
            lines, others = state.lines[action % 2], state.lines[1 - action % 2]
            state.points += game.slide(lines, RIGHT <= action <= DOWN)
            for i in range(game.size):
                line = 0
                for j in range(game.size):
                    line |= (lines[j] >> BITS * i & TILE) << BITS * j
                others[i] = line
            state.fresh, state.sides = 1, 0
        else:
            (row, col), tile = divmod((action - NEW) // 2, game.size), 1 + (action - NEW) % 2
            state.lines[0, row] |= tile << BITS * col
            state.lines[1, col] |= tile << BITS * row
            state.fresh -= 1
            state.sides = 0 if state.fresh else game.ways(state)

    def slide(game, lines, back):
        """Slide all tiles to the first line, or the last, for so many points; one just made does not merge again."""
        first, step, points = game.size - 1 if back else 0, -1 if back else 1, 0
        for i in range(game.size - 1):
            to, merged, free = lines[first + i * step], 0, ONES
            for j in range(i + 1, game.size):
                here = lines[first + j * step]
                moved = here & TILE * (ONES ^ filled(to))
                to, here = to | moved, here ^ moved
                equal = filled(here) & ~filled(here ^ to) & free
                free &= ~filled(here)  # what lies before others does not merge with those
                to, merged = to + equal, merged | equal
                lines[first + j * step] = here & ~(TILE * equal)
            lines[first + i * step] = to
            for j in range(game.size):
                points += (merged >> BITS * j & 1) << (to >> BITS * j & TILE)
        return points

    def over(game, state):
        return state.fresh == 0 and state.sides == 0

    def score(game, state):
        return float(state.points)

    def planes(game):
        return (KINDS, game.size, game.size)

    def encode(game, state, planes):
        for row in range(game.size):
            for col in range(game.size):
                tile = game.tile(state, row, col)
                planes[min(max(tile, 1), KINDS) - 1, row, col] = tile > 0

    def symmetries(game):
        """Turns and mirror images, which move the sides along with the cells."""
        found, cells = [], np.arange(game.size * game.size).reshape(game.size, game.size)
        sides = [set(side.tolist()) for side in (cells[0], cells[:, -1], cells[-1], cells[:, 0])]
        for to in map(np.ravel, grid.symmetries(game.size, game.size)):
            ways = [sides.index(set(to[list(side)].tolist())) for side in sides]
            found.append((np.array(ways + [NEW + 2 * int(cell) + kind for cell in to for kind in range(2)]), to))
        return found

    def glyphs(game, state):
        tiles = [int(game.tile(state, row, col)) for row in range(game.size) for col in range(game.size)]
        return [str(2**tile) if tile else "" for tile in tiles]

    def diagram(game, state):
        """The tiles, row by row, the points, and how many tiles are still to come: `.,2/4,. 8 +1`."""
        rows = grid.in_rows([tile or "." for tile in game.glyphs(state)], game.size, ",")
        return f"{rows} {state.points}" + (f" +{state.fresh}" if state.fresh else "")

    def read(game, diagram):
        known = [".", *(str(2**tile) for tile in range(1, game.size**2 + 2))]
        tiles, rest = grid.lettered(diagram, game.size, game.size, known, ",")
        told = re.fullmatch(r"(\d{1,18})? *(\+[012])?", rest, re.ASCII)
        if not told:
            raise ValueError("after the tiles come the points, and +1 or +2 if so many tiles are still to come")
        state = blank(game)
        state.lines = np.left_shift(np.array([tiles, tiles.T], np.int64), BITS * np.arange(game.size)).sum(2)
        state.points, state.fresh = int(told[1] or 0), int(told[2] or 0)
        if not state.fresh <= np.count_nonzero(tiles == 0) < game.size * game.size + state.fresh:
            raise ValueError("there is no cell for the next tile" if state.fresh else "there are no tiles")
        state.sides = 0 if state.fresh else game.ways(state)
        return state

    def where(game, state, action):
        return []

    def name(game, action):
        if action < NEW:
            return ("up", "right", "down", "left")[action]
        cell, kind = divmod(action - NEW, 2)
        return f"{cell_name(game.size, game.size, cell)}={2 << kind}"
