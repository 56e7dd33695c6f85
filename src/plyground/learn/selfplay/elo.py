"""How much stronger a net has become: matches against an older self, whose place it takes when it wins most of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from ...arena.statistics import Tally, elo
from ...nets.evaluate import Evaluator
from ...nets.inference import Inference
from ...nets.models import ResNet
from ...search.mcts.batched import BatchedPUCT
from ...search.mcts.settings import Settings
from .. import measure

GAMES, SIMS, CONSIDERED = 64, 16, 8  # of a match; a seat each half
ENOUGH = 0.7  # score with which the older self is left behind


def duel(
    game: Any, one: Evaluator, other: Evaluator, settings: Settings, number: int, seed: int
) -> tuple[Tally, Tally]:
    """So many games of one net against another, all at once, a few simulations a move: moving first, and second."""
    searches = replace(settings, considered=CONSIDERED, rollout=0.0)
    forests = [BatchedPUCT(game, asked, searches, number, SIMS, seed + i) for i, asked in enumerate((one, other))]

    def choices(states: np.ndarray) -> np.ndarray:
        return forests[0](states, noise=True)

    def replies(states: np.ndarray, _: np.ndarray) -> np.ndarray:
        return forests[1](states, noise=True)

    return measure.matches(game, choices, replies, number // 2, seed)


class Ladder:
    """An older net, and its Elo above the first one."""

    def __init__(self, net: ResNet) -> None:
        self.older, self.elo = deepcopy(net).eval(), 0.0

    def climb(
        self, game: Any, net: ResNet, judge: Evaluator, device: str, settings: Settings, seed: int
    ) -> dict[str, float]:
        """Play a match against the older self; the Elo so far."""
        older = Inference(self.older, device)
        older.prepare(np.zeros((GAMES, *game.planes()), np.float32))
        first, second = duel(game, judge, older, settings, GAMES, seed)
        score = ((first.score + second.score) / 2 * GAMES + 0.5) / (GAMES + 1)  # never all or nothing
        reached = self.elo + elo(score)
        if score >= ENOUGH:
            self.older.load_state_dict(net.state_dict())
            self.elo = reached
        return {"elo": reached}

    def arrays(self) -> dict[str, np.ndarray]:
        return {f"older.{name}": value.cpu().numpy().copy() for name, value in self.older.state_dict().items()}

    def restore(self, arrays: dict[str, np.ndarray], reached: float) -> None:
        import torch

        kept = {name: arrays[f"older.{name}"] for name in self.older.state_dict()}
        self.older.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in kept.items()})
        self.elo = float(reached)
