"""The agents `uct` and `rave`, and what they share with `guided`: searches by roll-outs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..rules import CHANCE, drawn_outcome, gives, legal, new
from ..search.budget import Budget
from ..search.mcts.driver import Search, node_type
from ..search.mcts.mlp import MLP
from ..search.mcts.settings import RAVE_C, Exploration, RaveExploration, Settings, Solve
from ..spec import About, InputError
from .base import Agent, Limit, Seed, Thought, must_be_a_decision, same
from .simple import win_or_block
from .tree_agent import DEVICES, MOST, Choose, Keep, Memory, Seconds, TreeAgent

HORIZON = 20  # moves
LOOKED = 1000  # moves of a random game in which an action may come back


@dataclass
class TreeSearch(TreeAgent):
    """What UCT, RAVE and policy-guided UCT share."""

    sims: Annotated[int | None, About("simulations a move; 1000 unless `seconds` is given", low=1, high=MOST)] = None
    seconds: Seconds = None
    c: Exploration = 1.0
    rollout: Annotated[
        str,
        About(
            "how games are played to their end; auto: win-block if the game lists its wins",
            choices=("auto", "random", "win-block"),
        ),
    ] = "auto"
    check: Annotated[bool, About("play an immediate win or block without searching")] = False
    win: Annotated[float, About("reward of a win", low=-1e6, high=1e6)] = 1.0
    draw: Annotated[float, About("reward of a draw", low=-1e6, high=1e6)] = 0.0
    loss: Annotated[float, About("reward of a loss", low=-1e6, high=1e6)] = -1.0
    discount: Annotated[float, About("factor on the reward for every move until the end", low=0, high=1)] = 1.0
    choose: Choose = "visits"
    solve: Solve = Settings.solve
    keep: Keep = False
    memory: Memory = 256
    threads: Annotated[int, About("trees grown side by side and added up (root parallelism)", low=1, high=64)] = 1
    horizon: Annotated[int | None, About("one player: moves a simulation; 20 unless told", low=1, high=4000)] = None
    seed: Seed = None

    shared = False  # RAVE's values
    live: ClassVar[tuple[str, ...]] = ("c", "win", "draw", "loss", "discount", "solve")

    @property
    def trees(self) -> int:
        return self.threads

    def kernel_options(self) -> dict[str, Any]:
        """What the kernel is told."""
        same = {name: getattr(self, name) for name in ("c", "win", "draw", "loss", "discount", "solve")}
        return same | {"rollouts": 1, "count_root": False, "expand_all": False, "horizon": self.horizon or HORIZON}

    def exploration(self, game: Any) -> float:
        """The weight of exploration in this game."""
        return self.c

    def tuned(self, game: Any) -> dict[str, Any]:
        return self.kernel_options() | {"c": self.exploration(game)}

    def net_for(self, game: Any) -> MLP | None:
        """The net that guides a search of this game, one for each thread."""
        return None

    def is_heavy(self, game: Any) -> bool:
        """Are the roll-outs of this game win-block?"""
        return self.rollout == "win-block" or (self.rollout == "auto" and gives(game, "wins"))

    def searches(self, game: Any) -> list[Any]:
        nets = [self.net_for(game) for _ in self._seeds]
        nodes = self.nodes_of_each(node_type(self.shared, nets[0]).itemsize)
        return [
            Search(game, self.tuned(game), seed, self.is_heavy(game), self.shared, nodes, net)
            for seed, net in zip(self._seeds, nets, strict=True)
        ]

    def _must_make_sense(self, game: Any) -> None:
        """InputError for options that this game has no use for."""
        if self.rollout == "win-block" and not gives(game, "wins"):
            raise InputError('rollout="win-block" needs a game that lists its wins; take rollout="random"')
        for name in ("check", "win", "draw", "loss", "discount") if game.alone() else ("horizon",):
            if getattr(self, name) != getattr(type(self), name):
                raise InputError(
                    f"{name} makes no sense in a game of {'two players' if name == 'horizon' else 'one player'}"
                )

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self._must_make_sense(game)
        must_be_a_decision(game, state)
        if self.check:
            begun = time.perf_counter()
            choices = win_or_block(game, state)
            if choices:
                seconds = time.perf_counter() - begun
                self.make_searches(game)
                self._set_root(game, state)  # nothing is to be told of another position
                self.chosen = int(self.rng.choice(choices))
                return Thought(self.chosen, seconds=seconds)
        return super().think(game, state, limit)

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        """Of a single tree the action alone is asked: all else of a thought takes as long as 50 simulations."""
        if rngs is not None or self.trees > 1 or self.seconds is not None or self.keep or self.check or game.alone():
            return super().think_in_each(game, states, rngs)
        self._must_make_sense(game)
        self.make_searches(game)
        chosen = []
        for state in states:
            must_be_a_decision(game, state)
            self._set_root(game, state)
            self._searches[0].run(Budget(self.sims or self.usual))
            chosen.append(max(self._candidates(game, state), key=self._rank).action)
        self.chosen = chosen[-1] if chosen else self.chosen
        return chosen


@dataclass
class UCT(TreeSearch):
    """Monte-Carlo tree search with upper confidence bounds."""

    count: Annotated[str, About("whose visits stand in the logarithm", choices=("parent", "root"))] = "parent"
    expand: Annotated[
        str, About("children added at a visit: one saves memory, all is faster", choices=("one", "all"))
    ] = "one"
    rollouts: Annotated[int, About("roll-outs from every new node, averaged", low=1, high=100_000)] = 1
    device: Annotated[str, About("where many games are searched at once; one alone is on the cpu", choices=DEVICES)] = (
        "cpu"
    )

    live: ClassVar[tuple[str, ...]] = (*TreeSearch.live, "count", "rollouts")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._many: Any = None  # searches of many games at once, on a GPU

    def kernel_options(self) -> dict[str, Any]:
        own = {"count_root": self.count == "root", "expand_all": self.expand == "all", "rollouts": self.rollouts}
        return super().kernel_options() | own

    @property
    def many(self) -> bool:  # type: ignore[override]
        return self.device != "cpu"

    def decide(self, game: Any, state: Any, budget: Budget) -> Thought:
        if self.device != "cpu":  # every search has its own random numbers, as in `think_in_each`
            self._searches[0].seed(int(self.rng.integers(2**62)))
        return super().decide(game, state, budget)

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        """On a GPU all of them are searched at once, as many as the memory has room for."""
        if self.device == "cpu":
            return super().think_in_each(game, states, rngs)
        if game.alone() or self.seconds is not None or self.threads > 1 or self.keep or self.check:
            raise InputError("device cuda: for games of two players, without seconds, threads, keep and check")
        from ..nets.evaluate import together
        from ..search.mcts.cuda import CudaSearches

        roots = states if isinstance(states, np.ndarray) else together(states)
        sims = self.sims or self.usual
        number = max(1, min(len(states), self.memory * 2**20 // CudaSearches.size(game, sims)))
        many = self._many
        if many is None or not same(many.game, game) or many.number < number:
            many = CudaSearches(game, self.tuned(game), self.is_heavy(game), self.choose == "value", number, sims)
            self._many = many
        seeds = np.array([rng.integers(2**62) for rng in rngs or [self.rng] * len(states)], np.uint64)
        chosen: list[int] = []
        while len(chosen) < len(states):
            part = slice(len(chosen), len(chosen) + many.number)
            chosen += many.run(roots[part], seeds[part]).tolist()
        return chosen


@dataclass
class RAVE(TreeSearch):
    """UCT that shares the values of actions over a subtree (MC-RAVE)."""

    c: RaveExploration = None  # type: ignore[assignment]
    schedule: Annotated[str, About("how the shared value gives way to the own one", choices=("hand", "mse"))] = "hand"
    k: Annotated[float, About("visits at which both weigh alike, for schedule hand", low=1, high=1e9)] = 1000.0
    bias: Annotated[float, About("of the shared value, for schedule mse", low=0, high=10)] = 0.1

    shared = True
    live: ClassVar[tuple[str, ...]] = (*TreeSearch.live, "schedule", "k", "bias")

    def exploration(self, game: Any) -> float:
        return (RAVE_C if comes_back(game) else 0.0) if self.c is None else self.c

    def kernel_options(self) -> dict[str, Any]:
        own = {
            "c": self.c or 0.0,
            "equivalence": self.k if self.schedule == "hand" else 0.0,
            "bias": self.bias,
            "expand_all": True,
        }
        return super().kernel_options() | own


class WithSearch(Agent):
    """An agent that knows what to play in some positions, and in others searches by roll-outs."""

    _search: UCT | None = None

    def begin(self, seed: int) -> None:
        super().begin(seed)
        if self._search:
            self._search.begin(int(self.rng.integers(2**62)))

    def search(self, **options: Any) -> UCT:
        """The search, which is made when it is first needed."""
        if self._search is None:
            self._search = UCT(**options)
            self._search.begin(int(self.rng.integers(2**62)))
        return self._search


def comes_back(game: Any) -> bool:
    """Is an action played twice in a random game of at most LOOKED moves?"""
    state, rng = new(game), np.random.default_rng(0)
    played: set[int] = set()
    for _ in range(LOOKED):
        if game.over(state):
            break
        if game.player(state) == CHANCE:
            game.play(state, drawn_outcome(game, state, rng))
            continue
        action = int(rng.choice(legal(game, state)))
        if action in played:
            return True
        played.add(action)
        game.play(state, action)
    return False
