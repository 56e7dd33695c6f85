"""The agent `tetris-net`: a trained net that rates placements, without search.  It is run by onnxruntime."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ...agents.base import Agent, Limit, Move, Thought
from ...agents.tree_search import same
from ...nets.evaluate import onnx_evaluator, softmax, together
from ...nets.files import read_card, read_weights
from ...spec import About, InputError
from .agents import must_be_tetris
from .features import Linear
from .placements import FEATURES, Eyes, eyes


@dataclass
class TetrisNet(Agent):
    """Tetris by a net that was trained to rate placements; one that ends the game is its last choice."""

    run: Annotated[str, About("the folder of the run that trained it", kind="run")]

    def __post_init__(self) -> None:
        self._card = read_card(Path(self.run))
        self._evaluate = onnx_evaluator(Path(self.run))
        self._eyes: Eyes | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_tetris(game)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self._eyes is None or not same(self._eyes.game, game):
            self._eyes = eyes(self._card, game)
        begun = time.perf_counter()
        seen = self._eyes(together([state]))
        said = self._evaluate(seen.inputs)[:, 0]
        masked = np.where(seen.sensible, said, -np.inf)
        order = np.argsort(-masked, kind="stable")
        if self._card.output != "q":
            chances = softmax(masked)
            moves = [Move(int(seen.actions[k]), 0, 0.0, prior=float(chances[k])) for k in order]
        else:
            moves = [Move(int(seen.actions[k]), 0, float(said[k])) for k in order]
        seconds = time.perf_counter() - begun
        return Thought(moves[0].action, moves[0].value, len(said), seconds, moves, [moves[0].action])


def linear(run: str | Path) -> Linear:
    """The weights of a run of cross-entropy, for `play_games` and for `linear-tetris`."""
    card, layers = read_card(Path(run)), read_weights(Path(run))
    if card.kind != "placements" or card.input != "features" or len(layers) != 1:
        raise InputError(f"{run} holds no weights of a linear controller")
    return Linear(*layers[0][0][0, :FEATURES].tolist())
