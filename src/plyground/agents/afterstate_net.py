"""The agent `afterstate-net`: a trained net that rates actions by what they leave, without search, by onnxruntime."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..nets.afterstates import AfterstateEncoder, encoder_of, must_be_seen
from ..nets.evaluate import onnx_evaluator, softmax, together
from ..nets.files import read_card
from .base import Agent, Limit, Move, RunFolder, Thought, same


@dataclass
class AfterstateNet(Agent):
    """A net that was trained to rate the actions of one player by the states that they leave."""

    run: RunFolder

    in_points = False

    def __post_init__(self) -> None:
        self._card = read_card(Path(self.run))
        self._evaluate = onnx_evaluator(Path(self.run))
        self._encoder: AfterstateEncoder | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_seen(game)

    def close(self) -> None:
        self._evaluate.close()

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self._encoder is None or not same(self._encoder.game, game):
            self._encoder = encoder_of(self._card, game)
        begun = time.perf_counter()
        seen = self._encoder(together([state]))
        said = self._evaluate(seen.inputs)[:, 0]
        masked = np.where(seen.sensible, said, -np.inf)
        order = np.argsort(-masked, kind="stable")
        judges = self._card.output == "q"
        if not judges:
            chances = softmax(masked)
            moves = [Move(int(seen.actions[k]), 0, 0.0, prior=float(chances[k])) for k in order]
        else:
            moves = [Move(int(seen.actions[k]), 0, float(said[k])) for k in order]
        seconds = time.perf_counter() - begun
        value = moves[0].value if judges else None
        return Thought(moves[0].action, value, len(said), seconds, moves, [moves[0].action])
