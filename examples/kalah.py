"""Kalah: sow seeds one by one; who ends in the own store moves again, who ends in an own empty house captures."""

from typing import NamedTuple

import numpy as np


class Kalah(NamedTuple):
    """Sow and capture; more seeds in the store win."""

    houses: int = 6
    seeds: int = 4  # in each house at the start

    def fields(game):
        # the first player's houses and store, then the second's
        return [("pits", np.int16, (2 * game.houses + 2,)), ("turn", np.int8)]

    def start(game, state):
        for pit in range(2 * game.houses + 2):
            if pit % (game.houses + 1) != game.houses:
                state.pits[pit] = game.seeds

    def actions(game):
        return game.houses

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        for house in range(game.houses):
            if state.pits[state.turn * (game.houses + 1) + house] > 0:
                out[count] = house
                count += 1
        return count

    def play(game, state, action):
        size = 2 * game.houses + 2
        first = state.turn * (game.houses + 1)
        mine, other = first + game.houses, (first + game.houses + game.houses + 1) % size
        pit = first + action
        hand = state.pits[pit]
        state.pits[pit] = 0
        while hand > 0:
            pit = (pit + 1) % size
            if pit != other:
                state.pits[pit] += 1
                hand -= 1
        across = 2 * game.houses - pit
        if first <= pit < mine and state.pits[pit] == 1 and state.pits[across] > 0:
            state.pits[mine] += state.pits[across] + 1
            state.pits[across] = 0
            state.pits[pit] = 0
        if pit != mine:
            state.turn = 1 - state.turn
        if game.empty(state, 0) or game.empty(state, 1):
            for player in range(2):
                for house in range(game.houses):
                    at = player * (game.houses + 1) + house
                    state.pits[player * (game.houses + 1) + game.houses] += state.pits[at]
                    state.pits[at] = 0

    def empty(game, state, player):
        """Does this player have no seed in its houses?"""
        for house in range(game.houses):
            if state.pits[player * (game.houses + 1) + house] > 0:
                return False
        return True

    def over(game, state):
        return game.empty(state, 0) and game.empty(state, 1)

    def score(game, state):
        mine, other = state.pits[game.houses], state.pits[2 * game.houses + 1]
        return 1.0 if mine > other else -1.0 if mine < other else 0.0

    def text(game, state):
        """The second player's houses above, its store on the left."""

        def row(numbers):
            return "".join(f"{number:4}" for number in numbers)

        houses = range(game.houses)
        size, pits = game.houses, state.pits
        lines = [row(reversed(houses)), row(pits[size + 1 : -1][::-1]), "", row(pits[:size]), row(houses)]
        lines[2] = f"{pits[-1]:2}" + " " * (4 * size) + f"{pits[size]:2}"
        return "\n".join(lines)
