"""Runs many searches at once on a GPU, a thread each: what `driver.Search` does for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import cuda as gpu
from ...rules import dtype, gives
from .. import tree
from ..rng import streams
from ..workspace import DEEPEST, SMALL, workspace_type
from . import cuda_kernel
from .driver import node_type
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
        workspaces = np.zeros(1, workspace_type(game, OPTIONS))
        for name, value in {"deepest": DEEPEST - 1, "rollouts": 1, **options, "relative_c": options["c"]}.items():
            workspaces["options"][name] = value
        workspaces["logs"][0, 1:] = np.sqrt(np.log(np.arange(1, SMALL)))
        kind, room = node_type(False, None), BLOCKS_OF_CHILDREN * simulations
        nodes = tree.new(room, kind)
        put = self.cuda.to_device if not gpu.is_simulated(self.cuda) else np.ascontiguousarray
        self.forest = cuda_kernel.Forest(
            workspaces=put(np.repeat(workspaces, number)),
            nodes=put(np.repeat(nodes[None], number, 0)),
            unused=put(np.zeros(1, kind)),
            roots=put(np.zeros(number, dtype(game))),
            seeds=put(np.zeros(number, np.uint64)),
            chosen=put(np.zeros(number, np.int64)),
            grown=put(np.zeros(number, np.int64)),
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

    def run(self, states: Any, seed: int) -> np.ndarray:
        """Search from each of these states; the actions that are chosen."""
        roots, count = np.zeros(self.number, dtype(self.game)), len(states)
        for i in range(self.number):
            roots[i] = states[min(i, count - 1)]  # those that nobody asked for search what others do
        self._write(self.forest.roots, roots)
        self._write(self.forest.seeds, streams(seed, self.number))
        shape = -(-self.number // THREADS), THREADS
        self._plant[shape](self.forest, 0)
        for done in range(0, self.simulations, SLICE):
            self._simulate[shape](self.forest, min(SLICE, self.simulations - done))
        self._choose[shape](self.forest, 0)
        chosen = self.forest.chosen
        return np.array(chosen if isinstance(chosen, np.ndarray) else chosen.copy_to_host())[:count]

    def _write(self, array: Any, values: np.ndarray) -> None:
        if isinstance(array, np.ndarray):
            array[:] = values
        else:
            array.copy_to_device(values)
