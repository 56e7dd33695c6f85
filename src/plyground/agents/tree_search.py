"""The agents `uct` and `rave`: their options, and the choice of an action from a search.  Others build on them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

import numpy as np

from ..rules import CHANCE, after, drawn_outcome, gives, legal, new
from ..search import tree
from ..search.budget import Budget
from ..search.mcts.driver import Search, node_type
from ..search.mcts.mlp import MLP
from ..search.mcts.settings import RAVE_C, Exploration, RaveExploration, Settings, Solve
from ..search.mcts.steps import MCTSSteps, steps_of
from ..search.mcts.tree_view import Child
from ..spec import About, InputError
from .base import Agent, Limit, Move, Seed, Thought, must_be_a_decision
from .simple import win_or_block

MOST = 2**31 - 1  # visits fit into 32 bits
DEVICES = ("cpu", "cuda")
HORIZON = 20  # moves
LOOKED = 1000  # moves of a random game in which an action may come back

# options that all of them have
Seconds = Annotated[float | None, About("seconds a move; with sims, whichever ends first", low=0, high=86400)]
Choose = Annotated[str, About("final choice: most visits or highest value", choices=("visits", "value"))]
Keep = Annotated[bool, About("keep the tree between the moves of a game")]
Memory = Annotated[int, About("most megabytes for the trees; a full tree grows no more", low=1, high=65536)]


class TreeAgent(Agent):
    """What all agents share that grow a tree and choose by it.  Their options are fields of their own."""

    sims: int | None
    seconds: float | None
    choose: str
    keep: bool
    memory: int

    usual = 1000  # simulations, if nothing else is said
    live: ClassVar[tuple[str, ...]] = ()  # options that may change while a search is under way

    @property
    def trees(self) -> int:
        """How many trees are grown side by side."""
        return 1

    def __post_init__(self) -> None:
        self._searches: list[Any] = []

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._last: tuple[Any, Any] | None = None
        self.chosen: int | None = None  # what is played at the root of the last search
        self._seeds = [int(self.rng.integers(2**62)) for _ in range(self.trees)]
        for search, one in zip(self._searches, self._seeds, strict=False):
            search.seed(one)

    def searches(self, game: Any) -> list[Any]:
        """Searches of this game, one for each thread and seed: `driver.Search`, or what does the same."""
        raise TypeError(f"{type(self).__name__} has no search")

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        must_be_a_decision(game, state)
        self.make_searches(game)  # compiling is not thinking

        def thought() -> Thought:
            return self._thought(game, state, self._searches[0].visits, budget)

        budget = limit.budget(self.sims, self.seconds, thought, self.usual)
        self._set_root(game, state)
        found = self.decide(game, state, budget)
        self.chosen = found.action
        return found

    def decide(self, game: Any, state: Any, budget: Budget) -> Thought:
        """Search from the root, which is set, and choose."""
        return self._thought(game, state, self._run(budget), budget)

    def children(self, path: list[int]) -> list[Move]:
        """What the last search knows of the actions after these, for the player to move there."""
        known = self._searches[0].children_after(path) if self._searches else []
        return [as_move(child) for child in known]

    @property
    def held(self) -> int:
        """As many as its trees have filled."""
        return sum(int(one.nodes["first"][tree.NONE]) * one.nodes.itemsize for one in self._searches) // 2**20 + 1

    def line(self, action: int) -> list[int]:
        """How the last search expects play to go on from this action."""
        return self._searches[0].line(action) if self._searches else [action]

    def step_by_step(self, game: Any, state: Any) -> MCTSSteps:
        self.must_play(game)
        if self.trees > 1:
            raise InputError("step by step, one tree is shown: take threads=1")
        self.make_searches(game)
        self._last = None
        self._searches[0].begin(state)
        return steps_of(self._searches[0], self.sims or self.usual)

    def change(self, other: Agent) -> None:
        """Go on with the options of another agent, within a search that is run step by step.

        InputError unless they differ in `live` options alone."""
        named = [one.name for one in fields(self) if one.init]  # type: ignore[arg-type]
        differ = [name for name in named if getattr(self, name) != getattr(other, name, None)]
        fixed = [name for name in differ if name not in self.live]
        if type(self) is not type(other) or fixed:
            what = ", ".join(fixed) or "the agent"
            raise InputError(f"{what}: not to be changed while a search is under way; {', '.join(self.live)} may be")
        for name in differ:
            setattr(self, name, getattr(other, name))
        for search in self._searches:
            search.tune(self.tuned(search.game))

    def tuned(self, game: Any) -> dict[str, Any]:
        """What the kernel is told of the options."""
        raise TypeError(f"{type(self).__name__} has no options to change")

    def _thought(self, game: Any, state: Any, simulations: int, budget: Budget) -> Thought:
        children = added_up([search.children for search in self._searches])
        if not all(search.expanded for search in self._searches):
            known = {child.action for child in children}
            children += [Child(action, 0, 0.0, 0) for action in legal(game, state) if action not in known]
        best = sorted(children, key=self._rank, reverse=True)
        moves = [as_move(child) for child in best]
        line = self._searches[0].line(best[0].action)
        value = best[0].value if best[0].proof else mean_value(self._searches)
        return Thought(best[0].action, value, simulations, budget.passed, moves, line)

    def _rank(self, child: Child) -> tuple:
        by = (child.visits, child.value) if self.choose == "visits" else (child.value, child.visits)
        return (child.proof, *by) if child.visits else (-0.5, child.prior or 0.0)  # better untried than surely lost

    def _run(self, budget: Budget) -> int:
        """Grow the trees, each in a thread of its own; return the simulations."""
        if self.trees == 1:
            return self._searches[0].run(budget)
        with ThreadPoolExecutor(self.trees) as pool:
            parts = zip(self._searches, budget.split(self.trees), strict=True)
            runs = [pool.submit(search.run, part) for search, part in parts]
            return sum(run.result() for run in runs)

    def make_searches(self, game: Any) -> None:
        """Make the searches for this game, unless they are there already."""
        if self._searches and same(self._searches[0].game, game):
            return
        self._last = None
        try:
            self._searches = self.searches(game)
        except MemoryError:
            raise InputError(f"{self.memory} megabytes for the trees cannot be had here; give less memory") from None
        if self.keep:
            self._searches[0].ready_to_replant()

    def nodes_of_each(self, size: int) -> int:
        """How many nodes of this many bytes each tree has room for."""
        return min(self.memory * 2**20 // size // self.trees // (2 if self.keep else 1), MOST - tree.FIXED)

    def _set_root(self, game: Any, state: Any) -> None:
        """Make the trees begin at this state; keep what is known of it, if asked to."""
        path = self._path_to(game, state) if self.keep else None
        for search in self._searches:
            search.begin(state, path)
        if self.keep:
            self._last = (game, state.copy())

    def _path_to(self, game: Any, state: Any) -> list[int] | None:
        """The actions from the last root to this state: none, one, or the one chosen there and a reply."""
        if self._last is None or not same(self._last[0], game):
            return None
        paths: list[tuple[list[int], Any]] = [([], self._last[1])]
        wanted = state.tobytes()
        for depth in range(3):
            for path, reached in paths:
                if reached.tobytes() == wanted:
                    return path
            if depth < 2:
                paths = [
                    (path + [action], after(game, reached, action))
                    for path, reached in paths
                    if not game.over(reached) and path in ([], [self.chosen])
                    for action in self._searches[0].actions(path)
                ]
        return None


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

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self.rollout == "win-block" and not gives(game, "wins"):
            raise InputError('rollout="win-block" needs a game that lists its wins; take rollout="random"')
        for name in ("check", "win", "draw", "loss", "discount") if game.alone() else ("horizon",):
            if getattr(self, name) != getattr(type(self), name):
                raise InputError(
                    f"{name} makes no sense in a game of {'two players' if name == 'horizon' else 'one player'}"
                )
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


def same(game: Any, other: Any) -> bool:
    """Are these one game?  Tuples of different classes can be equal."""
    return type(game) is type(other) and game == other


def as_move(child: Child) -> Move:
    """What an agent tells of a child of the root."""
    return Move(child.action, child.visits, child.value, bool(child.proof), child.prior)


def mean_value(searches: list[Any]) -> float:
    """The value of the root in several trees as if in one."""
    visits = sum(search.visits for search in searches)
    return sum(search.visits * search.value for search in searches) / visits if visits else 0.0


def added_up(trees: list[list[Child]]) -> list[Child]:
    """The root children of several trees as if of one."""
    if len(trees) == 1:
        return trees[0]
    by_action: dict[int, list[Child]] = {}
    for children in trees:
        for child in children:
            by_action.setdefault(child.action, []).append(child)
    found = []
    for action, same in by_action.items():
        visits = sum(c.visits for c in same)
        proof = next((c.proof for c in same if c.proof), 0)
        value = float(np.average([c.value for c in same], weights=[c.visits or 1e-9 for c in same]))
        found.append(Child(action, visits, proof or value, proof, same[0].prior))
    return found
