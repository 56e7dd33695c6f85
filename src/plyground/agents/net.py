"""The agent `net`: a trained net alone, without search.  It is run by onnxruntime; PyTorch is not needed.

A fast policy of local patterns, which no net is, plays by it, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ..nets import fast_policy, trained
from ..nets.card import LOCAL_PATTERNS, must_fit
from ..nets.evaluate import Greedy, onnx_evaluator, softmax, together
from ..nets.files import read_card
from ..rules import must_encode
from ..search.mcts.local_patterns import NONE, LocalPatterns, rate_each, with_room
from ..spec import About
from .base import Agent, Limit, Move, Thought, same


@dataclass
class Net(Agent):
    """Plays the legal action that a trained net says most for."""

    run: Annotated[str, About("the folder of the run that trained it, or a net that came with the program", kind="run")]

    in_points = False
    many = True

    def __post_init__(self) -> None:
        self._folder = trained.find(self.run)
        self._card = read_card(self._folder)
        self._evaluate = None if self._card.kind == LOCAL_PATTERNS else onnx_evaluator(self._folder)
        self._greedy: Greedy | None = None
        self._patterns: tuple[Any, LocalPatterns] | None = None  # a fast policy, and the game that it is ready for

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_encode(game)

    def close(self) -> None:
        if self._evaluate is not None:
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
        if self._evaluate is None:
            return self._by_patterns(game, states)
        if self._greedy is None or not same(self._greedy.game, game):
            must_fit(self._card, game)
            self._greedy = Greedy(game, self._card.input, self._evaluate)
        return self._greedy.outputs(states)

    def _by_patterns(self, game: Any, states: np.ndarray) -> np.ndarray:
        """The same by a fast policy, which is not told of the last move."""
        if self._patterns is None or not same(self._patterns[0], game):
            self._patterns = game, with_room(game, *fast_policy.load(self._folder, game))
        chances, lasts = np.zeros((len(states), game.actions())), np.full(len(states), NONE, np.int32)
        rate_each(game, states, lasts, self._patterns[1], chances)
        with np.errstate(divide="ignore"):
            return np.log(chances).astype(np.float32)
