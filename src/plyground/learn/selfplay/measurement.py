"""How well the net of a self-play learner plays: in the process that learns, or beside it, on another core."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ... import games, heartbeat
from ...nets.evaluate import Greedy
from ...nets.later import inference, models, torch
from ...search.mcts.batched import BatchedPUCT
from ...search.mcts.settings import Settings
from .. import measure
from .elo import OlderSelf

POSITIONS, SIMS = 256, 100  # positions looked at at once, and simulations, where mistakes are counted
ALONE, LIMIT = 64, 2_000  # games of one player in which the net alone is measured, and moves after which they are ended


class Measurement(NamedTuple):
    """What is measured, and by what."""

    name: str  # of the game
    seed: int
    net: models.ResNet
    device: str
    settings: Settings  # of its search
    older: OlderSelf
    step: int  # positions that it has learnt from


class Measured(NamedTuple):
    """What came of it."""

    figures: dict[str, float]
    older: OlderSelf  # as it is now
    step: int


@heartbeat.expected()
def measured(task: Measurement, game: Any = None, may_stop: Callable[[], None] = lambda: None) -> Measured:
    """Mistakes of the net with its search and alone, and its Elo, from game to game since the untrained net; where
    one plays, the points of games by its policy alone.  `may_stop` is called whenever the net is asked."""
    if task.device == "cpu":
        torch.set_num_threads(1)  # the batches are small
    game, older = _made(task.name, task.seed) if game is None else game, task.older
    net = inference.Inference(task.net, task.device)
    net.prepare(np.zeros((POSITIONS, *game.planes()), np.float32))

    def judge(planes: np.ndarray) -> np.ndarray:
        may_stop()
        heartbeat.beat()
        return net(planes)

    alone = Greedy(game, "board", judge)
    if game.alone():
        return Measured(measure.points("net_points", game, alone, ALONE, LIMIT, task.seed), older, task.step)
    figures = older.measure(game, task.net, judge, task.device, task.settings, task.seed)
    known = measure.positions(game, task.name)
    if known is not None:
        search = BatchedPUCT(game, judge, task.settings, POSITIONS, SIMS)
        figures |= known.figures("mistakes", search)
        figures |= known.figures("net_mistakes", alone)
    return Measured(figures, older, task.step)


@lru_cache(1)
def _made(name: str, seed: int) -> Any:
    return games.make(name, seed)
