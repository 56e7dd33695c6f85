"""2048 (Gabriele Cirulli, 2014), a game of one player and of chance: slide the tiles, and equal ones merge."""

from typing import Annotated, NamedTuple

import numpy as np

from .. import boards
from ..boards import cell_name
from ..rules import blank
from ..spec import About
from . import grid

UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
NEW = 4  # outcomes of chance from here on: a 2 or a 4 on each cell
OFTEN, SELDOM = 0.9, 0.1  # how often a new tile is a 2, and a 4
KINDS = 17  # of tiles that a net tells apart, up to 131,072, the largest on 4x4


class Twenty48(NamedTuple):
    """Slide all tiles to one side; two equal ones that meet become one, which scores its number."""

    size: Annotated[int, About("side of the board", low=2, high=5)] = 4

    def fields(game):
        # a tile is the exponent of its number, 0 where there is none; `fresh` tiles are still to come
        return [("tiles", np.int8, (game.size, game.size)), ("points", np.int64), ("fresh", np.int8)]

    def start(game, state):
        state.fresh = 2

    def alone(game):
        return True

    def actions(game):
        return NEW + 2 * game.size * game.size

    def player(game, state):
        return -1 if state.fresh > 0 else 0

    def chance(game, state, out, weights):
        count, cell = 0, NEW
        for row in range(game.size):
            for col in range(game.size):
                out[count], out[count + 1] = (
                    cell,
                    cell + 1,
                )  # written over unless it is free: no branch to guess wrongly
                count += 2 * (state.tiles[row, col] == 0)
                cell += 2
        often, seldom = OFTEN / max(count // 2, 1), SELDOM / max(count // 2, 1)
        for i in range(0, count, 2):
            weights[i], weights[i + 1] = often, seldom
        return count

    def legal(game, state, out):
        count, sides = 0, game.sides(state)
        for side in range(4):
            out[count] = side
            count += sides >> side & 1
        return count

    def sides(game, state):
        """The sides that tiles can move to, as bits: where there is a gap before one, or an equal one."""
        up = right = down = left = 0
        for line in range(game.size):
            for i in range(1, game.size):
                a, b = state.tiles[line, i - 1], state.tiles[line, i]
                equal = (a == b) & (a > 0)
                left |= equal | (a == 0) & (b > 0)
                right |= equal | (b == 0) & (a > 0)
                a, b = state.tiles[i - 1, line], state.tiles[i, line]
                equal = (a == b) & (a > 0)
                up |= equal | (a == 0) & (b > 0)
                down |= equal | (b == 0) & (a > 0)
        return up << UP | right << RIGHT | down << DOWN | left << LEFT

    def play(game, state, action):
        if action < NEW:
            for line in range(game.size):
                game.slide(state, action, line)
            state.fresh = 1
        else:
            cell = (action - NEW) // 2
            state.tiles[cell // game.size, cell % game.size] = 1 + (action - NEW) % 2
            state.fresh -= 1

    def slide(game, state, side, line):
        """Slide one row or column; a tile that has just been made does not merge again."""
        across, back = (side == LEFT) | (side == RIGHT), (side == RIGHT) | (side == DOWN)
        first, step = (game.size - 1, -1) if back else (0, 1)  # from the side that tiles slide to
        end, last = 0, 0  # where the next tile comes to lie, and the one before it, if that may merge
        for i in range(game.size):
            at = first + i * step
            row, col = (line, at) if across else (at, line)
            tile = int(state.tiles[row, col])
            state.tiles[row, col] = 0
            merges = int((tile > 0) & (tile == last))
            at = first + (end - merges) * step
            row, col = (line, at) if across else (at, line)
            state.tiles[row, col] = tile + merges  # 0, if there is no tile: that cell is empty
            state.points += merges * (2 << tile)
            end += int(tile > 0) - merges
            last = 0 if merges else tile if tile > 0 else last

    def over(game, state):
        if state.fresh > 0:
            return False
        free = 0
        for row in range(game.size):
            for col in range(game.size):
                free += state.tiles[row, col] == 0
        if 0 < free < game.size * game.size:  # a tile beside a gap can move
            return False
        return game.sides(state) == 0

    def score(game, state):
        return float(state.points)

    def planes(game):
        return (KINDS, game.size, game.size)

    def encode(game, state, planes):
        for row in range(game.size):
            for col in range(game.size):
                tile = int(state.tiles[row, col])
                planes[min(max(tile, 1), KINDS) - 1, row, col] = tile > 0

    def symmetries(game):
        """Turns and mirror images, which move the sides along with the cells."""
        cells = np.arange(game.size * game.size).reshape(game.size, game.size)
        sides = [set(side.tolist()) for side in (cells[0], cells[:, -1], cells[-1], cells[:, 0])]
        found = []
        for board in grid.symmetries(game.size, game.size):
            to = board.ravel()
            ways = [sides.index({int(to[cell]) for cell in side}) for side in sides]
            outcomes = [NEW + 2 * int(cell) + kind for cell in to for kind in range(2)]
            found.append((np.array(ways + outcomes), to))
        return found

    def board(game):
        return {"shape": "cells", "rows": game.size, "cols": game.size}

    def cells(game, state):
        return [3 * (tile > 0) for tile in state.tiles.ravel().tolist()]

    def glyphs(game, state):
        return [str(2**tile) if tile else "" for tile in state.tiles.ravel().tolist()]

    def diagram(game, state):
        """The tiles, row by row, the points, and how many tiles are still to come: `.,2/4,. 8 +1`."""
        rows = grid.in_rows([tile or "." for tile in game.glyphs(state)], game.size, ",")
        return f"{rows} {state.points}" + (f" +{state.fresh}" if state.fresh else "")

    def read(game, diagram):
        tiles, points, fresh, *_ = [*diagram.split(), *("", "0", "+0")[min(3, len(diagram.split())) :]]
        rows = [row.split(",") for row in tiles.split("/")]
        if [len(row) for row in rows] != [game.size] * game.size:
            raise ValueError(f"a diagram of this board has {game.size} rows of {game.size} tiles: .,2/4,. 8")
        known = {".": 0} | {str(2**tile): tile for tile in range(1, game.size**2 + 2)}
        if not known.keys() >= {tile for row in rows for tile in row}:
            raise ValueError(f"tiles are 2, 4, 8, ... up to {2 ** (game.size**2 + 1)}, and . where there is none")
        state = blank(game)
        state.tiles[:] = [[known[tile] for tile in row] for row in rows]
        if not (points.isascii() and points.isdigit() and len(points) < 19 and fresh in ("+0", "+1", "+2")):
            raise ValueError("after the tiles come the points, and +1 or +2 if so many tiles are still to come")
        state.points, state.fresh = int(points), int(fresh)
        free = np.count_nonzero(state.tiles == 0)
        if free < state.fresh or (state.fresh == 0 and free == state.tiles.size):
            raise ValueError("there is no cell for the next tile" if state.fresh else "there are no tiles")
        return state

    def where(game, state, action):
        return []

    def name(game, action):
        if action < NEW:
            return ("up", "right", "down", "left")[action]
        cell, kind = divmod(action - NEW, 2)
        return f"{cell_name(game.size, game.size, cell)}={2 << kind}"

    def text(game, state):
        return f"{boards.text(game, state)}\n{state.points} points"
