"""Runs a search kernel from Python: allocates, keeps to the limits, reads the tree."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ..cache import compiling
from ..rules import gives, reason
from ..spec import InputError
from . import guided, rave, tree
from .mlp import MLP
from .rng import seeded
from .simulate import OPTIONS, grow
from .tree import NONE, ROOT
from .work import DEEPEST, SMALL, work_type

SLICE = 0.02  # seconds between two looks at the clock
FIRST = 1000  # simulations before the first look, unless there is a time limit


class Child(NamedTuple):
    """What a search knows of one action; value and proof are for the player to move."""

    action: int
    visits: int
    value: float
    proof: int
    prior: float | None = None  # by a net


def node_type(shared: bool, net: MLP | None) -> np.dtype:
    """The record type of the nodes of RAVE, of policy-guided UCT, or of UCT."""
    return tree.node_type(rave.NODE if shared else guided.NODE if net else [])


class Search:
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
        switches = (gives(game, "chance"), gives(game, "still"), heavy, shared)
        self.flags = [*(True if on else None for on in switches), net]
        self.works = np.zeros(1, work_type(game, OPTIONS))
        self._set_nodes(tree.new(nodes, node_type(shared, net)))
        self.options = self.works["options"][0]  # a view: what is written there, the kernel reads
        for name, value in {"deepest": DEEPEST - 1, "rollouts": 1, **options}.items():
            self.options[name] = value
        self.seed(seed)
        self.works["logs"][0, 1:] = np.sqrt(np.log(np.arange(1, SMALL)))
        self.sign = 1
        try:  # no simulation: this compiles the kernel at the first use of a game
            with compiling():
                grow(game, self.works, self.nodes, 0, *self.flags)
        except Exception as error:
            raise InputError(f"the rules do not compile: {reason(error)}; `plyground check` tells more") from error

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.works["rng"] = seeded(seed)

    def begin(self, state: Any, path: list[int] | None = None) -> None:
        """Search from this state, with the subtree that these actions lead to, or with an empty tree."""
        node = self._find(path) if path is not None else NONE
        if node == NONE:
            tree.clear(self.nodes)
        elif node != ROOT:
            new = tree.new(self.nodes.size - tree.FIXED, self.nodes.dtype)
            tree.transplant(self.nodes, node, new)
            self._set_nodes(new)
        self.works["root"]["state"][0] = state
        self.sign = 1 - 2 * int(self.game.player(state))
        self.options["sign"] = self.sign

    def run(self, simulations: int | None, seconds: float | None, stop: Callable[[], bool] | None = None) -> int:
        """Simulate until a limit is reached, the root is proven or `stop` says so; return how often."""
        begun = time.perf_counter()
        most = simulations if simulations is not None else 2**62
        batch = FIRST if seconds is None else 1
        done = 0
        while True:
            asked = min(batch, most - done)
            ran = grow(self.game, self.works, self.nodes, asked, *self.flags)
            done += ran
            passed = time.perf_counter() - begun
            left = seconds - passed if seconds is not None else SLICE
            if ran < asked or done >= most or left <= 0 or (stop and stop()):
                return done
            batch = max(1, min(8 * batch, int(done / passed * min(SLICE, left))))

    @property
    def children(self) -> list[Child]:
        """The root's children."""
        return self._children(ROOT, self.sign)

    def children_after(self, path: list[int]) -> list[Child]:
        """The children of the node that these actions lead to, for the player who moves there (0 if nature does)."""
        node = self._find(path)
        if node == NONE:
            return []
        state = self.works["root"]["state"][0].copy()
        for action in path:
            self.game.play(state, action)
        return self._children(node, -1 if self.game.player(state) == 1 else 1)

    @property
    def expanded(self) -> bool:
        """Has every action of the root its child?"""
        return 0 < self.nodes["branches"][ROOT] == self._width[ROOT]

    @property
    def visits(self) -> int:
        """Simulations through the root."""
        return int(self._columns[1][ROOT])

    @property
    def value(self) -> float:
        """Mean result of the root for the player to move; the proven one if it is proven."""
        _, _, values, proofs = self._columns
        return self.sign * (int(proofs[ROOT]) or float(values[ROOT]))

    def actions(self, path: list[int]) -> list[int]:
        """The actions that the tree knows after these."""
        node = self._find(path)
        return self._columns[0][self._block(node)].tolist() if node != NONE else []

    def line(self, first: int) -> list[int]:
        """The principal line after an action: the most visited child, again and again.

        A proven node goes on with what proves it, any other with what is open.
        """
        action, visits, _, proof = self._columns
        node, actions = self._find([first]), [first]
        while node != NONE:
            block = self._block(node)
            counts, proofs, own = visits[block].tolist(), proof[block].tolist(), int(proof[node])
            if not any(counts):
                break
            alike = own in proofs
            best = max(range(len(counts)), key=lambda i: counts[i] if proofs[i] == own or not alike else -1)
            node = block.start + best
            actions.append(int(action[node]))
        return actions

    def _set_nodes(self, nodes: np.ndarray) -> None:
        self.nodes = nodes
        self._first, self._width = nodes["first"], nodes["width"]
        self._columns = nodes["action"], nodes["visits"], nodes["value"], nodes["proof"]

    def _children(self, node: int, sign: int) -> list[Child]:
        block = self._block(node)
        priors = self.nodes["prior"][block].tolist() if self.flags[-1] else repeat(None)
        known = zip(*(column[block].tolist() for column in self._columns), priors, strict=False)
        return [Child(a, n, sign * (proof or value), sign * proof, prior) for a, n, value, proof, prior in known]

    def _block(self, node: int) -> slice:
        """Where the children of a node lie."""
        first = int(self._first[node])
        return slice(first, first + int(self._width[node]))

    def _find(self, path: list[int]) -> int:
        """The node that these actions lead to from the root, or NONE."""
        node = ROOT
        for action in path:
            block = self._block(node)
            known = self._columns[0][block].tolist()
            if action not in known:
                return NONE
            node = block.start + known.index(action)
        return node
