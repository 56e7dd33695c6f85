"""The agent `mcts-actor-critic`: tree search for one player by a net of policy and value, run by onnxruntime."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..nets.afterstates import Afterstates, encoder_of, must_be_seen
from ..nets.evaluate import onnx_evaluator, together
from ..nets.files import read_card
from ..search.mcts.batched_single_player import SOFTEN, BatchedSinglePlayerPUCT, FastRollOut, Roots, Settings, Soften
from ..search.mcts.settings import Exploration
from ..search.mcts.single_player import MOST
from ..spec import About, InputError
from .base import Agent, Limit, Move, RunFolder, Seed, Thought, same


@dataclass
class MCTSActorCritic(Agent):
    """Tree search for one player, with chance, guided by a net that `plyground train mcts-actor-critic` has trained."""

    run: RunFolder
    sims: Annotated[int, About("simulations a move", low=1, high=MOST)] = 64
    c: Exploration = 0.1
    soften: Soften = SOFTEN
    rollout: FastRollOut = 0.0
    seed: Seed = None

    in_points = False  # the returns of its net discount them

    def __post_init__(self) -> None:
        self._card = read_card(Path(self.run))
        if not self._card.returns:
            raise InputError(f"{self.run} was not trained by mcts-actor-critic")
        self._evaluate = onnx_evaluator(Path(self.run))
        self._puct: BatchedSinglePlayerPUCT | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_seen(game)

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._drawn = int(self.rng.integers(2**31))
        if self._puct is not None:
            self._puct.seed(self._drawn)

    def close(self) -> None:
        self._evaluate.close()

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self._puct is None or not same(self._puct.game, game):
            encoder = encoder_of(self._card, game)
            settings = search_settings(encoder.afterstates, self._card.returns, self.c, self.soften, self.rollout)
            self._puct = BatchedSinglePlayerPUCT(
                game, encoder.features, settings, 1, self.sims, encoder.afterstates.fast, self._drawn
            )
        puct = self._puct

        def thought(found: Roots) -> Thought:
            order = np.argsort(-found.preference(), kind="stable")
            rows = zip(*(part[order].tolist() for part in found[:4]), strict=True)
            moves = [Move(action, visits, value, prior=prior) for action, visits, value, prior in rows]
            done = 1 + int(found.visits.sum())
            return Thought(moves[0].action, moves[0].value, done, budget.passed, moves, [moves[0].action])

        budget = limit.budget(self.sims, thought=lambda: thought(puct.roots(1)))
        return thought(puct.search(together([state]), self._evaluate, budget))


def search_settings(told: Afterstates, returns: list[float], c: float, soften: float, rollout: float) -> Settings:
    """Those of a search by a net that has learnt such returns: see `Card.returns`."""
    if rollout and told.fast is None:
        raise InputError("this game brings no fast policy for roll-outs along: leave their share at 0")
    gamma, alive, point = returns
    return Settings(c, soften, gamma, alive, point / told.unit, rollout, end_is_loss=told.end_is_loss)
