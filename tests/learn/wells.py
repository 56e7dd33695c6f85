"""Wells in the middle of games, for the tests of learners of Tetris."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground import rules
from plyground.rules import CHANCE

SMALL, REFERENCE = 'tetris(6,12,"simplified")', "tetris(6,12)"


def on_the_way(game: Any, number: int, seed: int = 0) -> np.ndarray:
    """States of random games in which a piece is to be placed."""
    rng, found = np.random.default_rng(seed), np.zeros(number, rules.dtype(game))
    state = rules.new(game)
    for i in range(number):
        while game.player(state) == CHANCE:
            game.play(state, rules.drawn_outcome(game, state, rng))
        found[i] = state
        game.play(state, int(rng.choice(rules.legal(game, state))))
        if game.over(state):
            state = rules.new(game)
    return found
