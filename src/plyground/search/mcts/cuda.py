"""Runs many searches at once on a GPU, a thread each: what `driver.Search` does for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import cuda as gpu
from ...jit.records import odd
from ...rules import dtype, gives
from .. import tree
from ..random_games import STREAMS, new_starts, new_tallies, start_type, walker_type
from ..rng import scrambled, streams
from ..workspace import near_type, trail_type
from . import cuda_kernel, simulate, uct
from .driver import new_workspaces, node_type
from .simulate import OPTIONS

THREADS = (32, 16, 8)  # of a block: as many as its shared memory has room for
THREADS_OF_GAMES = (128, 64, 32, 16, 8)  # likewise, of random games
SHARED = 48 * 1024  # bytes
SLICE_OF_GAMES = 64  # of every stream, in a launch
SLICE = 100  # simulations of a launch: a GPU that shows a screen, too, must not be kept busy for long
BLOCKS_OF_CHILDREN = 4  # nodes that may be used up for each that is in the tree: see `tree.add_child`


class CudaSearches:
    """UCT searches of one game, at most `number` at once, each of so many simulations."""

    def __init__(
        self, game: Any, options: dict[str, Any], heavy: bool, by_value: bool, number: int, simulations: int
    ) -> None:
        self.game, self.number, self.simulations = game, number, simulations
        self.cuda = gpu.load()
        kind, (near, trail) = node_type(False, None), near_and_trail(game, heavy)
        nodes = tree.new(BLOCKS_OF_CHILDREN * simulations, kind)
        self._threads = next((threads for threads in THREADS if threads * near.itemsize <= SHARED), 0)
        blocks = -(-number // (self._threads or THREADS[0]))

        def put(values: np.ndarray) -> Any:
            return gpu.put(self.cuda, values)

        told, workspaces = np.zeros(1, near), new_workspaces(game, options)
        told["options"] = workspaces["options"]
        words = put(np.repeat(told, blocks * (self._threads or THREADS[0])).view(np.int64))
        self.searches = cuda_kernel.Searches(
            words=words,
            near=words.view(near),
            trails=put(np.zeros(number, trail)),
            nodes=put(np.repeat(nodes[None], number, 0)),
            unused=put(np.zeros(1, kind)),
            roots=put(np.zeros(number, dtype(game))),
            seeds=put(np.zeros(number, np.uint64)),
            chosen=put(np.zeros(number, np.int64)),
            simulated=put(np.zeros(number, np.int64)),
        )
        constants = {
            "cuda": self.cuda,
            "game": game,
            "switches": simulate.switches_of_search(game, heavy),
            "by_value": True if by_value else None,
            "NEAR": near,
            "NEAR_WORDS": self._threads * near.itemsize // 8,
            "NOW_WORDS": near["now"].itemsize // 8,
            "LOGS": workspaces["logs"][0].copy(),
        }
        instead = {simulate.go_to_root: cuda_kernel.go_to_root, uct.sqrt_log: cuda_kernel.sqrt_log}

        def made(function: Any) -> Any:
            def launch(kernel: Any) -> None:
                kernel[1, self._threads or THREADS[0]](self.searches, 0, 0)  # no search

            def make() -> Any:
                return gpu.Kernels(self.cuda, cuda_kernel, constants, instead).kernel(function)

            return gpu.launched(self.cuda, make, launch)

        self._plant, self._simulate, self._choose = (
            made(function) for function in (cuda_kernel.plant, cuda_kernel.simulate, cuda_kernel.choose)
        )

    @staticmethod
    def size(game: Any, simulations: int) -> int:
        """The bytes of one search."""
        nodes = BLOCKS_OF_CHILDREN * simulations + tree.FIXED
        return sum(kind.itemsize for kind in near_and_trail(game, True)) + nodes * node_type(False, None).itemsize

    def run(self, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Search from each of these states, at most `number`, with the random numbers of its seed, uint64; the actions
        that are chosen."""
        count = len(states)
        gpu.write(self.searches.roots, states)
        gpu.write(self.searches.seeds, scrambled(seeds))
        threads = self._threads or THREADS[0]
        shape = -(-count // threads), threads
        self._plant[shape](self.searches, count, 0)
        for done in range(0, self.simulations, SLICE):
            self._simulate[shape](self.searches, count, min(SLICE, self.simulations - done))
        self._choose[shape](self.searches, count, 0)
        return gpu.read(self.searches.chosen, count)


class CudaGames:
    """What `random_games.Games` is, on a GPU, a thread for every stream."""

    def __init__(self, game: Any, number: int = STREAMS) -> None:
        self.cuda, self.number = gpu.load(), number
        near, start = odd(walker_type(game), "now"), odd(start_type(game), "root")
        threads = next((threads for threads in THREADS_OF_GAMES if threads * near.itemsize <= SHARED), 0)
        self._shape = -(-number // (threads or THREADS[0])), threads or THREADS[0]
        room = 1 if threads else self._shape[0] * self._shape[1]
        self._starts, self._near = (
            gpu.put(self.cuda, made) for made in (new_starts(start, game), np.zeros(room, near))
        )
        constants = {
            "cuda": self.cuda,
            "game": game,
            "switches": simulate.switches_of_rollouts(game),
            "NEAR": near,
            "NEAR_WORDS": threads * near.itemsize // 8,
            "NOW_WORDS": near["now"].itemsize // 8,
        }
        instead = {simulate.go_to_root: cuda_kernel.go_to_root}
        self.begin(0)

        def make() -> Any:
            return gpu.Kernels(self.cuda, cuda_kernel, constants, instead).kernel(cuda_kernel.play_games)

        def launch(kernel: Any) -> None:
            kernel[self._shape](self._batch, 0, 0)  # no game

        self._play = gpu.launched(self.cuda, make, launch)

    def begin(self, seed: int) -> None:
        """Begin the streams of a seed, which have played no games."""
        seeds, tallies = (gpu.put(self.cuda, made) for made in (streams(seed, self.number), new_tallies(self.number)))
        self._batch = cuda_kernel.Games(seeds, tallies, self._starts, self._near)

    def play(self, games: int) -> None:
        """Play so many games more, shared out among the streams."""
        for done in range(0, games, SLICE_OF_GAMES * self.number):
            asked = min(SLICE_OF_GAMES * self.number, games - done)
            self._play[self._shape](self._batch, asked // self.number, asked % self.number)

    def tallies(self) -> np.ndarray:
        """What has become of the games of every stream."""
        return gpu.read(self._batch.tallies, self.number)


def near_and_trail(game: Any, heavy: bool) -> tuple[np.dtype, np.dtype]:
    """The types of the two records of a search: see `simulate.grow`."""
    return (
        odd(near_type(game, OPTIONS, heavy, gives(game, "chance")), "now"),
        odd(trail_type(game, heavy), "root"),
    )
