"""Kalah: sow seeds one by one; who ends in the own store moves again, who ends in an own empty house captures."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import letters
from ..rules import blank
from ..spec import About
from . import grid

LARGE = 14  # so many seeds and more are encoded by their number alone


class Kalah(NamedTuple):
    """Sow the seeds of a house; end in your store to move again, in your empty house to capture; more seeds win."""

    houses: Annotated[int, About("houses of each player", low=1, high=12)] = 6
    seeds: Annotated[int, About("seeds in each house at the start", low=1, high=12)] = 4

    def fields(game):
        # the first player's houses and store, then the second's, as seeds are sown
        return [("pits", np.int16, (2 * game.houses + 2,)), ("turn", np.int8)]

    def start(game, state):
        for pit in range(2 * game.houses + 2):
            if pit % (game.houses + 1) != game.houses:
                state.pits[pit] = game.seeds

    def actions(game):
        return game.houses

    def legal(game, state, out):
        count, first = 0, state.turn * (game.houses + 1)
        for house in range(game.houses):
            out[count] = house
            count += state.pits[first + house] > 0
        return count

    def play(game, state, action):
        size, first = 2 * game.houses + 2, state.turn * (game.houses + 1)
        store, skipped = first + game.houses, (first + 2 * game.houses + 1) % size
        pit = first + action
        hand = state.pits[pit]
        state.pits[pit] = 0
        while hand > 0:
            pit = pit + 1 if pit + 1 < size else 0
            if pit != skipped:
                state.pits[pit] += 1
                hand -= 1
        across = 2 * game.houses - pit
        if first <= pit < store and state.pits[pit] == 1 and state.pits[across] > 0:
            state.pits[store] += state.pits[across] + 1
            state.pits[across] = state.pits[pit] = 0
        if pit != store:
            state.turn = 1 - state.turn
        if game.empty(state, 0) or game.empty(state, 1):
            game.gather(state)

    def empty(game, state, player):
        """Has this player no seed in its houses?"""
        seeds = 0
        for house in range(game.houses):
            seeds += state.pits[player * (game.houses + 1) + house]
        return seeds == 0

    def gather(game, state):
        """At the end everybody takes what is left in the own houses."""
        for player in range(2):
            first = player * (game.houses + 1)
            for house in range(game.houses):
                state.pits[first + game.houses] += state.pits[first + house]
                state.pits[first + house] = 0

    def over(game, state):
        return state.pits[game.houses] + state.pits[2 * game.houses + 1] == 2 * game.houses * game.seeds

    def score(game, state):
        more = state.pits[game.houses] - state.pits[2 * game.houses + 1]
        return float(np.sign(more)) if game.over(state) else 0.0

    def planes(game):
        return (2 * LARGE, 1, game.houses + 1)

    def encode(game, state, planes):
        """Houses and store of who moves, then those of the other, whose houses lie across: exactly 1, 2, ... seeds in
        planes of their own, since it is the exact number that ends in the store, and how many in the last one."""
        for player in range(2):
            first = (state.turn ^ player) * (game.houses + 1)
            for pit in range(game.houses + 1):
                column = game.houses - 1 - pit if player == 1 and pit < game.houses else pit
                seeds = int(state.pits[first + pit])
                if 0 < seeds < LARGE:
                    planes[player * LARGE + seeds - 1, 0, column] = 1
                planes[player * LARGE + LARGE - 1, 0, column] = seeds / game.seeds

    def board(game):
        """The second player's houses above, from right to left, and the stores at the ends."""
        names = [letters(house) for house in range(game.houses)]
        labels = {"columns": ["", *names, ""], "row_labels": ["", ""]}
        return {"shape": "cells", "rows": 2, "cols": game.houses + 2, **labels}

    def laid_out(game, values, nothing):
        """A value for each pit, cell by cell."""
        first, second = values[: game.houses + 1], values[game.houses + 1 :]
        return [*second[::-1], nothing, nothing, *first]

    def cells(game, state):
        pits = state.pits.tolist()
        return game.laid_out([(1 + (i > game.houses)) * (n > 0) for i, n in enumerate(pits)], -1)

    def glyphs(game, state):
        return game.laid_out([str(n) for n in state.pits.tolist()], "")

    def diagram(game, state):
        """The houses and the store of the first player, those of the second, as seeds are sown, and who moves."""
        first, second = (",".join(map(str, pits)) for pits in state.pits.reshape(2, -1).tolist())
        return f"{first}/{second} {grid.STONES[1 + state.turn]}"

    def read(game, diagram):
        seeds, _, mover = diagram.strip().upper().partition(" ")
        players = [pits.split(",") for pits in seeds.split("/")]
        if [len(pits) for pits in players] != [game.houses + 1] * 2 or not seeds.isascii():
            raise ValueError(f"a diagram has {game.houses} houses and a store of each player: 4,4,0,1/3,0,4,0 X")
        numbers = [int(pit) if pit.isdigit() else -1 for pits in players for pit in pits]
        if min(numbers) < 0 or sum(numbers) != 2 * game.houses * game.seeds:
            raise ValueError(f"there are {2 * game.houses * game.seeds} seeds")
        state = blank(game)
        state.pits[:], state.turn = numbers, grid.turn(mover.strip())
        if not game.over(state) and (game.empty(state, 0) or game.empty(state, 1)):
            raise ValueError("where a player has no seeds left the other takes the rest, and the game is over")
        return state

    def where(game, state, action):
        return [game.houses - action if state.turn else game.houses + 3 + action]

    def name(game, action):
        return letters(action)
