"""Runs a search kernel from Python: allocates, keeps to the limits, reads the tree."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules import gives
from . import rave, tree, uct
from .rng import seeded
from .rollout import SMALL, work_type
from .tree import NONE, ROOT

SLICE = 0.02  # seconds between two looks at the clock


@dataclass(frozen=True)
class Child:
    """What a search knows of one action; value and proof are for the player to move."""

    action: int
    visits: int
    value: float
    proof: int


class Search:
    """A tree and the kernel that grows it, UCT or RAVE, for one game."""

    def __init__(self, game: Any, options: dict[str, Any], seed: int, heavy: bool, shared: bool, nodes: int) -> None:
        self.game = game
        self.kernel: Callable = rave.grow if shared else uct.grow
        self.flags = (True if gives(game, "chance") else None, True if heavy else None)
        self.works = np.zeros(1, work_type(game, rave.OPTIONS if shared else uct.OPTIONS))
        self.kind = tree.node_type(rave.NODE if shared else [])
        self.capacity = nodes
        self.nodes = tree.new(nodes, self.kind)
        self.works[0].rng = seeded(seed)
        self.works[0].logs[1:] = np.sqrt(np.log(np.arange(1, SMALL)))
        for name, value in options.items():
            self.works[0].options[name] = value
        self.kernel(game, self.works, self.nodes, 0, *self.flags)  # compiles at the first use of a game

    def begin(self, state: Any, path: list[int] | None = None) -> None:
        """Search from this state, with the subtree that these actions lead to, or an empty one."""
        node = ROOT if path is not None else NONE
        for action in path or ():
            node = self._child(node, action)
        if node == NONE:
            self.nodes[: self.nodes[NONE].first] = 0
            self.nodes[NONE].first = ROOT + 1
        elif path:
            new = tree.new(self.capacity, self.kind)
            tree.transplant(self.nodes, node, new)
            self.nodes = new
        work = self.works[0]
        self.works["root"]["state"][0] = state
        work.options.sign = 1 - 2 * self.game.player(state)

    def run(self, simulations: int | None, seconds: float | None, stop: Callable[[], bool] | None = None) -> int:
        """Simulate until a limit is reached, the root is proven or `stop` says so; return how often."""
        begun = time.perf_counter()
        end = begun + seconds if seconds is not None else float("inf")
        most = simulations if simulations is not None else 2**62
        done, batch = 0, 64
        while done < most:
            now = time.perf_counter()
            left = end - now
            if done and (left <= 0 or (stop and stop())):
                break
            if done:
                batch = max(1, int(done / (now - begun) * min(SLICE, left)))
            asked = min(batch, most - done)
            ran = self.kernel(self.game, self.works, self.nodes, asked, *self.flags)
            done += ran
            if ran < asked:
                break
        return done

    @property
    def children(self) -> list[Child]:
        """The root's children."""
        return self._children(ROOT, int(self.works[0].options.sign))

    @property
    def value(self) -> float:
        """Mean result of the root for the player to move; the proven one if it is proven."""
        sign = int(self.works[0].options.sign)
        root = self.nodes[ROOT]
        return float(sign * (root.proof or root.value))

    def actions(self, path: list[int]) -> list[int]:
        """The actions that the tree knows after these."""
        node = ROOT
        for action in path:
            node = self._child(node, action)
        return [child.action for child in self._children(node, 1)] if node != NONE else []

    def line(self) -> list[int]:
        """The principal line: the most visited child, again and again."""
        node, actions = ROOT, []
        while self.nodes[node].width:
            first = int(self.nodes[node].first)
            block = self.nodes[first : first + int(self.nodes[node].width)]
            node = first + int(block["visits"].argmax())
            if not self.nodes[node].visits:
                break
            actions.append(int(self.nodes[node].action))
        return actions

    def _children(self, node: int, sign: int) -> list[Child]:
        first = int(self.nodes[node].first)
        found = []
        for child in self.nodes[first : first + int(self.nodes[node].width)]:
            proof = sign * int(child.proof)
            found.append(Child(int(child.action), int(child.visits), proof or sign * float(child.value), proof))
        return found

    def _child(self, node: int, action: int) -> int:
        first, width = int(self.nodes[node].first), int(self.nodes[node].width)
        found = np.flatnonzero(self.nodes[first : first + width]["action"] == action)
        return first + int(found[0]) if node != NONE and found.size else NONE
