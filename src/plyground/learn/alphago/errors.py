"""How well results of games are foretold: by the value net, and by roll-outs of several policies, move by move."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...search.mcts import local_patterns
from .learner import HELD_OUT, AlphaGo, rolled
from .playing import Policy, movers, play_out

WAYS = ("value net", "roll-outs, improved policy", "roll-outs, fast policy", "roll-outs at random")


def held_out(made: AlphaGo, most: int) -> slice:
    """The positions that the value net has not learnt, at most so many."""
    learnt = len(made.value_states) - max(1, len(made.value_states) // HELD_OUT)
    return slice(learnt, learnt + most)


def foretold(made: AlphaGo, states: np.ndarray, rollouts: int, seed: int) -> dict[str, np.ndarray]:
    """By way, what is foretold of the results, for who moves: float64[n].  A training that has ended is asked."""
    if made.fast is None or made.places is None or "value" not in made.nets:
        raise ValueError("the stages rollout and value have not been run")
    game, rng = made.game, np.random.default_rng([seed, 8])
    better = Policy(game, made.policy("rl"))
    many = np.repeat(states, rollouts)

    def choose(here: np.ndarray, players: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        return better.draw(here, rng)

    ends = play_out(game, many, choose).reshape(len(states), rollouts).mean(axis=1)
    random = local_patterns.untaught(game, *made.places)
    found = (
        Policy(game, made.nets["value"]).values(states),
        ends * (1 - 2 * movers(game, states)[1]),
        rolled(game, made.fast, states, rollouts, seed),
        rolled(game, random, states, rollouts, seed),
    )
    return {way: np.asarray(one, np.float64) for way, one in zip(WAYS, found, strict=True)}


def errors_by_moves(made: AlphaGo, bins: int, positions: int, rollouts: int, seed: int = 0) -> list[dict[str, Any]]:
    """The mean squared errors by how many moves had been played, in so many parts with about as many positions each,
    the first row being that of all together."""
    some = held_out(made, positions)
    states, plies, scores = made.value_states[some], made.value_plies[some], made.value_scores[some]
    squares = {way: np.square(one - scores) for way, one in foretold(made, states, rollouts, seed).items()}
    edges = np.unique(np.quantile(plies, np.linspace(0, 1, bins + 1)).astype(int))
    parts = [(low, high - 1) for low, high in pairwise(edges.tolist())] or [(0, 0)]
    parts[-1] = parts[-1][0], int(plies.max())
    rows = []
    for low, high in [(int(plies.min()), int(plies.max())), *parts]:
        here = (plies >= low) & (plies <= high)
        if here.any():
            errors = {way: float(one[here].mean()) for way, one in squares.items()}
            rows.append({"moves": [low, high], "positions": int(here.sum()), "errors": errors})
    return rows
