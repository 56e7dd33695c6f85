"""What learners of linear controllers for one player share: weights are drawn, every draw plays some games, and the
scores of a generation say where the next one is drawn.

All draws of a generation meet the same chance events.  The mean of the last generation is the controller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..agents.linear import APART, Games, play_games
from ..nets.afterstates import afterstates
from ..nets.card import AFTERSTATES, Card
from ..nets.later import models, torch
from ..spec import About
from .base import Options
from .one_player import OnePlayerLearner


@dataclass(frozen=True)
class LinearOptions(Options):
    generations: Annotated[int, About("generations", low=1)] = 50
    population: Annotated[int, About("controllers that are drawn in each", low=4, high=100_000)] = 100
    games: Annotated[int, About("games that each of them plays", low=1)] = 5
    limit: Annotated[int, About("moves after which a game is ended", low=1)] = 100_000
    width: Annotated[float, About("standard deviation of the weights at first", low=0, high=1e6)] = 10.0
    measured: Annotated[int, About("games in which the mean controller is measured", low=2)] = 100
    measure_every: Annotated[int, About("generations between two measurements; 0: only at the end", low=0)] = 5
    checkpoint_every: Annotated[int, About("generations between two checkpoints", low=1)] = 1

    formerly: ClassVar = {"pieces": "limit"}


class LinearLearner(OnePlayerLearner):
    """Finds the weights of a linear controller."""

    unit = "generations"
    options_type: ClassVar[type[LinearOptions]] = LinearOptions

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.afterstates = afterstates(game)
        self.controller, self.count = self.afterstates.linear(game)  # which has so many weights
        play_games(
            game, self.controller(np.zeros(self.count)), 1, 1
        )  # compiled, or refused, before anything is written

    def draw(self) -> np.ndarray:
        """The weights of a generation, float64[population, weights]."""
        raise TypeError(f"{type(self).__name__} draws nothing")

    def fit(self, drawn: np.ndarray, scores: np.ndarray) -> float:
        """Learn from the scores float64[population] of a generation; how far the weights of the next one lie apart."""
        raise TypeError(f"{type(self).__name__} learns nothing")

    @property
    def middle(self) -> np.ndarray:
        """The mean of the weights that would be drawn now, float64[weights]: the controller."""
        raise TypeError(f"{type(self).__name__} has no controller")

    @property
    def steps(self) -> int:
        return self.options.generations

    def advance(self) -> dict[str, float]:
        """One generation."""
        drawn, seed = self.draw(), self.seed * APART + self.done
        scores = np.zeros(len(drawn))
        for number, weights in enumerate(drawn):
            self.may_stop()
            self.now = f"controller {number + 1} of {len(drawn)}"
            scores[number] = self.play(weights, self.options.games, seed).scores.mean()
        self.now = ""
        spread = self.fit(drawn, scores)
        self.done += 1
        return {"best": float(scores.max()), "median": float(np.median(scores)), "spread": spread}

    def measure(self) -> dict[str, float]:
        """Scores of games of the mean, with other chance events than those of training."""
        return self.figures_of(self.play(self.middle, self.options.measured, -1 - self.seed))

    def play(self, weights: np.ndarray, number: int, seed: int) -> Games:
        """Games of a controller."""
        return play_games(self.game, self.controller(weights), number, self.options.limit, seed)

    def net(self) -> tuple[models.ActionMLP, Card]:
        """The weights as a net of one layer, which gives nothing for numbers that have no weight."""
        name, features = next(iter(self.afterstates.features.items()))
        net = models.ActionMLP([features.numbers(self.game), 1])
        weights = torch.zeros(1, net.sizes[0])
        weights[0, : self.count] = torch.tensor(self.middle, dtype=torch.float32)
        net.layers[0].weight.data, net.layers[0].bias.data = weights, torch.zeros(1)  # type: ignore[assignment]
        return net, Card(net.sizes, name, "q", self.name, kind=AFTERSTATES)
