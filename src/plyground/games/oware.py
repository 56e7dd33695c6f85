"""Oware (abapa): sow seeds one by one; who ends in a house of the other's with two or three seeds captures them.

Those of the houses before it go along, as long as they hold two or three, too.  A move that would take all of the
other's seeds takes none, and who can has to give some to a player without any.  When a position comes again, or nothing
can be played, everybody takes the seeds of the own houses.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..spec import About
from .kalah import Kalah

QUIET = 400  # plies without a capture, after which the game ends, too
MOST = 120  # seeds


class Oware(NamedTuple):
    """Sow the seeds of a house; two or three in the last house of the other's are captured.  More seeds win."""

    houses: Annotated[int, About("houses of each player", low=2, high=12)] = 6
    seeds: Annotated[int, About("seeds in each house at the start", low=1, high=12)] = 4

    def limits(game):
        if 2 * game.houses * game.seeds > MOST:
            raise ValueError(f"there are at most {MOST} seeds, not {2 * game.houses * game.seeds}")

    def fields(game):
        # of the first player's houses, then the second's, as seeds are sown; `past`: the same since the last capture
        pits = [("pits", np.int8, (2 * game.houses,)), ("taken", np.int8, (2,)), ("turn", np.int8)]
        return [*pits, ("quiet", np.int16), ("past", np.int8, (QUIET, 2 * game.houses))]

    def start(game, state):
        for pit in range(2 * game.houses):
            state.pits[pit] = game.seeds

    def actions(game):
        return game.houses

    def can_play(game, state, house):
        """Has who is to move a seed there, and enough to feed a player who has none?"""
        first, other = state.turn * game.houses, (1 - state.turn) * game.houses
        if state.pits[first + house] > game.houses - 1 - house:
            return True
        for pit in range(other, other + game.houses):
            if state.pits[pit] > 0:
                return state.pits[first + house] > 0
        return False

    def legal(game, state, out):
        count = 0
        for house in range(game.houses):
            out[count] = house
            count += game.can_play(state, house)
        return count

    def play(game, state, action):
        size, home = 2 * game.houses, state.turn * game.houses + action
        for pit in range(size):
            state.past[state.quiet, pit] = state.pits[pit]
        state.quiet += 1
        hand, pit = state.pits[home], home
        state.pits[home] = 0
        while hand > 0:
            pit = pit + 1 if pit + 1 < size else 0
            if pit != home:  # which is passed over
                state.pits[pit] += 1
                hand -= 1
        if pit // game.houses != state.turn:
            game.capture(state, pit)
        state.turn = 1 - state.turn
        if state.quiet == QUIET or game.again(state) or game.stuck(state):
            game.gather(state)

    def capture(game, state, pit):
        """Take twos and threes from here backwards, unless that leaves the other nothing."""
        first = pit // game.houses * game.houses
        end, left = pit, 0  # the first house before them; seeds that stay
        while end >= first and 2 <= state.pits[end] <= 3:
            end -= 1
        for house in range(first, first + game.houses):
            left += state.pits[house] if house <= end or house > pit else 0
        if end == pit or left == 0:
            return
        for house in range(end + 1, pit + 1):
            state.taken[state.turn] += state.pits[house]
            state.pits[house] = 0
        for ply in range(state.quiet):
            for house in range(2 * game.houses):
                state.past[ply, house] = 0
        state.quiet = 0

    def again(game, state):
        """Has this position been there since the last capture, with the same player to move?"""
        for back in range(2, state.quiet + 1, 2):
            same = True
            for pit in range(2 * game.houses):
                if state.past[state.quiet - back, pit] != state.pits[pit]:
                    same = False
                    break
            if same:
                return True
        return False

    def stuck(game, state):
        for house in range(game.houses):
            if game.can_play(state, house):
                return False
        return True

    def gather(game, state):
        """At the end everybody takes what is left in the own houses."""
        for pit in range(2 * game.houses):
            state.taken[pit // game.houses] += state.pits[pit]
            state.pits[pit] = 0

    def over(game, state):
        """Has somebody more than half of the seeds, or both half?"""
        half = game.houses * game.seeds
        return state.taken[0] > half or state.taken[1] > half or (state.taken[0] == half and state.taken[1] == half)

    def score(game, state):
        return float(np.sign(state.taken[0] - state.taken[1])) if game.over(state) else 0.0

    def planes(game):
        return (5, 1, game.houses)

    def encode(game, state, planes):
        """Seeds in the houses of who moves and of the other, what each has taken, and plies without a capture."""
        for house in range(game.houses):
            for player in range(2):
                who = state.turn ^ player
                planes[player, 0, house] = state.pits[who * game.houses + house] / game.seeds
                planes[2 + player, 0, house] = state.taken[who] / (game.houses * game.seeds)
            planes[4, 0, house] = state.quiet / QUIET

    def cells(game, state):
        first, second = np.sign(state.pits).reshape(2, -1).tolist()
        stores = np.sign(state.taken).tolist()
        return [2 * stores[1], *(2 * seed for seed in second[::-1]), -1, -1, *first, stores[0]]

    def glyphs(game, state):
        first, second = [[str(seeds) for seeds in pits] for pits in state.pits.reshape(2, -1).tolist()]
        return [str(state.taken[1]), *second[::-1], "", "", *first, str(state.taken[0])]

    board, where, name = Kalah.board, Kalah.where, Kalah.name  # stores hold what is taken
