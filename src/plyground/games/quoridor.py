"""Quoridor: step towards the other side, or put a wall that makes the other's way longer, but cuts off nobody.

The board is kept with the gaps between its squares, and a wall around all of it: square (row, col), counted from 0, is
the spot (2 row + 1, 2 col + 1).  An action is a spot, too: a square to go to, or the first gap that a wall lies on; it
goes on over the crossing to the next gap, to the right or below.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name, letters
from ..spec import About
from .grid import NOBODY, rim, symmetries_of

WALL = 3


class Quoridor(NamedTuple):
    """Reach the far row first: step, jump over the other, or put a wall of two squares' length."""

    size: Annotated[int, About("side of the board", low=3, high=11)] = 9
    walls: Annotated[int, About("walls of each player; 0: so many as are usual, 10 on 9 x 9", low=0, high=20)] = 0

    def fields(game):
        small = [("left", np.int8, (2,)), ("moves", np.int16), ("turn", np.int8), ("winner", np.int8)]
        return [("pawns", np.int16, (2,)), ("blocked", np.int8, (game.side() ** 2,)), *small]

    def side(game):
        """Spots from edge to edge, with the wall around."""
        return 2 * game.size + 1

    def start(game, state):
        side, middle = game.side(), 2 * (game.size // 2) + 1
        rim(state.blocked, side, 1)
        state.pawns[0], state.pawns[1] = side * (side - 2) + middle, side + middle
        state.left[0] = state.left[1] = game.walls or game.size * game.size // 8

    def actions(game):
        return game.side() ** 2

    def player(game, state):
        return state.turn

    def wall_step(game, action):
        """The step from spot to spot of a wall that begins here; 0 of a square to go to."""
        return 1 if action // game.side() % 2 == 0 else game.side() if action % game.side() % 2 == 0 else 0

    def legal(game, state, out):
        count = game.list_steps(state, out)
        if state.left[state.turn] > 0:
            count = game.list_walls(state, out, count)
        if count == 0:
            out[0] = state.pawns[state.turn]  # stay where you are
        return max(count, 1)

    def list_steps(game, state, out):
        side, here, other, count = game.side(), int(state.pawns[state.turn]), state.pawns[1 - state.turn], 0
        for step in (1, side, -1, -side):
            there = here + 2 * step
            if state.blocked[here + step]:
                continue
            if there != other or not state.blocked[there + step]:
                out[count] = there if there != other else there + 2 * step
                count += 1
            else:  # behind the other is a wall: pass by on either side
                across = side if abs(step) == 1 else 1
                for aside in (-across, across):
                    if not state.blocked[there + aside]:
                        out[count] = there + 2 * aside
                        count += 1
        return count

    def list_walls(game, state, out, count):
        """Those that fit, and leave both a way."""
        side, blocked, ways = game.side(), state.blocked, np.zeros(game.side() ** 2, np.int8)
        for player in range(2):
            game.find_way(state, player, ways)
        for row in range(1, side - 2):
            along, first = side if row % 2 else 1, row * side + 1 + row % 2
            for spot in range(first, first + 2 * game.size - 2, 2):
                end = spot + 2 * along
                if not (blocked[spot] or blocked[spot + along] or blocked[end]):
                    cut = ways[spot] | ways[end]  # the players who have a way there, 1 and 2
                    if cut == 0 or game.touches(state, spot, along) <= 1 or game.leaves_ways(state, spot, along, cut):
                        out[count] = spot
                        count += 1
        return count

    def touches(game, state, spot, along):
        """At how many of its ends and its middle a wall would touch others; it cuts nothing off by one of them."""
        across, blocked, count = game.side() if along == 1 else 1, state.blocked, 0
        for far in range(-1, 4, 2):
            at, beyond = spot + far * along, spot + (-2 if far < 0 else 4) * along
            count += int(blocked[at] or blocked[at - across] or blocked[at + across] or (far != 1 and blocked[beyond]))
        return count

    def leaves_ways(game, state, spot, along, cut):
        """Can the players whose ways a wall would cut go another one?"""
        unused = np.zeros(game.side() ** 2, np.int8)
        state.blocked[spot] = state.blocked[spot + 2 * along] = 1
        found = cut & 1 == 0 or game.find_way(state, 0, unused)
        found = found and (cut & 2 == 0 or game.find_way(state, 1, unused))
        state.blocked[spot] = state.blocked[spot + 2 * along] = 0
        return found

    def find_way(game, state, player, ways):
        """Mark the gaps on a way of the pawn to its far row; False if there is none.  Goes ahead where it can."""
        side, start = game.side(), int(state.pawns[player])
        ahead = -side if player == 0 else side
        came, waiting = np.zeros(side * side, np.int16), np.empty(game.size**2, np.int16)
        waiting[0], came[start], count = start, start, 1
        while count > 0:
            count -= 1
            here = int(waiting[count])
            if game.arrived(player, here):
                while here != start:
                    ways[(here + came[here]) // 2] |= player + 1
                    here = int(came[here])
                return True
            for step in (-ahead, -1, 1, ahead):
                there = here + 2 * step
                if not state.blocked[here + step] and came[there] == 0:
                    came[there], waiting[count] = here, there
                    count += 1
        return False

    def arrived(game, player, spot):
        """Is this spot in the player's far row?"""
        side = game.side()
        return spot < 2 * side if player == 0 else spot >= (side - 2) * side

    def play(game, state, action):
        turn, along = state.turn, game.wall_step(action)
        state.moves += 1
        if along == 0:
            state.pawns[turn] = action
            if game.arrived(turn, action) and state.moves < game.longest():
                state.winner = turn + 1
        else:
            for i in range(3):
                state.blocked[action + i * along] = 1
            state.left[turn] -= 1
        state.turn = 1 - turn

    def longest(game):
        """Moves after which the game is drawn, wherever the last one leads."""
        return 4 * game.size**2

    def over(game, state):
        return state.winner != NOBODY or state.moves >= game.longest()

    def score(game, state):
        return 1.0 if state.winner == 1 else -1.0 if state.winner == 2 else 0.0

    def planes(game):
        return (7, 2 * game.size - 1, 2 * game.size - 1)

    def encode(game, state, planes):
        """The pawn of who moves, and the other's; walls; how many each has left; who moves; moves."""
        side = game.side()
        for row in range(side - 2):
            for col in range(side - 2):
                spot = (row + 1) * side + col + 1
                planes[0, row, col] = spot == state.pawns[state.turn]
                planes[1, row, col] = spot == state.pawns[1 - state.turn]
                planes[2, row, col] = state.blocked[spot]
                planes[3, row, col] = state.left[state.turn] / 10
                planes[4, row, col] = state.left[1 - state.turn] / 10
                planes[5, row, col] = state.turn
                planes[6, row, col] = state.moves / game.longest()

    def symmetries(game):
        return symmetries_of(game, ordered=False)

    def board(game):
        """Squares and the gaps between them, each a cell."""
        wide, gaps = 2 * game.size - 1, range(2 * game.size - 1)
        columns = ["" if i % 2 else letters(i // 2) for i in gaps]
        rows = ["" if i % 2 else str(game.size - i // 2) for i in gaps]
        return {"shape": "cells", "rows": wide, "cols": wide, "columns": columns, "row_labels": rows}

    def cells(game, state):
        found = WALL * state.blocked
        found[state.pawns] = 1, 2
        return found.reshape(game.side(), -1)[1:-1, 1:-1].ravel().tolist()

    def glyphs(game, state):
        """Free gaps are seen as such."""
        gaps = [row % 2 or col % 2 for row in range(2 * game.size - 1) for col in range(2 * game.size - 1)]
        return [" " if gap and stone == 0 else "" for gap, stone in zip(gaps, game.cells(state), strict=True)]

    def caption(game, state):
        first, second = state.left.tolist()
        return f"walls left: X {first}, O {second}"

    def where(game, state, action):
        side, along = game.side(), game.wall_step(action)
        spots = [action + i * along for i in range(3 if along else 1)]
        return [(spot // side - 1) * (side - 2) + spot % side - 1 for spot in spots]

    def name(game, action):
        """A wall is called by the square above it on the left, and how it lies."""
        (row, down), (col, right) = (divmod(at - 1, 2) for at in divmod(action, game.side()))
        if down + right == 2 or row < 0 or col < 0 or max(row, col) >= game.size - (down + right):
            return f"x{action}"  # no square, and no room for a wall
        return cell_name(game.size, game.size, row * game.size + col) + ("h" if down else "v" if right else "")
