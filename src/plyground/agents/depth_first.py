"""The agents `minimax` and `alphabeta`: they look at every line of play down to some depth; and `hybrid`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

from .. import scorings
from ..rules import gives, legal, must_be_for_two
from ..search.budget import Budget
from ..search.depth_first.iterative_deepening import Deepening, Found, Root
from ..search.depth_first.stack import DEEPEST, WIN, distance
from ..search.depth_first.steps import DepthFirstSteps, Recorder
from ..search.scoring import Nothing
from ..spec import About, InputError
from .base import Agent, Limit, Move, Seed, Thought, same

SCALE = 1_000.0  # points that are shown as a value of 0.5
DIGITS = 4  # of a mean of final scores; what follows are the plies to the ends of the games
UNSCORED = "without a scoring, positions in which the game goes on beyond the depth count as 0"


@dataclass
class DepthFirst(Agent):
    """What minimax and alpha-beta share: an agent plays for it until few cells are left."""

    depth: Annotated[int | None, About("plies to look ahead", low=1, high=DEEPEST)] = None
    scoring: Annotated[
        str, About("what positions look worth at that depth: auto, none, or see the docs", kind="scoring")
    ] = "auto"
    from_cells: Annotated[int, About("play by `before` until so few cells are left; 0: search always", low=0)] = 0
    before: Annotated[str, About("the agent that plays while there are more cells", kind="agent")] = "random"
    seed: Seed = None

    def __post_init__(self) -> None:
        self._search: Deepening | None = None
        self._early: Agent | None = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_for_two(game, "this search")

    def begin(self, seed: int) -> None:
        super().begin(seed)
        if self.from_cells:
            self._early = begun(self._early, self.before, int(self.rng.integers(2**31)))

    def make_search(self, game: Any, scoring: Any, **how: Any) -> Deepening:
        """The search for a game; `how` goes to it."""
        raise TypeError(f"{type(self).__name__} does not search")

    def find(self, search: Deepening, state: Any, budget: Budget) -> Found:
        """Search a state."""
        raise TypeError(f"{type(self).__name__} does not search")

    def close(self) -> None:
        if self._early:
            self._early.close()

    def ready(self, game: Any) -> None:
        if self._early:
            self._early.ready(game)
        self._search_of(game)

    def _search_of(self, game: Any) -> Deepening:
        """The search for this game, made once."""
        if self._search is None or not same(self._search.game, game):
            self._search = self.make_search(game, scorings.make(self.scoring, game))
        return self._search

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self._early and cells_left(game, state) > self.from_cells:
            return self._early.think(game, state, limit)
        search = self._search_of(game)
        timed = replace(limit, simulations=None)  # nodes are no simulations
        budget = timed.budget(None, self.seconds, lambda: self._thought(search, search.found.best, []))
        found = self.find(search, state, budget)
        alike = [m for m in found.moves if m.value == found.best.value and not m.bound]
        best = alike[int(self.rng.integers(len(alike)))] if alike else found.best
        return self._thought(search, best, search.line(state, best.action, found.depth))

    def step_by_step(self, game: Any, state: Any) -> DepthFirstSteps:
        self.must_play(game)
        recorder = Recorder()
        search = self.make_search(game, scorings.make(self.scoring, game), kernel=recorder.run)
        return DepthFirstSteps(recorder, lambda: self.find(search, state, Budget()), int(game.player(state)))

    def _thought(self, search: Deepening, best: Root, line: list[int]) -> Thought:
        found, guesses = search.found, not isinstance(search.scoring, Nothing)
        moves = sorted(found.moves, key=lambda m: m is not best)
        known = [
            Move(m.action, m.nodes, shown(m.value, m.open and guesses), distance(m.value) is not None and not m.bound)
            for m in moves
        ]
        note = "" if guesses or not best.open else UNSCORED
        line = line or [best.action]
        return Thought(best.action, known[0].value, found.nodes, found.seconds, known, line, note, "positions")


@dataclass
class Minimax(DepthFirst):
    """Looks at the whole tree, or down to a depth, and leaves nothing out."""

    def make_search(self, game: Any, scoring: Any, **how: Any) -> Deepening:
        return Deepening(game, scoring, full=True, **how)

    def find(self, search: Deepening, state: Any, budget: Budget) -> Found:
        return search.search(state, self.depth or DEEPEST, budget)


@dataclass
class AlphaBeta(DepthFirst):
    """Minimax without the branches that cannot matter, deeper and deeper; 6 plies unless told otherwise."""

    seconds: Annotated[float | None, About("seconds a move; with depth, whichever ends first", low=0, high=86400)] = (
        None
    )
    variant: Annotated[str, About("what a refuted move returns: its value or the bound", choices=("soft", "hard"))] = (
        "soft"
    )
    threats: Annotated[bool, About("take wins at once and answer single threats, if the game lists its wins")] = True
    order: Annotated[bool, About("look at promising moves first")] = True
    mirrors: Annotated[bool, About("take mirror images for one position")] = True
    window: Annotated[float, About("aspiration: points by which a value may change with the depth; 0: any", low=0)] = 0
    memory: Annotated[int, About("megabytes for the transposition table; 0: none", low=0, high=65536)] = 64

    def make_search(self, game: Any, scoring: Any, **how: Any) -> Deepening:
        how |= {"threats": self.threats, "order": self.order, "mirrors": self.mirrors}
        try:
            return Deepening(game, scoring, hard=self.variant == "hard", memory=self.memory, **how)
        except MemoryError:
            raise InputError(f"{self.memory} megabytes for the table cannot be had here; give less memory") from None

    def find(self, search: Deepening, state: Any, budget: Budget) -> Found:
        depth = self.depth or (6 if self.seconds is None else DEEPEST)
        return search.search(state, depth, budget, window=self.window or math.inf)


@dataclass
class Hybrid(Agent):
    """Plays by one agent first and by another when few cells are left."""

    before: Annotated[str, About("the agent that begins", kind="agent")] = "random"
    then: Annotated[str, About("the agent that takes over", kind="agent")] = "uct"
    from_cells: Annotated[int, About("cells left from which on it does", low=0)] = 10
    seed: Seed = None

    def __post_init__(self) -> None:
        self._early: Any = None
        self._late: Any = None

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._early = begun(self._early, self.before, int(self.rng.integers(2**31)))
        self._late = begun(self._late, self.then, int(self.rng.integers(2**31)))

    def ready(self, game: Any) -> None:
        for agent in (self._early, self._late):
            agent.ready(game)

    def close(self) -> None:
        for agent in (self._early, self._late):
            agent.close()

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        early = cells_left(game, state) > self.from_cells
        return (self._early if early else self._late).think(game, state, limit)


def begun(agent: Agent | None, spec: str, seed: int) -> Agent:
    """An agent within another at the beginning of a game: made at the first, so that a net is not read at every one."""
    from . import make

    if agent is None:
        return make(spec, seed)
    agent.begin(seed)
    return agent


def cells_left(game: Any, state: Any) -> int:
    """How many cells are still free; where a game does not say, how many actions are legal."""
    return int(game.left(state)) if gives(game, "left") else len(legal(game, state))


def shown(value: float, guessed: bool) -> float:
    """A search's value between -1 and 1: proven results at the ends, the mean of the final scores as it is.

    A guess of a scoring, in points, lies between: SCALE points are half a win.
    """
    if distance(value) is not None:
        return math.copysign(1.0, value)
    if guessed:
        return value / (abs(value) + SCALE) + 0.0  # not -0.0
    return round(value / WIN, DIGITS) + 0.0
