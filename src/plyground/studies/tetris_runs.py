"""What the study gomoku-tetris computes of Tetris: learners on their way, controllers, and searches.

Time is processor time of one core, so that whatever else the machine does cannot decide a comparison.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from .. import agents, games
from ..agents.linear import Games, play_games
from ..games.tetris.features import BCTS, DELLACHERIE, Linear
from ..rules import CHANCE, drawn_outcome, new

CONTROLLERS = {"dellacherie": DELLACHERIE, "bcts": BCTS}


def training(
    game: str, algorithm: str, options: dict[str, Any], seconds: float, points: list[int], count: int, seed: int
) -> dict[str, Any]:
    """Train for so many seconds; count lines after so many placements, and at the end in twice as many games."""
    from ..learn.train import must_have

    must_have()
    from ..learn import learner as learner_of
    from ..learn.base import chosen, usual_for
    from ..learn.mcts_actor_critic import MCTSActorCritic

    kind = learner_of(algorithm)
    made = games.make(game)
    learner: Any = kind(made, game, chosen(kind, options, usual=usual_for(algorithm, made)), seed)

    def measured(number: int) -> dict[str, Any]:
        told = {"net": played(lambda: learner.unsearched(number))}
        if isinstance(learner, MCTSActorCritic):
            told["search"] = played(lambda: learner.searched(number))
        return {"pieces": learner.done, "seconds": spent, **told}

    spent, curve, due = 0.0, [], list(points)
    while spent < seconds:
        begun = time.process_time()
        learner.advance()
        spent += time.process_time() - begun
        if due and learner.done >= due[0] and spent < seconds:
            curve.append(measured(count))
            due = [point for point in due if point > learner.done]
    return {"curve": [*curve, measured(2 * count)]}


def controller(game: str, name: str, depth: int, count: int, limit: int, seed: int) -> dict[str, Any]:
    """Games of a controller that is known by name."""
    return played(partial(play_games, games.make(game), CONTROLLERS[name], count, limit, seed, depth))


def linear(game: str, options: dict[str, Any], count: int, limit: int, seed: int) -> dict[str, Any]:
    """Games of a controller by the cross-entropy method, one and two pieces ahead, and what it took to find it."""
    from ..learn.train import must_have

    must_have()
    from ..learn.base import chosen
    from ..learn.cross_entropy import CrossEntropy

    made, begun = games.make(game), time.process_time()
    learner = CrossEntropy(made, game, chosen(CrossEntropy, options), seed)
    while learner.done < learner.steps:
        learner.advance()
    seconds, found = time.process_time() - begun, Linear(*learner.mean.tolist())
    by_depth = {str(d): played(partial(play_games, made, found, count, limit, seed, d)) for d in (1, 2)}
    return {"seconds": seconds, "weights": list(found), **by_depth}


def agent(game: str, spec: str, count: int, limit: int, seed: int) -> dict[str, Any]:
    """Games of any agent, one after the other."""
    made, player = games.make(game), agents.make(spec, seed)

    def play() -> Games:
        found = Games.of(made, count)
        for number in range(count):
            state, rng, moves = new(made), np.random.default_rng([seed, number]), 0
            while not made.over(state) and moves < limit:
                if made.player(state) == CHANCE:
                    made.play(state, drawn_outcome(made, state, rng))
                else:
                    made.play(state, player.think(made, state).action)
                    moves += 1
            found.enter(number, made, state, moves)
        return found

    return played(play)


def played(play: Any) -> dict[str, Any]:
    """Lines and points of every game, the share that the limit ended, and seconds a placement."""
    begun = time.process_time()
    found = play()
    seconds = (time.process_time() - begun) / max(1, int(found.moves.sum()))
    told = {"lines": found.states["lines"].tolist(), "scores": found.scores.tolist(), "seconds_a_piece": seconds}
    return told | {"unfinished": float((~found.ended).mean())}
