"""2048 (Gabriele Cirulli, 2014), a game of one player and of chance: slide the tiles, and equal ones merge."""

from typing import NamedTuple

import numpy as np

LEFT, UP, RIGHT, DOWN = 0, 1, 2, 3
NEW = 4  # outcomes of chance from here on: a 2 on each cell, then a 4 on each


class Twenty48(NamedTuple):
    """Slide all tiles to one side; two equal ones that meet become one, which scores its number."""

    size: int = 4

    def fields(game):
        # a tile is the exponent of its number, 0 where there is none; `fresh` tiles are still to come
        return [("tiles", np.int8, (game.size, game.size)), ("points", np.int32), ("fresh", np.int8)]

    def start(game, state):
        state.fresh = 2

    def alone(game):
        return True

    def actions(game):
        return NEW + 2 * game.size * game.size

    def player(game, state):
        return -1 if state.fresh > 0 else 0

    def chance(game, state, out, weights):
        free = 0
        for cell in range(game.size * game.size):
            free += state.tiles[cell // game.size, cell % game.size] == 0
        count = 0
        for kind in range(2):
            for cell in range(game.size * game.size):
                if state.tiles[cell // game.size, cell % game.size] == 0:
                    out[count] = NEW + kind * game.size * game.size + cell
                    weights[count] = (0.9 if kind == 0 else 0.1) / free
                    count += 1
        return count

    def legal(game, state, out):
        count = 0
        for side in range(4):
            if game.moves(state, side):
                out[count] = side
                count += 1
        return count

    def moves(game, state, side):
        """Does a tile move to this side: is there a gap before it, or an equal one?"""
        for line in range(game.size):
            for i in range(1, game.size):
                tile = game.tile(state, side, line, i)
                before = game.tile(state, side, line, i - 1)
                if tile > 0 and (before == 0 or before == tile):
                    return True
        return False

    def tile(game, state, side, line, i):
        """The tile of a row or column, counted from the side that tiles slide to."""
        at = i if side < RIGHT else game.size - 1 - i
        return state.tiles[line, at] if side in (LEFT, RIGHT) else state.tiles[at, line]

    def play(game, state, action):
        if action >= NEW:
            kind, cell = (action - NEW) // (game.size * game.size), (action - NEW) % (game.size * game.size)
            state.tiles[cell // game.size, cell % game.size] = kind + 1
            state.fresh -= 1
            return
        for line in range(game.size):
            game.slide(state, action, line)
        state.fresh = 1

    def slide(game, state, side, line):
        """Slide one row or column; a tile that has just been made does not merge again."""
        end, last = 0, 0  # where the next tile comes to lie, and the one before it, if that may merge
        for i in range(game.size):
            tile = game.tile(state, side, line, i)
            if tile == 0:
                continue
            game.put(state, side, line, i, 0)
            if tile == last:
                game.put(state, side, line, end - 1, tile + 1)
                state.points += 2 << int(tile)
                last = 0
            else:
                game.put(state, side, line, end, tile)
                end += 1
                last = tile

    def put(game, state, side, line, i, tile):
        at = i if side < RIGHT else game.size - 1 - i
        if side in (LEFT, RIGHT):
            state.tiles[line, at] = tile
        else:
            state.tiles[at, line] = tile

    def over(game, state):
        if state.fresh > 0:
            return False
        for side in range(4):
            if game.moves(state, side):
                return False
        return True

    def score(game, state):
        return float(state.points)

    def name(game, action):
        if action < NEW:
            return ("left", "up", "right", "down")[action]
        kind, cell = divmod(action - NEW, game.size * game.size)
        return f"{'abcdefghij'[cell % game.size]}{game.size - cell // game.size}={2 << kind}"

    def text(game, state):
        rows = [" ".join(f"{2**tile if tile else '.':>5}" for tile in row.tolist()) for row in state.tiles]
        return "\n".join([*rows, f"{state.points} points"])
