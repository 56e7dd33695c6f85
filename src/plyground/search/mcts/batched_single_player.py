"""Many searches at once in a game of one player, by a net that judges their leaves in batches.

An *evaluator* turns inputs float32[n, numbers], of actions, into answers float32[n, 2]: the logit of an action, and
what is to come after it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...jit.first_use import first_use
from ...rules import gives, kernel, record
from ...spec import About
from .. import tree
from ..budget import Budget, least
from ..rng import seeded
from ..tree import FIXED, ROOT
from . import single_player
from .single_player import OnePlayer
from .skeleton import Evaluator, LeafBatches, begin_tree

Soften = Annotated[float, About("logits are divided by this in the search", low=0.1, high=1000)]
FastRollOut = Annotated[float, About("lambda: share of a fast roll-out's result in a leaf's value", low=0, high=1)]

SOFTEN = 4.0
BLOCKS = 3  # of children that a simulation may add: the actions of a state, and outcomes of chance before it


@kernel
def begin(trees, walkers, nodes, sims):
    """Begin a search in every tree, from nothing, with its walker.

    trees tree_type[t], walkers walker_type[t], nodes [t, capacity]; sims: simulations of each.
    """
    for t in range(trees.size):
        tree, walker = trees[t], walkers[t]
        begin_tree(tree, nodes[t], sims)
        tree.lowest, tree.highest = np.inf, -np.inf
        walker.waits, walker.rolled = False, 0.0


@dataclass(frozen=True)
class Settings:
    """How the search goes on: see `single_player.OPTIONS`."""

    c: float
    soften: float
    gamma: float
    alive: float
    point: float
    rollout: float
    horizon: int = 30
    end_is_loss: bool = False

    def record(self) -> np.ndarray:
        """As the kernels read them."""
        made = np.zeros(1, record(single_player.OPTIONS))
        for name, value in asdict(self).items():
            made[name] = value
        return made


class Roots(NamedTuple):
    """What searches found of the actions at their roots, those of a tree together, as `legal` lists them."""

    actions: np.ndarray  # int64[n]
    visits: np.ndarray  # int64[n]
    values: np.ndarray  # float64[n]
    priors: np.ndarray  # float64[n]; 0 if the action is not to be tried
    widths: np.ndarray  # int64[trees]
    worth: np.ndarray  # float64[trees]: mean result of the simulations

    def preference(self) -> np.ndarray:
        """float64[n], of which the highest of a tree is to be played: more visits first, then the higher value."""
        order = np.lexsort((np.where(self.priors > 0, self.values, -np.inf), self.visits))
        ranks = np.empty(len(order))
        ranks[order] = np.arange(len(order))
        return ranks


class BatchedSinglePlayerPUCT(LeafBatches):
    """Trees of one game, grown side by side: every batch has a leaf of each."""

    def __init__(
        self, game: Any, features: Any, settings: Settings, number: int, sims: int, fast: Any = None, seed: int = 0
    ) -> None:
        if sims > single_player.MOST:
            raise ValueError(f"{sims} simulations are more than {single_player.MOST}")
        self.game, self.sims, self.options = game, sims, settings.record()
        self.variant = OnePlayer(features, fast if settings.rollout > 0 else None)
        self.trees = np.zeros(number, single_player.tree_type(game))
        self.walkers = np.zeros(number, single_player.walker_type(game, features))
        self.walkers["tree"] = np.arange(number)
        self.seed(seed)
        wide = game.actions()
        blocks = (sims + 1) * (BLOCKS if gives(game, "chance") else 1)
        self.nodes = np.zeros((number, FIXED + blocks * wide), tree.node_type(single_player.NODE))
        self.inputs = np.zeros((number * wide, features.numbers(game)), np.float32)
        self.answers = np.zeros((number * wide, 2), np.float32)
        with first_use():
            self.run_to_leaves(self.walkers[:0], self.nodes)
            begin(self.trees[:0], self.walkers[:0], self.nodes, 0)

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.walkers["rng"] = [seeded(seed * 1_000_003 + i) for i in range(len(self.walkers))]

    def search(self, states: np.ndarray, evaluate: Evaluator, budget: Budget | None = None) -> Roots:
        """Grow a tree for each of these states, in which an action is to be chosen.

        The budget, of each tree, may have fewer simulations than there is room for; the roots are judged in any case.
        """
        number, judged, budget = len(states), False, budget or Budget()
        walkers = self.walkers[:number]
        self.trees["root"][:number] = states
        begin(self.trees[:number], walkers, self.nodes, max(1, least(budget.steps, self.sims)))
        while (waiting := self.run_to_leaves(walkers, self.nodes)) and not (judged and budget.over()):
            self.judge(evaluate, waiting)
            judged = True
        return self.roots(number)

    def roots(self, number: int) -> Roots:
        """What the first trees say."""
        found = [self.nodes[t, r["first"] : r["first"] + r["width"]] for t, r in enumerate(self.nodes[:number, ROOT])]
        whole = np.concatenate(found)
        return Roots(
            actions=whole["action"].astype(np.int64),
            visits=whole["visits"].astype(np.int64),
            values=whole["value"].copy(),
            priors=whole["prior"].copy(),
            widths=np.array([len(one) for one in found]),
            worth=self.nodes["value"][:number, ROOT].copy(),
        )
