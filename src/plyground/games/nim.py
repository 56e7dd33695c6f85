"""Nim: take as many as you like from one heap; who takes the last one wins, or loses if the game is misère."""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import letters
from ..spec import About

LARGEST = 30  # tokens of a heap


class Nim(NamedTuple):
    """Take one or more tokens from one heap; who takes the last one wins."""

    heaps: tuple = (3, 4, 5)
    misere: bool = False  # who takes the last one loses

    def limits(game):
        if not 1 <= len(game.heaps) <= 26 or not all(1 <= heap <= LARGEST for heap in game.heaps):
            raise ValueError(f"there are 1 to 26 heaps of 1 to {LARGEST} tokens")

    def fields(game):
        return [("heaps", np.int8, (len(game.heaps),)), ("turn", np.int8)]

    def start(game, state):
        for i in range(len(game.heaps)):
            state.heaps[i] = game.heaps[i]

    def actions(game):
        return len(game.heaps) * max(game.heaps)  # heap by heap: take 1, 2, ...

    def legal(game, state, out):
        count = 0
        for heap in range(len(game.heaps)):
            for less_one in range(state.heaps[heap]):
                out[count] = heap * max(game.heaps) + less_one
                count += 1
        return count

    def still(game, state, action):
        return state.heaps[action // max(game.heaps)] > action % max(game.heaps)

    def play(game, state, action):
        state.heaps[action // max(game.heaps)] -= action % max(game.heaps) + 1
        state.turn = 1 - state.turn

    def over(game, state):
        for heap in range(len(game.heaps)):
            if state.heaps[heap] > 0:
                return False
        return True

    def score(game, state):
        took_last = 2 * state.turn - 1  # 1 if the first player did
        return float(-took_last if game.misere else took_last) if game.over(state) else 0.0

    def decisive(game):
        return True

    def planes(game):
        return (1, len(game.heaps), max(game.heaps))

    def encode(game, state, planes):
        for heap in range(len(game.heaps)):
            for i in range(state.heaps[heap]):
                planes[0, heap, i] = 1

    def board(game):
        heaps, most = len(game.heaps), max(game.heaps)
        labels = {"columns": [""] * most, "row_labels": [letters(heap) for heap in range(heaps)]}
        return {"shape": "cells", "rows": heaps, "cols": most, **labels}

    def cells(game, state):
        return [0 if i < heap else 3 for heap in state.heaps.tolist() for i in range(max(game.heaps))]

    def glyphs(game, state):
        return [" " if cell else "\u25cf" for cell in game.cells(state)]

    def where(game, state, action):
        heap, less_one = divmod(action, max(game.heaps))
        top = heap * max(game.heaps) + int(state.heaps[heap])
        return list(range(top - less_one - 1, top))

    def name(game, action):
        heap, less_one = divmod(action, max(game.heaps))
        return f"{letters(heap)}{less_one + 1}"


def nim(
    heaps: Annotated[str, About("tokens of each heap, with dashes between")] = "3-4-5",
    misere: Annotated[bool, About("who takes the last one loses")] = False,
) -> Nim:
    """Take from one heap; the last token wins."""
    numbers = heaps.split("-")
    if not all(number.isdecimal() for number in numbers):
        raise ValueError(f"heaps are numbers with dashes between them, such as 3-4-5, not {heaps!r}")
    return Nim(tuple(map(int, numbers)), misere)
