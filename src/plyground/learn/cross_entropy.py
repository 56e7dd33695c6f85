"""Cross-entropy: draws the weights of a linear controller for one player, and keeps those whose games were best.

Weights are drawn from a normal distribution.  Every draw plays some games; mean and variance of the best draws make the
next distribution, and a variance is added that decreases, lest it narrows too soon (Szita and Lőrincz, 2006; the noise
is that of Thiery and Scherrer, 2009, who found BCTS this way):

    mean      = mean of the elite
    variance  = variance of the elite + max(0, noise - generation * cooling)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..spec import About, InputError
from .linear import LinearLearner, LinearOptions


@dataclass(frozen=True)
class CrossEntropyOptions(LinearOptions):
    elite: Annotated[int, About("the best of them, which make the next generation", low=1)] = 10
    noise: Annotated[float, About("variance that is added at first", low=0, high=1e6)] = 5.0
    cooling: Annotated[float, About("what is taken off it with every generation", low=0, high=1e6)] = 0.1


class CrossEntropy(LinearLearner):
    """A linear controller for one player by the noisy cross-entropy method."""

    options_type: ClassVar = CrossEntropyOptions

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if options.elite > options.population:
            raise InputError(f"train: the elite is part of the population of {options.population}")
        self.mean, self.variance = np.zeros(self.count), np.full(self.count, options.width**2)

    @property
    def middle(self) -> np.ndarray:
        return self.mean

    def draw(self) -> np.ndarray:
        rng = np.random.default_rng([self.seed, self.done])
        return rng.normal(self.mean, np.sqrt(self.variance), (self.options.population, self.count))

    def fit(self, drawn: np.ndarray, scores: np.ndarray) -> float:
        o = self.options
        order = np.argsort(-scores, kind="stable")
        self.mean, self.variance = fitted(drawn[order[: o.elite]], max(0.0, o.noise - self.done * o.cooling))
        return float(np.sqrt(self.variance).mean())

    def arrays(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, "variance": self.variance}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done = notes["done"]
        self.mean, self.variance = arrays["mean"].copy(), arrays["variance"].copy()


def fitted(elite: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the next generation."""
    return elite.mean(axis=0), elite.var(axis=0) + noise
