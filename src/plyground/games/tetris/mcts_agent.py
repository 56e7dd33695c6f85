"""The agent `mcts-actor-critic`: tree search in Tetris by a net of policy and value.  It is run by onnxruntime."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ...agents.base import Agent, Limit, Move, Seed, Thought
from ...agents.tree_search import same
from ...nets.evaluate import onnx_evaluator, together
from ...nets.files import read_card
from ...search.mcts.batched_single_player import Grove, Roots
from ...search.mcts.single_player import MOST
from ...spec import About, InputError
from .agents import must_be_tetris
from .features import FAST
from .placements import eyes, search_settings


@dataclass
class MCTSActorCritic(Agent):
    """Tetris by tree search with chance, guided by a net that `plyground train mcts-actor-critic` has trained."""

    run: Annotated[str, About("the folder of the run that trained it", kind="run")]
    sims: Annotated[int, About("simulations a piece", low=1, high=MOST)] = 64
    c: Annotated[float, About("weight of exploration", low=0, high=1e6)] = 0.1
    soften: Annotated[float, About("logits are divided by this in the search", low=0.1, high=1000)] = 4.0
    rollout: Annotated[float, About("lambda: share of a fast roll-out's result in a leaf's value", low=0, high=1)] = 0.0
    seed: Seed = None

    def __post_init__(self) -> None:
        self._card = read_card(Path(self.run))
        if not self._card.returns:
            raise InputError(f"{self.run} was not trained by mcts-actor-critic")
        self._evaluate = onnx_evaluator(Path(self.run))
        self._grove: Grove | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_tetris(game)

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._drawn = int(self.rng.integers(2**31))
        if self._grove is not None:
            self._grove.seed(self._drawn)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self._grove is None or not same(self._grove.game, game):
            sight = eyes(self._card, game).sight
            settings = search_settings(game, self._card.returns, self.c, self.soften, self.rollout)
            self._grove = Grove(game, sight, settings, 1, self.sims, FAST, self._drawn)
        grove = self._grove

        def thought(found: Roots) -> Thought:
            order = np.argsort(-found.preference(), kind="stable")
            rows = zip(*(part[order].tolist() for part in found[:4]), strict=True)
            moves = [Move(action, visits, value, prior=prior) for action, visits, value, prior in rows]
            done = 1 + int(found.visits.sum())
            return Thought(moves[0].action, moves[0].value, done, budget.passed, moves, [moves[0].action])

        budget = limit.budget(self.sims, thought=lambda: thought(grove.roots(1)))
        return thought(grove.search(together([state]), self._evaluate, budget))
