"""Runs a search kernel from Python: allocates, and keeps to the budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit.first_use import first_use
from ...rules import bound
from .. import tree
from ..budget import Budget
from ..rng import seeded
from ..workspace import DEEPEST, SMALL, workspace_type
from . import guided, rave, uct
from .mlp import MLP
from .simulate import OPTIONS, grow, switches_of_search
from .tree_view import TreeView


def node_type(shared: bool, net: MLP | None) -> np.dtype:
    """The record type of the nodes of RAVE, of policy-guided UCT, or of UCT."""
    return tree.node_type(uct.NODE + (rave.NODE if shared else guided.NODE if net else []))


def new_workspaces(game: Any, options: dict[str, Any]) -> np.ndarray:
    """One workspace with these options, in an array."""
    made = np.zeros(1, workspace_type(game, OPTIONS))
    for name, value in {"deepest": DEEPEST - 1, "rollouts": 1, **options, "relative_c": options.get("c", 0.0)}.items():
        made["options"][name] = value
    made["lowest"], made["highest"] = np.inf, -np.inf
    made["logs"][0, 1:] = np.sqrt(np.log(np.arange(1, SMALL)))
    return made


class Search(TreeView):
    """A tree and the kernel that grows it, UCT, RAVE or guided by a net, for one game."""

    def __init__(
        self,
        game: Any,
        options: dict[str, Any],
        seed: int,
        heavy: bool,
        shared: bool,
        nodes: int,
        net: MLP | None = None,
    ) -> None:
        self.game = game
        self.switches = switches_of_search(game, heavy, shared, net)
        self.workspaces = new_workspaces(game, options)
        # views: what is written there, the kernel reads
        self.options, self._roots = self.workspaces["options"][0], self.workspaces["root"]["state"]
        self._lowest, self._highest = self.workspaces["lowest"], self.workspaces["highest"]
        with first_use():
            self.set_nodes(tree.new(nodes, node_type(shared, net)))
            self._grow(0)
        self.seed(seed)
        self.sign = 1

    def set_nodes(self, nodes: np.ndarray) -> None:
        super().set_nodes(nodes)
        self._grow = bound(grow, self.game, self.workspaces, self.workspaces, nodes, self.switches, then=(0,))

    @property
    def root(self) -> Any:
        return self._roots[0]

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.workspaces["rng"] = seeded(seed)

    def tune(self, options: dict[str, Any]) -> None:
        """Set options, at the beginning or while a search is under way."""
        for name, value in options.items():
            self.options[name] = value
        self.options["relative_c"] = self.options["c"]
        half = (self._highest[0] - self._lowest[0]) / 2
        if half > 0:  # exploration follows the results seen, in a game of one player: see `simulate.rescale`
            self.options["c"] *= half

    def begin(self, state: Any, path: list[int] | None = None) -> None:
        """Search from this state, with the subtree that these actions lead to, or with an empty tree."""
        self.replant(path)
        self._roots[0] = state
        self.sign = 1 - 2 * int(self.game.player(state))
        self.options["sign"] = self.sign
        self.options["c"] = self.options["relative_c"]
        self._lowest[0], self._highest[0] = np.inf, -np.inf

    def run(self, budget: Budget) -> int:
        """Simulate until the budget is spent or the root is proven; return how often."""
        done = 0
        while asked := budget.slice(done):
            ran = self._grow(asked)
            done += ran
            if ran < asked:
                break
        return done
