"""Quoridor: step towards the other side, or put a wall that makes the other's way longer, but cuts off nobody.

The board is kept with the gaps between its squares, and a wall around all of it: square (row, col), counted from 0, is
the spot (2 row + 1, 2 col + 1).  An action is a spot, too: a square to go to, or the first gap that a wall lies on; it
goes on over the crossing to the next gap, to the right or below.  Walls that touch are a chain, whose number stands at
their crossings: only a wall that closes a ring, by touching one chain twice, can cut off anybody.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import cell_name
from ..spec import About
from .grid import DRAW, rim, symmetries_of

WALL = 3
LONGEST = 4  # moves for every square, after which the game is drawn


class Quoridor(NamedTuple):
    """Reach the far row first: step, jump over the other, or put a wall of two squares' length."""

    size: Annotated[int, About("side of the board", low=3, high=11)] = 9
    walls: Annotated[int, About("walls of each player; 0: so many as are usual, 10 on 9 x 9", low=0, high=20)] = 0

    def fields(game):
        small = [("left", np.int8, (2,)), ("moves", np.int16), ("turn", np.int8), ("winner", np.int8)]
        walls = [("blocked", np.int8, (game.actions(),)), ("chains", np.int16, (game.actions(),))]
        return [("pawns", np.int16, (2,)), *walls, *small]

    def side(game):
        """Spots from edge to edge, with the wall around."""
        return 2 * game.size + 1

    def start(game, state):
        side, middle = game.side(), 2 * (game.size // 2) + 1
        rim(state.blocked, side, 1)
        rim(state.chains, side, 1)
        state.pawns[0], state.pawns[1] = side * (side - 2) + middle, side + middle
        state.left[0] = state.left[1] = game.walls or game.size * game.size // 8

    def actions(game):
        return game.side() ** 2

    def wall_step(game, action):
        """The step from spot to spot of a wall that begins here; 0 of a square to go to."""
        if action // game.side() % 2 == 0:
            return 1
        return game.side() if action % 2 else 0

    def legal(game, state, out):
        """Steps, past the other on either side if a wall is behind it; then walls.  Who can do nothing else stays."""
        side, here, other, count = game.side(), int(state.pawns[state.turn]), state.pawns[1 - state.turn], 0
        for step in (1, side, -1, -side):
            there, across = here + 2 * step, side if abs(step) == 1 else 1
            if state.blocked[here + step]:
                continue
            if there != other or not state.blocked[there + step]:
                out[count] = there + 2 * step if there == other else there
                count += 1
            else:
                for aside in (-across, across):
                    out[count] = there + 2 * aside
                    count += state.blocked[there + aside] == 0
        for row in range(1, side - 1 if state.left[state.turn] > 0 else 1):
            for spot in range(row * side + 1 + row % 2, row * side + side - 1, 2):
                out[count] = spot
                count += game.may_lie(state, spot, side if row % 2 else 1)
        out[count] = here
        return max(count, 1)

    def may_lie(game, state, spot, along):
        """Does a wall that begins here fit, and leave both a way to their far rows?"""
        blocked, chains, end = state.blocked, state.chains, spot + 2 * along
        if blocked[spot] or blocked[spot + along] or blocked[end]:
            return False
        first, middle, last = chains[spot - along], chains[spot + along], chains[end + along]
        if (first == 0 or (first != middle and first != last)) and (middle == 0 or middle != last):
            return True
        blocked[spot] = blocked[end] = 1
        found = game.finds_way(state, 0) and game.finds_way(state, 1)
        blocked[spot] = blocked[end] = 0
        return found

    def finds_way(game, state, player):
        """Can the pawn come to its far row?  It goes ahead where it can."""
        ahead = -game.side() if player == 0 else game.side()
        seen, waiting = np.zeros(game.actions(), np.bool_), np.empty(game.size**2, np.int16)
        waiting[0], count = state.pawns[player], 1
        while count > 0:
            count -= 1
            here = int(waiting[count])
            if game.arrived(player, here):
                return True
            for step in (-ahead, -1, 1, ahead):
                there = here + 2 * step
                if not state.blocked[here + step] and not seen[there]:
                    seen[there], waiting[count] = True, there
                    count += 1
        return False

    def arrived(game, player, spot):
        """Is this spot in the player's far row?"""
        side = game.side()
        return spot < 2 * side if player == 0 else spot >= (side - 2) * side

    def play(game, state, action):
        turn, along = state.turn, game.wall_step(action)
        state.turn = 1 - turn
        state.moves += 1
        if along == 0:
            state.pawns[turn] = action
            if game.arrived(turn, action):
                state.winner = turn + 1
        else:
            state.left[turn] -= 1
            for far in range(3):
                state.blocked[action + far * along] = 1
            for crossing in (action - along, action + along, action + 3 * along):  # what it touches becomes one chain
                chain, state.chains[crossing] = state.chains[crossing], action
                for other in range(game.actions()):
                    if chain > 0 and state.chains[other] == chain:
                        state.chains[other] = action
        if state.moves == LONGEST * game.size**2:
            state.winner = DRAW

    def planes(game):
        return (7, 2 * game.size - 1, 2 * game.size - 1)

    def encode(game, state, planes):
        """The pawn of who moves, and the other's; walls; how many each has left; who moves; moves."""
        side, played, mine = game.side(), state.moves / (LONGEST * game.size**2), state.turn
        for row in range(side - 2):
            for col in range(side - 2):
                spot = (row + 1) * side + col + 1
                planes[0, row, col] = spot == state.pawns[mine]
                planes[1, row, col] = spot == state.pawns[1 - mine]
                planes[2, row, col] = state.blocked[spot]
                planes[3, row, col] = state.left[mine] / 10
                planes[4, row, col] = state.left[1 - mine] / 10
                planes[5, row, col] = mine
                planes[6, row, col] = played

    def symmetries(game):
        return symmetries_of(game, ordered=False)

    def cells(game, state):
        found = WALL * (state.blocked > 0)
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
