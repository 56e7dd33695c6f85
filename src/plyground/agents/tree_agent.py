"""What agents share that grow a tree and choose by it: options, the trees, and the choice of an action.

Each has a file of its own: `tree_search` (UCT and RAVE), `guided`, `alphazero`, `alphago`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Annotated, Any, ClassVar

import numpy as np

from ..rules import after, legal
from ..search import tree
from ..search.budget import Budget
from ..search.mcts.steps import MCTSSteps, steps_of
from ..search.mcts.tree_view import Child
from ..spec import About, InputError
from .base import Agent, Limit, Move, Thought, must_be_a_decision, same

MOST = 2**31 - 1  # visits fit into 32 bits
DEVICES = ("cpu", "cuda")

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

    def _candidates(self, game: Any, state: Any) -> list[Child]:
        """What is known of every legal action of the root."""
        children = added_up([search.children for search in self._searches])
        if not all(search.expanded for search in self._searches):
            known = {child.action for child in children}
            children += [Child(action, 0, 0.0, 0) for action in legal(game, state) if action not in known]
        return children

    def _thought(self, game: Any, state: Any, simulations: int, budget: Budget) -> Thought:
        best = sorted(self._candidates(game, state), key=self._rank, reverse=True)
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
    for action, those in by_action.items():
        visits = sum(c.visits for c in those)
        proof = next((c.proof for c in those if c.proof), 0)
        value = float(np.average([c.value for c in those], weights=[c.visits or 1e-9 for c in those]))
        found.append(Child(action, visits, proof or value, proof, those[0].prior))
    return found
