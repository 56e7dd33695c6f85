"""Cross-entropy: draws the weights of a linear controller for one player, and keeps those whose games were best.

Weights are drawn from a normal distribution.  Every draw plays some games; mean and variance of the best draws make the
next distribution, and a variance is added that decreases, lest it narrows too soon (Szita and Lőrincz, 2006; the noise
is that of Thiery and Scherrer, 2009, who found BCTS this way):

    mean      = mean of the elite
    variance  = variance of the elite + max(0, noise - generation * cooling)

All draws of a generation meet the same chance events.  The mean of the last generation is the controller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..agents.linear import APART, Games, play_games
from ..nets.afterstates import afterstates
from ..nets.files import AFTERSTATES, Card
from ..nets.later import models, torch
from ..spec import About, InputError
from .base import Options
from .one_player import OnePlayerLearner


@dataclass(frozen=True)
class CrossEntropyOptions(Options):
    generations: Annotated[int, About("generations", low=1)] = 50
    population: Annotated[int, About("controllers that are drawn in each", low=2, high=100_000)] = 100
    elite: Annotated[int, About("the best of them, which make the next generation", low=1)] = 10
    games: Annotated[int, About("games that each of them plays", low=1)] = 5
    limit: Annotated[int, About("moves after which a game is ended", low=1)] = 100_000
    width: Annotated[float, About("standard deviation of the weights at first", low=0, high=1e6)] = 10.0
    noise: Annotated[float, About("variance that is added at first", low=0, high=1e6)] = 5.0
    cooling: Annotated[float, About("what is taken off it with every generation", low=0, high=1e6)] = 0.1
    measured: Annotated[int, About("games in which the mean controller is measured", low=2)] = 100
    measure_every: Annotated[int, About("generations between two measurements; 0: only at the end", low=0)] = 5
    checkpoint_every: Annotated[int, About("generations between two checkpoints", low=1)] = 1

    formerly: ClassVar = {"pieces": "limit"}


class CrossEntropy(OnePlayerLearner):
    """A linear controller for one player by the noisy cross-entropy method."""

    options_type = CrossEntropyOptions
    unit = "generations"

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if options.elite > options.population:
            raise InputError(f"train: the elite is part of the population of {options.population}")
        self.afterstates = afterstates(game)
        self.controller, count = self.afterstates.linear(game)
        self.mean, self.variance = np.zeros(count), np.full(count, options.width**2)
        play_games(game, self.controller(self.mean), 1, 1)  # compiled, or refused, before anything is written

    @property
    def steps(self) -> int:
        return self.options.generations

    def advance(self) -> dict[str, float]:
        """One generation."""
        o = self.options
        rng = np.random.default_rng([self.seed, self.done])
        drawn = rng.normal(self.mean, np.sqrt(self.variance), (o.population, len(self.mean)))
        seed = self.seed * APART + self.done
        scores = np.array([self.play(weights, o.games, seed).scores.mean() for weights in drawn])
        order = np.argsort(-scores, kind="stable")
        self.mean, self.variance = fitted(drawn[order[: o.elite]], max(0.0, o.noise - self.done * o.cooling))
        self.done += 1
        spread = float(np.sqrt(self.variance).mean())
        return {"best": float(scores[order[0]]), "median": float(np.median(scores)), "spread": spread}

    def measure(self) -> dict[str, float]:
        """Scores of games of the mean, with other chance events than those of training."""
        return self.figures_of(self.play(self.mean, self.options.measured, -1 - self.seed))

    def play(self, weights: np.ndarray, number: int, seed: int) -> Games:
        """Games of a controller."""
        return play_games(self.game, self.controller(weights), number, self.options.limit, seed)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, "variance": self.variance}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done = notes["done"]
        self.mean, self.variance = arrays["mean"].copy(), arrays["variance"].copy()

    def net(self) -> tuple[models.ActionMLP, Card]:
        """The weights as a net of one layer, which gives nothing for numbers that have no weight."""
        name, features = next(iter(self.afterstates.features.items()))
        net = models.ActionMLP([features.numbers(self.game), 1])
        weights = torch.zeros(1, net.sizes[0])
        weights[0, : len(self.mean)] = torch.tensor(self.mean, dtype=torch.float32)
        net.layers[0].weight.data, net.layers[0].bias.data = weights, torch.zeros(1)  # type: ignore[assignment]
        return net, Card(net.sizes, name, "q", self.name, kind=AFTERSTATES)


def fitted(elite: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the next generation."""
    return elite.mean(axis=0), elite.var(axis=0) + noise
