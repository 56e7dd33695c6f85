"""Ataxx: a stone doubles beside itself or jumps two cells, and turns all neighbours of the other's into its own."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import by_cells
from ..spec import About
from .grid import beyond, symmetries_of

QUIET = 100  # plies without a new stone, after which the game ends
REACH = 2


class Ataxx(NamedTuple):
    """Double a stone next to it, or jump with it over one cell; neighbours become yours.  More stones win."""

    size: Annotated[int, About("side of the board", low=3, high=10)] = 7

    def fields(game):
        stones = [("stones", np.int8, (game.size, game.size)), ("count", np.int8, (2,))]
        return [*stones, ("turn", np.int8), ("quiet", np.int8)]

    def start(game, state):
        last = game.size - 1
        state.stones[0, 0] = state.stones[last, last] = 1
        state.stones[0, last] = state.stones[last, 0] = 2
        state.count[0] = state.count[1] = 2

    def actions(game):
        return game.size**2 * 25 + 1  # to a cell, from one of the 25 around it, itself for a doubling; pass

    def near(game, state, row, col, reach, stone):
        """Is there such a stone within so many cells?"""
        for r in range(max(0, row - reach), min(game.size, row + reach + 1)):
            for c in range(max(0, col - reach), min(game.size, col + reach + 1)):
                if state.stones[r, c] == stone:
                    return True
        return False

    def legal(game, state, out):
        count, me = 0, state.turn + 1
        for row in range(game.size):
            for col in range(game.size):
                if state.stones[row, col] != 0:
                    continue
                cell = 25 * (row * game.size + col)
                if game.near(state, row, col, 1, me):
                    out[count] = cell + 12
                    count += 1
                for down in range(-REACH, REACH + 1):
                    for right in range(-REACH, REACH + 1):
                        r, c = row + down, col + right
                        jump = max(abs(down), abs(right)) == REACH
                        if jump and 0 <= r < game.size and 0 <= c < game.size and state.stones[r, c] == me:
                            out[count] = cell + 5 * (down + REACH) + right + REACH
                            count += 1
        if count == 0:
            out[0] = game.actions() - 1
            count = 1
        return count

    def play(game, state, action):
        if action < game.actions() - 1:
            game.put(state, action)
        else:
            state.quiet += 1
        state.turn = 1 - state.turn

    def put(game, state, action):
        cell, way, me = action // 25, action % 25, state.turn
        row, col = cell // game.size, cell % game.size
        state.stones[row, col] = me + 1
        if way == 12:
            state.count[me] += 1
            state.quiet = 0
        else:
            state.stones[row + way // 5 - REACH, col + way % 5 - REACH] = 0
            state.quiet += 1
        for r in range(max(0, row - 1), min(game.size, row + 2)):
            for c in range(max(0, col - 1), min(game.size, col + 2)):
                if state.stones[r, c] == 2 - me:
                    state.stones[r, c] = me + 1
                    state.count[me] += 1
                    state.count[1 - me] -= 1

    def can_move(game, state, player):
        for row in range(game.size):
            for col in range(game.size):
                if state.stones[row, col] == 0 and game.near(state, row, col, REACH, player + 1):
                    return True
        return False

    def over(game, state):
        if state.count[0] == 0 or state.count[1] == 0 or state.quiet >= QUIET:
            return True
        return not game.can_move(state, 0) and not game.can_move(state, 1)

    def score(game, state):
        if not game.over(state):
            return 0.0
        return float(np.sign(state.count[0] - state.count[1]))

    def planes(game):
        return (3, game.size, game.size)

    def encode(game, state, planes):
        for row in range(game.size):
            for col in range(game.size):
                planes[0, row, col] = state.stones[row, col] == state.turn + 1
                planes[1, row, col] = state.stones[row, col] == 2 - state.turn
                planes[2, row, col] = state.quiet / QUIET

    def symmetries(game):
        return symmetries_of(game)

    def cells(game, state):
        return state.stones.ravel().tolist()

    def where(game, state, action):
        cell, down, right = action // 25, action % 25 // 5 - REACH, action % 5 - REACH
        if action == game.actions() - 1:
            return []
        if down == right == 0:
            return [cell]
        jump = max(abs(down), abs(right)) == REACH
        return [beyond(game, cell, down, right) if jump else -1, cell]

    def name(game, action):
        return by_cells(game, action)
