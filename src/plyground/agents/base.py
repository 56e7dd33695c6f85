"""What an agent is, and what it says when it has thought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..search.budget import Budget, least
from ..spec import About

Seed = Annotated[int | None, About("fixes the random numbers", low=0)]  # an option that many agents have
Policy = dict[int, float]  # probability of each action


@dataclass(frozen=True)
class Limit:
    """Bounds on one decision, over and above the agent's own budget."""

    simulations: int | None = None
    seconds: float | None = None
    stop: Callable[[], bool] | None = None  # asked now and then: shall the search end here?
    watch: Callable[[Thought], None] | None = None  # told now and then what the search thinks so far

    def budget(
        self,
        steps: int | None = None,
        seconds: float | None = None,
        thought: Callable[[], Thought] | None = None,
        usual: int | None = None,
    ) -> Budget:
        """What a search may spend, which begins now: this limit, and the agent's own bounds.

        thought: what the search thinks so far, for the watcher.  usual: steps, if nobody bounds steps or time.
        """
        watch = self.watch
        tell = (lambda: watch(thought())) if watch and thought else None
        made = Budget(least(steps, self.simulations), least(seconds, self.seconds), self.stop, tell)
        if made.steps is None and made.seconds is None:
            made.steps = usual
        return made


class Move(NamedTuple):
    """What an agent knows of one action.  Values are for the player to move, 1 won and -1 lost."""

    action: int
    visits: int
    value: float
    proven: bool = False
    prior: float | None = None  # probability before the search, by an agent that has such an opinion


@dataclass(frozen=True)
class Thought:
    """One decision.  `value` is for the player to move; None if the agent does not judge."""

    action: int
    value: float | None = None
    simulations: int = 0
    seconds: float = 0.0
    moves: list[Move] = field(default_factory=list)  # best first
    line: list[int] = field(default_factory=list)  # how play would go on

    @property
    def policy(self) -> Policy:
        """Each action's share of the visits."""
        total = sum(move.visits for move in self.moves)
        return {m.action: m.visits / total for m in self.moves} if total else {self.action: 1.0}


def paced(watch: Callable[[Thought], None] | None, thought: Callable[[], Thought]) -> Callable[[], None]:
    """A function to call as often as you like: now and then it makes a thought and tells it to the watcher."""
    budget = Limit(watch=watch).budget(thought=thought)

    def look() -> None:
        budget.over()

    return look


class Forfeit(Exception):
    """The agent gives the game up, or has to: the message is one line that says why.  The game counts as its loss."""


class Agent:
    """Chooses actions.  An agent belongs to one game at a time; `begin` makes it ready for another."""

    seed: int | None = None  # fixed by its spec
    keep: bool = False  # does it go on at the next move of a game with what it has thought before?

    def begin(self, seed: int) -> None:
        """A new game begins.  A seed in the spec wins over this one."""
        self.rng = np.random.default_rng(seed if self.seed is None else self.seed)

    @classmethod
    def must_play(cls, game: Any) -> None:
        """InputError if no agent of this kind plays this game, whatever its options.  Nothing is compiled for it."""

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        """Choose an action in a state that is not over and in which nature does not move; Forfeit to lose instead."""
        raise TypeError(f"{type(self).__name__} does not think")

    def close(self) -> None:
        """The agent is not needed any more: let go of whatever lives outside this process."""
