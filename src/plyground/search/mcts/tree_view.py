"""Reads a tree that a search has grown: what it knows of every action, and how it expects play to go on."""

from __future__ import annotations

from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ...jit.first_use import first_use
from .. import tree
from ..tree import NONE, ROOT


class Child(NamedTuple):
    """What a search knows of one action; value and proof are for the player to move."""

    action: int
    visits: int
    value: float
    proof: int
    prior: float | None = None  # by a net


class TreeView:
    """A tree of one game."""

    game: Any
    nodes: np.ndarray
    sign: int  # 1 if player 0 moves at the root, -1 if player 1 does

    @property
    def root(self) -> Any:
        """The state at the root."""
        raise TypeError(f"{type(self).__name__} has no root")

    @property
    def children(self) -> list[Child]:
        """The root's children."""
        return self._children(ROOT, self.sign)

    def children_after(self, path: list[int]) -> list[Child]:
        """The children of the node that these actions lead to, for the player who moves there (0 if nature does)."""
        node = self.find(path)
        if node == NONE:
            return []
        state = self.root.copy()
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
        node = self.find(path)
        return self._columns[0][self._block(node)].tolist() if node != NONE else []

    def line(self, first: int) -> list[int]:
        """The principal line after an action: the most visited child, again and again.

        A proven node goes on with what proves it, any other with what is open.
        """
        action, visits, _, proof = self._columns
        node, actions, passed = self.find([first]), [first], set[int]()
        while node != NONE:
            block = self._block(node)
            if block.start in passed:  # a position that comes again
                break
            passed.add(block.start)
            counts, proofs, own = visits[block].tolist(), proof[block].tolist(), int(proof[node])
            if not any(counts):
                break
            alike = own in proofs
            best = max(range(len(counts)), key=lambda i: counts[i] if proofs[i] == own or not alike else -1)
            node = block.start + best
            actions.append(int(action[node]))
        return actions

    def set_nodes(self, nodes: np.ndarray) -> None:
        self.nodes = nodes
        self._first, self._width = nodes["first"], nodes["width"]
        self._columns = nodes["action"], nodes["visits"], nodes["value"], nodes["proof"]

    def _children(self, node: int, sign: int) -> list[Child]:
        block = self._block(node)
        priors = self.nodes["prior"][block].tolist() if "prior" in (self.nodes.dtype.names or ()) else repeat(None)
        known = zip(*(column[block].tolist() for column in self._columns), priors, strict=False)
        return [Child(a, n, sign * (proof or value), sign * proof, prior) for a, n, value, proof, prior in known]

    def _block(self, node: int) -> slice:
        """Where the children of a node lie."""
        first = int(self._first[node])
        return slice(first, first + int(self._width[node]))

    def replant(self, path: list[int] | None) -> None:
        """Leave the subtree that these actions lead to, or an empty tree."""
        node = self.find(path) if path is not None else NONE
        if node == NONE:
            tree.clear(self.nodes)
        elif node != ROOT:
            new = tree.new(self.nodes.size - tree.FIXED, self.nodes.dtype)
            tree.transplant(self.nodes, node, new)
            self.set_nodes(new)

    def ready_to_replant(self) -> None:
        """Compile what `replant` needs."""
        with first_use():  # trees of a root each
            tree.transplant(tree.new(0, self.nodes.dtype), ROOT, tree.new(0, self.nodes.dtype))

    def find(self, path: list[int]) -> int:
        """The node that these actions lead to from the root, or NONE."""
        node = ROOT
        for action in path:
            block = self._block(node)
            known = self._columns[0][block].tolist()
            if action not in known:
                return NONE
            node = block.start + known.index(action)
        return node
