"""Runs many searches at once on a GPU, a thread each: what `driver.Search` does for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import cuda as gpu
from ...rules import dtype, gives
from .. import tree
from ..rng import scrambled
from ..workspace import workspace_type
from . import cuda_kernel
from .driver import new_workspaces, node_type
from .simulate import OPTIONS

THREADS = 32  # of a block
SLICE = 100  # simulations of a launch: a GPU that shows a screen, too, must not be kept busy for long
BLOCKS_OF_CHILDREN = 4  # nodes that may be used up for each that is in the tree: see `tree.add_child`


class CudaSearches:
    """UCT searches of one game, at most `number` at once, each of so many simulations."""

    def __init__(
        self, game: Any, options: dict[str, Any], heavy: bool, by_value: bool, number: int, simulations: int
    ) -> None:
        self.game, self.number, self.simulations = game, number, simulations
        self.cuda = gpu.load()
        kind = node_type(False, None)
        nodes = tree.new(BLOCKS_OF_CHILDREN * simulations, kind)

        def put(values: np.ndarray) -> Any:
            return gpu.put(self.cuda, values)

        self.searches = cuda_kernel.Searches(
            workspaces=put(np.repeat(new_workspaces(game, options), number)),
            nodes=put(np.repeat(nodes[None], number, 0)),
            unused=put(np.zeros(1, kind)),
            roots=put(np.zeros(number, dtype(game))),
            seeds=put(np.zeros(number, np.uint64)),
            chosen=put(np.zeros(number, np.int64)),
            simulated=put(np.zeros(number, np.int64)),
        )
        flags = {"chance": gives(game, "chance"), "shrinks": gives(game, "still"), "heavy": heavy, "by_value": by_value}
        constants = {"cuda": self.cuda, "game": game, **{name: True if on else None for name, on in flags.items()}}
        kernels = gpu.Kernels(self.cuda, cuda_kernel, constants, {})
        self._plant, self._simulate, self._choose = (
            kernels.kernel(function) for function in (cuda_kernel.plant, cuda_kernel.simulate, cuda_kernel.choose)
        )

    @staticmethod
    def size(game: Any, simulations: int) -> int:
        """The bytes of one search."""
        nodes = BLOCKS_OF_CHILDREN * simulations + tree.FIXED
        return workspace_type(game, OPTIONS).itemsize + nodes * node_type(False, None).itemsize

    def run(self, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Search from each of these states, at most `number`, with the random numbers of its seed, uint64; the actions
        that are chosen."""
        count = len(states)
        gpu.write(self.searches.roots, states)
        gpu.write(self.searches.seeds, scrambled(seeds))
        shape = -(-count // THREADS), THREADS
        self._plant[shape](self.searches, count, 0)
        for done in range(0, self.simulations, SLICE):
            self._simulate[shape](self.searches, count, min(SLICE, self.simulations - done))
        self._choose[shape](self.searches, count, 0)
        return gpu.read(self.searches.chosen, count)
