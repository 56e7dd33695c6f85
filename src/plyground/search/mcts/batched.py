"""Searches by a net: many trees at once, or one tree with several walkers; both judge their leaves in batches.

An *evaluator* turns planes float32[n, planes, height, width] into answers float32[n, actions + 1]: the logits of the
actions, then the value for the player to move.  What it is made of is not known here; one that has `for_kernels` gives
a net that kernels run (`skeleton.KernelNet`), and then leaves are judged where they are found, one after the other, or
by several threads that share the tree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...jit.first_use import first_use
from ...jit.interpreted import DISABLED
from ...jit.threads import SideBySide, new_lock
from ...rules import gives, kernel, must_encode
from .. import tree
from ..budget import Budget, least
from ..rng import seeded
from ..tree import FIXED, ROOT
from . import puct
from .puct import PolicyValue
from .root import begin_range, draw_gumbel, most_visited, quiet, schedule
from .settings import Settings
from .skeleton import Evaluator as Evaluator
from .skeleton import LeafBatches, begin_tree, run_to_end, run_to_leaves
from .transpositions import follow, new_table
from .tree_view import TreeView

ENDLESS = 2**31 - 1
AT_ONCE = 2_000  # simulations that may end without the net between two looks at the clock
PROVING = 32  # the same where each of them may be a look for threats
BESIDE = 2  # times as many for each of several threads: to start them takes about as long as a simulation
HALVED = 100_000  # simulations for which sequential halving is planned; with more of them the root is chosen by PUCT


@lru_cache(16)
def table(considered: int, simulations: int) -> np.ndarray:
    """int32[considered + 1, simulations]: what `schedule` says for every number of actions up to this one."""
    rows = [schedule(number, simulations) for number in range(considered + 1)]
    return np.array(rows, np.int32).reshape(considered + 1, simulations)


@kernel
def choose(game, trees, nodes, options, actions):
    """The action of every tree that its search says most for.

    trees tree_type[t], nodes [t, capacity], options [1] of `puct.OPTIONS`; actions int64[t].
    """
    for t in range(trees.size):
        sign = 1 - 2 * game.player(trees[t].root)
        actions[t] = nodes[t][most_visited(nodes[t], trees[t], sign, options[0])].action


@kernel
def begin(trees, nodes, sims, considered, noise, alone):
    """Begin a search in every tree, from nothing, with Gumbel noise or without.

    trees tree_type[t], nodes [t, capacity]; sims: simulations of each; considered: actions that sequential halving
    begins with, 0 for none; alone: True in a game of one player, else None.
    """
    for t in range(trees.size):
        tree = trees[t]
        begin_tree(tree, nodes[t], sims)
        begin_range(tree, alone)
        tree.considered = considered
        if noise:
            draw_gumbel(tree)
        else:
            quiet(tree)


def variant_for(game: Any, settings: Settings, tables: np.ndarray) -> PolicyValue:
    """What the kernels are compiled for: chance events, one player, roll-outs and their policy, a prover."""
    told = gives(game, "chance"), game.alone(), settings.rollout > 0
    chance, alone, rolls = (True if on else None for on in told)
    return PolicyValue(tables, chance, alone, rolls, settings.prover, fast=settings.fast if rolls else None)


def walkers_for(game: Any, number: int, prover: Any) -> np.ndarray:
    """So many walkers, of the first tree."""
    walkers = np.zeros(number, puct.walker_type(game, prover))
    if prover is not None:
        walkers["room"] = prover.empty
    return walkers


def room_for(game: Any, settings: Settings, number: int, sims: int, seed: int) -> tuple[np.ndarray, ...]:
    """Trees, a walker for each, their nodes, and the planes and answers of a batch."""
    must_encode(game)
    trees, walkers = np.zeros(number, puct.tree_type(game)), walkers_for(game, number, settings.prover)
    walkers["tree"] = np.arange(number)
    for records in (trees, walkers):
        records["rng"] = [seeded(seed * 1_000_003 + 2 * i + (records is trees)) for i in range(number)]
    nodes = np.zeros((number, sims * game.actions() + FIXED), tree.node_type(puct.NODE))
    planes, answers = np.zeros((number, *game.planes()), np.float32), np.zeros((number, game.actions() + 1), np.float32)
    return trees, walkers, nodes, planes, answers


class BatchedPUCT(LeafBatches):
    """Trees of one game, grown side by side: every batch has a leaf of each."""

    def __init__(
        self, game: Any, evaluate: Evaluator | None, settings: Settings, number: int, sims: int, seed: int = 0
    ) -> None:
        """evaluate: None if it will be told by `take`."""
        self.game, self.settings, self.sims = game, settings, sims
        self.trees, self.walkers, self.nodes, self.inputs, self.answers = room_for(game, settings, number, sims, seed)
        self.options = settings.record()
        self.variant = variant_for(game, settings, table(settings.considered, sims)[None])
        if evaluate is not None:
            self.take(evaluate)

    def take(self, evaluate: Evaluator) -> None:
        """Ask this net from now on.  One that kernels can run grows the trees one after the other."""
        for_kernels = getattr(evaluate, "for_kernels", None)
        net = for_kernels(*self.game.planes()[1:]) if for_kernels else None
        self.evaluate, self.variant = evaluate, self.variant._replace(net=net)
        with first_use():
            self.trees["wanted"] = self.trees["done"]
            self._next_leaves(0 if net is None else 1)
            choose(self.game, self.trees[:0], self.nodes[:0], self.options, np.zeros(0, np.int64))

    @staticmethod
    def size(game: Any, sims: int) -> int:
        """The bytes of one tree."""
        return (sims * game.actions() + FIXED) * tree.node_type(puct.NODE).itemsize

    def lost(self, number: int) -> np.ndarray:
        """Of the first so many trees, bool: is it proven that whoever moves at the root loses?"""
        players = np.array([self.game.player(root) for root in self.trees["root"][:number]])
        return self.nodes[:number, ROOT]["proof"] * (1 - 2 * players) == -1

    def seed(self, seeds: list[int]) -> None:
        """Begin the random numbers of the first trees anew, as `NetSearch` does with one of these seeds."""
        if self.settings.prover is not None:
            self.walkers["room"] = self.settings.prover.empty
        self.trees["rng"][: len(seeds)] = [seeded(seed) for seed in seeds]
        self.walkers["rng"][: len(seeds)] = [seeded(seed + 1) for seed in seeds]

    def search(self, states: np.ndarray, noise: bool = False, sims: int = 0) -> None:
        """Grow a tree for each of the states, from nothing; sims: 0 for as many simulations as usual."""
        number, considered = len(states), self.settings.considered
        self.walkers["waits"] = False  # of a search that was broken off
        begin(self.trees[:number], self.nodes[:number], sims or self.sims, considered, noise, self.variant.alone)
        self.trees["root"][:number] = states
        while waiting := self._next_leaves(number):
            self.judge(self.evaluate, waiting)

    def _next_leaves(self, number: int) -> int:
        """`run_to_leaves` of the first so many trees; where kernels run the net they are grown, and no leaf waits."""
        if self.variant.net is None:
            return self.run_to_leaves(self.walkers[:number], self.nodes)
        for t in range(number):
            one = slice(t, t + 1)
            given = self.trees[one], self.walkers[one], self.nodes[one], self.options, self.inputs[one]
            run_to_end(self.game, self.variant, *given, self.answers[one])
        return 0

    def __call__(self, states: np.ndarray, noise: bool = False) -> np.ndarray:
        """The actions int64[n] that the searches choose."""
        chosen = np.zeros(len(states), np.int64)
        size = len(self.trees)
        for i in range(0, len(states), size):
            part = states[i : i + size]
            self.search(part, noise)
            here = slice(0, len(part))
            choose(self.game, self.trees[here], self.nodes[here], self.options, chosen[i : i + size])
        return chosen


class NetSearch(LeafBatches, TreeView):
    """One tree, grown by a net; the same to its agent as a `driver.Search`."""

    def __init__(
        self,
        game: Any,
        evaluate: Evaluator,
        settings: Settings,
        leaves: int,
        nodes: int,
        seed: int,
        threads: int = 1,  # walkers beside one another, where kernels run the net
    ) -> None:
        must_encode(game)
        self.game, self.evaluate, self.settings = game, evaluate, settings
        for_kernels = getattr(evaluate, "for_kernels", None)
        number = (1 if DISABLED else threads) if for_kernels else leaves
        self.trees, self.walkers = np.zeros(1, puct.tree_type(game)), walkers_for(game, number, settings.prover)
        self.set_nodes(tree.new(nodes, tree.node_type(puct.NODE)))
        self.inputs = np.zeros((number, *game.planes()), np.float32)
        self.answers = np.zeros((number, game.actions() + 1), np.float32)
        seen = new_table(nodes) if settings.transpositions and not game.alone() else None
        self.options = settings.record()
        self.variant = variant_for(game, settings, table(0, 1)[None])._replace(seen=seen)
        self.nets = [for_kernels(*game.planes()[1:]) for _ in range(number)] if for_kernels else []
        if self.nets:
            self.variant = self.variant._replace(net=self.nets[0], lock=new_lock() if number > 1 else None)
        self.threads = SideBySide(number) if len(self.nets) > 1 else None
        self.seed(seed)
        self.sign = 1
        with first_use():
            self.next_leaves() if self.threads is None else self._run_to_end(0)

    @property
    def root(self) -> Any:
        return self.trees["root"][0]

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew, and forget what provers remember of other games."""
        if self.settings.prover is not None:
            self.walkers["room"] = self.settings.prover.empty
        self.trees["rng"] = seeded(seed)
        self.walkers["rng"] = [seeded(seed + 1 + i) for i in range(len(self.walkers))]

    def tune(self, options: dict[str, Any]) -> None:
        """Set options while a search is under way."""
        for name, value in options.items():
            self.options[name] = value

    def begin(self, state: Any, path: list[int] | None = None) -> None:
        """Search from this state, with the subtree that these actions lead to, or with an empty tree.

        Where one plays it is always empty: values are counted from the root on."""
        alone = self.variant.alone is not None
        self.replant(None if self.walkers["waits"].any() or alone else path)
        self.trees["lowest"], self.trees["highest"] = (np.inf, -np.inf) if alone else (-1, 1)
        if self.nodes["proof"][ROOT] and not self.nodes["width"][ROOT]:  # proven, but without a move to play
            self.replant(None)
        self.walkers["waits"] = False  # of a search that was broken off
        self.trees["root"][0] = state
        self.sign = 1 - 2 * int(self.game.player(state))

    def replant(self, path: list[int] | None) -> None:
        old, seen = self.nodes, self.variant.seen
        super().replant(path)
        if seen is None:
            return
        if self.nodes is not old:
            follow(old, seen)
            visits = self.nodes["visits"]  # others may have been there more often than came through this node
            visits[ROOT] = max(visits[ROOT], 1 + visits[self._block(ROOT)].sum())
        elif not self.nodes["width"][ROOT]:
            seen[:] = 0

    def ready_to_replant(self) -> None:
        super().ready_to_replant()
        if self.variant.seen is not None:
            with first_use():
                follow(self.nodes, self.variant.seen[:0])

    def run(self, budget: Budget) -> int:
        """Simulate until the budget is spent or the root is proven; return how often."""
        wanted = least(budget.steps, ENDLESS)
        self.plan(wanted)
        done, waiting, most = -1, 0, AT_ONCE if self.settings.prover is None else PROVING
        if self.threads:
            most *= BESIDE * len(self.walkers)
        while waiting or self.trees["done"][0] > done:
            done = int(self.trees["done"][0])
            self.trees["wanted"] = min(wanted, done + min(most, budget.left(done)))
            if waiting := self.next_leaves():
                self.judge(self.evaluate, waiting)
        return int(self.trees["done"][0])

    def plan(self, wanted: int) -> None:
        """Begin to count simulations anew; sequential halving, where it is asked for, shares out so many."""
        halves = wanted <= HALVED and self.visits == 0
        considered = min(self.settings.considered, int(self.game.actions())) if halves else 0
        self.variant = self.variant._replace(tables=table(considered, wanted if considered else 1)[None])
        self.trees["done"], self.trees["considered"] = 0, considered

    def next_leaves(self, kernel: Any = None) -> int:
        """`run_to_leaves` of all walkers, by this kernel; where kernels run the net, no leaf waits."""
        if self.threads and kernel is None:
            return sum(self.threads(self._run_to_end))
        usual = run_to_leaves if self.variant.net is None else run_to_end
        return self.run_to_leaves(self.walkers, self.nodes[None], kernel or usual)

    def _run_to_end(self, w: int) -> int:
        """`run_to_end` of one walker, in a thread of its own."""
        own = slice(w, w + 1)
        given = self.trees, self.walkers[own], self.nodes[None], self.options, self.inputs[own], self.answers[own]
        return int(run_to_end(self.game, self.variant._replace(net=self.nets[w]), *given))
