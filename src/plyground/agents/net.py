"""The agent `net`: a trained net alone, without search.  It is run by onnxruntime; PyTorch is not needed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..nets.evaluate import Greedy, onnx_evaluator, softmax, together
from ..nets.files import must_fit, read_card
from ..rules import must_encode
from ..spec import About
from .base import Agent, Limit, Move, Thought
from .tree_search import same


@dataclass
class Net(Agent):
    """Plays the legal action that a trained net says most for."""

    run: Annotated[str, About("the folder of the run that trained it", kind="run")]

    in_points = False
    many = True

    def __post_init__(self) -> None:
        self._card = read_card(Path(self.run))
        self._evaluate = onnx_evaluator(Path(self.run))
        self._greedy: Greedy | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_encode(game)

    def close(self) -> None:
        self._evaluate.close()

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        begun = time.perf_counter()
        outputs = self._outputs(game, together([state]))[0]
        order = [int(action) for action in np.argsort(-outputs, kind="stable") if outputs[action] > -np.inf]
        if self._card.output != "q":
            chances = softmax(outputs)
            moves = [Move(action, 0, 0.0, prior=float(chances[action])) for action in order]
            return Thought(order[0], seconds=time.perf_counter() - begun, moves=moves)
        worth = np.clip(outputs / self._card.scale, -1, 1)
        moves = [Move(action, 0, float(worth[action])) for action in order]
        return Thought(order[0], moves[0].value, seconds=time.perf_counter() - begun, moves=moves)

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        """All of them by one run of the net."""
        return self._outputs(game, together(list(states))).argmax(axis=1).tolist() if len(states) else []

    def _outputs(self, game: Any, states: np.ndarray) -> np.ndarray:
        """What the net says of every action in states[n], -inf of those that are not legal."""
        if self._greedy is None or not same(self._greedy.game, game):
            must_fit(self._card, game)
            self._greedy = Greedy(game, self._card.input, self._evaluate)
        return self._greedy.outputs(states)
