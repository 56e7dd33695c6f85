"""Study line-taking, its open ideas: nets that learn the game, and how often they err, by the number of cells left."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import games
from ..arena.match import draw
from ..games.line_taking.table import LineTable
from ..manifest import ask
from ..nets import trained
from ..nets.evaluate import Evaluator, Greedy, onnx_evaluator, together
from ..rules import after, legal, new
from ..search.mcts.batched import BatchedPUCT
from ..search.mcts.settings import Settings

SIMS = 100
AT_ONCE = 128  # positions searched side by side


def solved_positions(cells: int, count: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """A game, so many states with this number of cells left, and best bool[n, actions]: what keeps their value.

    They are reached by random moves from random regions; where all is lost, nothing can be lost.
    """
    rng = np.random.default_rng(cells)
    states, best, seed = list[Any](), list[np.ndarray](), 0
    while len(states) < count:
        game = games.make(f"line-taking(cells={max(12, min(33, cells + 8))})", seed=draw(6, seed))
        seed += 1
        state = new(game)
        while game.left(state) > cells:
            state = after(game, state, int(rng.choice(legal(game, state))))
        if game.left(state) != cells:
            continue
        table = LineTable(game, state)
        table.fill()
        values = table.values(state)
        keeps = np.zeros(game.actions(), np.bool_)
        keeps[[action for action, value in values.items() if value == max(values.values())]] = True
        states.append(state)
        best.append(keeps)
    return game, together(states), np.array(best)


def mistakes(cells: int, positions: int, net: str, evaluate: Evaluator | None = None) -> dict[str, Any]:
    """How often a net errs: alone, with a search, and with one that solves few cells; and how often chance does."""
    evaluate = evaluate or onnx_evaluator(trained.find(net))
    game, states, best = solved_positions(cells, positions)
    plain = partial(BatchedPUCT, game, evaluate, number=min(AT_ONCE, positions), sims=SIMS)
    choices: dict[str, Any] = {
        "alone": Greedy(game, "board", evaluate),
        "search": plain(Settings()),
        "endgames": plain(Settings(prover=ask(game, "prover", None))),
    }
    moves = np.array([len(legal(game, state)) for state in states])
    found = {name: float((~best[np.arange(len(best)), choose(states)]).mean()) for name, choose in choices.items()}
    return {"positions": positions, "chance": float((1 - best.sum(1) / moves).mean()), **found}
