"""CMA-ES: draws the weights of a linear controller for one player, and learns from their ranks where and how to draw.

Weights are drawn from a normal distribution, whose mean moves towards the better draws, each weighted by its rank, and
whose whole covariance, not the variances alone, adapts to the steps that paid (Hansen and Ostermeier, 2001).  The
package `cma`, by the method's author, does that; with more than a thousand weights it keeps variances only (Ros and
Hansen, 2008), since a covariance has as many numbers as the square of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spec import InputError
from .linear import LinearLearner

SEPARABLE = 1_000  # weights, more than which have no covariances


class CMAES(LinearLearner):
    """A linear controller for one player by covariance matrix adaptation."""

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if not options.width:
            raise InputError("train: cma-es learns from weights that differ: width is above 0")
        self.told = np.zeros((0, options.population))  # the scores of every generation, which determine all the rest
        self.strategy = self._begun()

    def _begun(self) -> Any:
        """The strategy before its first generation, with a stream of random numbers of its own."""
        try:
            import cma
        except ModuleNotFoundError:
            raise InputError("cma-es needs the package cma: pip install 'plyground[train]'") from None
        rng = np.random.default_rng(self.seed)
        own = {"popsize": self.options.population, "CMA_diagonal": self.count > SEPARABLE}
        own |= {"randn": lambda *shape: rng.standard_normal(shape), "seed": np.nan, "verbose": -9, "verb_log": 0}
        return cma.CMAEvolutionStrategy(np.zeros(self.count), self.options.width, own)

    @property
    def middle(self) -> np.ndarray:
        return np.asarray(self.strategy.mean, np.float64)

    def draw(self) -> np.ndarray:
        return np.array(self.strategy.ask())

    def fit(self, drawn: np.ndarray, scores: np.ndarray) -> float:
        self.strategy.tell(list(drawn), (-scores).tolist())  # it minimises
        self.told = np.concatenate([self.told, scores[None]])
        return float(self.strategy.stds.mean())

    def arrays(self) -> dict[str, np.ndarray]:
        return {"told": self.told}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        """Draw once more what was drawn, and tell the same scores: what `cma` keeps is not written to files."""
        super().restore(arrays, notes)
        self.told, self.strategy = np.zeros((0, self.options.population)), self._begun()
        for scores in arrays["told"]:
            self.fit(self.draw(), scores)
