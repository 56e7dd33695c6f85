"""Runs a search kernel from Python: allocates, keeps to the limits, reads the tree."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..cache import compiling
from ..rules import gives, reason
from ..spec import InputError
from . import rave, tree
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


class Search:
    """A tree and the kernel that grows it, UCT or RAVE, for one game."""

    def __init__(self, game: Any, options: dict[str, Any], seed: int, heavy: bool, shared: bool, nodes: int) -> None:
        self.game = game
        switches = (gives(game, "chance"), gives(game, "still"), heavy, shared)
        self.flags = [True if on else None for on in switches]
        self.works = np.zeros(1, work_type(game, OPTIONS))
        self.nodes = tree.new(nodes, tree.node_type(rave.NODE if shared else []))
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
            self.nodes = new
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
        return self._children(ROOT)

    @property
    def expanded(self) -> bool:
        """Has every action of the root its child?"""
        return 0 < self.nodes["branches"][ROOT] == self.nodes["width"][ROOT]

    @property
    def visits(self) -> int:
        """Simulations through the root."""
        return int(self.nodes["visits"][ROOT])

    @property
    def value(self) -> float:
        """Mean result of the root for the player to move; the proven one if it is proven."""
        return self.sign * (int(self.nodes["proof"][ROOT]) or float(self.nodes["value"][ROOT]))

    def actions(self, path: list[int]) -> list[int]:
        """The actions that the tree knows after these."""
        node = self._find(path)
        return self._block(node)["action"].tolist() if node != NONE else []

    def line(self, first: int) -> list[int]:
        """The principal line after an action: the most visited child, again and again."""
        node, actions = self._find([first]), [first]
        while node != NONE:
            block = self._block(node)
            if not block["visits"].any():
                break
            # a proven node goes on with what proves it, any other with what is open
            alike = block["proof"] == self.nodes["proof"][node]
            best = int(np.where(alike | ~alike.any(), block["visits"], -1).argmax())
            actions.append(int(block["action"][best]))
            node = int(self.nodes["first"][node]) + best
        return actions

    def _block(self, node: int) -> np.ndarray:
        first = int(self.nodes["first"][node])
        return self.nodes[first : first + int(self.nodes["width"][node])]

    def _children(self, node: int) -> list[Child]:
        block = self._block(node)
        proofs = block["proof"] * self.sign
        values = np.where(proofs != 0, proofs, block["value"] * self.sign)
        columns = (block["action"], block["visits"], values, proofs)
        return [Child(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _find(self, path: list[int]) -> int:
        """The node that these actions lead to from the root, or NONE."""
        node = ROOT
        for action in path:
            found = np.flatnonzero(self._block(node)["action"] == action)
            if not found.size:
                return NONE
            node = int(self.nodes["first"][node]) + int(found[0])
        return node
