"""Runs the depth-first kernels from Python: deeper and deeper, within limits, move by move at the root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ...jit.first_use import first_use
from ...rules import CHANCE, after, gives, legal, must_be_for_two, new
from ..budget import ENDLESS, Budget
from ..scoring import Nothing
from . import alphabeta, hashing, minimax, table
from .stack import DEEPEST, PROVEN, Context, distance, workspace_type

T = TypeVar("T")


@dataclass
class Root:
    """What is known of one action at the root; the value is for the player to move, with its distance."""

    action: int
    value: float = 0.0
    nodes: int = 0
    depth: int = 0  # of the search that gave the value
    exact: bool = False  # neither a guess nor a bound, and proven results at their true distance
    bound: bool = False  # the value is only at most this
    open: bool = True  # has a guess entered the value, or the bound?


@dataclass
class Found:
    """The state of a search that deepens: complete as far as `depth`."""

    moves: list[Root] = field(default_factory=list)  # best first
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    @property
    def best(self) -> Root:
        return self.moves[0]

    @property
    def exact(self) -> bool:
        """Is the value of the position known for certain?"""
        return self.best.exact and (self.best.value >= PROVEN or not any(m.open for m in self.moves))


class Deepening:
    """Minimax or alpha-beta for one game, with everything that they remember between searches."""

    def __init__(
        self,
        game: Any,
        scoring: Any = Nothing(),
        *,
        full: bool = False,
        hard: bool = False,
        threats: bool = True,
        memory: float = 64,
        mirrors: bool = True,
        order: bool = True,
        hopes: bool = False,
        kernel: Callable[..., float] | None = None,
    ) -> None:
        """`kernel` runs in the place of the compiled one: see `steps`."""
        must_be_for_two(game, "this search")
        self.game, self.scoring, self.full = game, scoring, full
        chance = gives(game, "chance")  # nature may move before a threat is carried out: no answer is forced
        kept = memory > 0 and not full
        self.context = Context(  # what a search does not look at is None, so that it needs no kernel of its own
            game,
            scoring,
            table=table.new(memory) if kept else None,
            mirrors=(mirrors and kept and hashing.mirrored(game)) or None,
            nature=chance or None,
            threats=(threats and not full and gives(game, "wins") and not chance) or None,
            hopes=(hopes and not full and gives(game, "hope")) or None,
            order=(order and not full) or None,
        )
        self._kernel = kernel or (minimax.run if full else alphabeta.run)
        self._workspaces = np.zeros(1, workspace_type(game))
        self.workspace: Any = self._workspaces[0]  # a view
        self.workspace.hard = hard
        hashing.prepare(game, self.workspace.images)
        self.found = Found()
        with first_use():  # no depth
            self._set_root(new(game))
            self._value(-1, 0, -np.inf, np.inf)

    def search(
        self,
        state: Any,
        depth: int = DEEPEST,
        budget: Budget | None = None,
        *,
        every: bool = False,
        window: float = np.inf,
    ) -> Found:
        """Search deeper and deeper, until the budget, whose steps are nodes, is spent, or the value is exact.

        `every` gives each action its own value, not only a bound if it is worse than the best.  `window` is
        how far a value is expected to move from one depth to the next (aspiration).
        What is known is always in `found`, for a watcher and after an interruption, too.
        """
        self.start(state)
        self.run(lambda: self._deepen(depth, every, window), budget or Budget())
        return self.found

    def start(self, state: Any) -> None:
        """Make this state the root and forget what was found at another; what the table holds is kept."""
        if self.game.over(state) or self.game.player(state) == CHANCE:
            raise ValueError("no player is to move in this state")
        self._set_root(state)
        self.found = Found([Root(action) for action in legal(self.game, state)])

    def forget(self) -> None:
        """Empty the table."""
        if self.context.table is not None:
            self.context.table[:] = 0

    def run(self, work: Callable[[], T], budget: Budget) -> T:
        """Let `work`, which calls kernels, run beside this thread until it is ready or the budget spent; its result."""
        self.workspace.limit = ENDLESS if budget.steps is None else budget.steps

        def note() -> None:
            self.found.nodes, self.found.seconds = int(self.workspace.nodes), budget.passed

        def halt() -> None:
            self.workspace.stop = True

        try:
            return budget.noting(note).run(work, halt, lambda: int(self.workspace.nodes))
        finally:
            note()

    def line(self, state: Any, action: int, depth: int, effort: int = 20_000) -> list[int]:
        """How play would go on after an action, as far as few nodes find it (the table knows most of it)."""
        actions = [action]
        state = after(self.game, state, action)
        while depth > len(actions) and not self.game.over(state) and self.game.player(state) != CHANCE:
            self._set_root(state)
            self.workspace.limit = effort
            self._value(-1, depth - len(actions), -np.inf, np.inf)
            best = int(self.workspace.stack[0].best)
            if self.workspace.stop or best < 0:
                break
            actions.append(best)
            state = after(self.game, state, best)
        return actions

    def _set_root(self, state: Any) -> None:
        self.workspace.nodes, self.workspace.stop, self.workspace.limit = 0, False, ENDLESS
        self.workspace.history[:] = 0
        self.workspace.stack["killers"] = -1
        self.workspace.stack[0].position.state = state
        self.sign = 1 - 2 * int(self.game.player(state))

    def _deepen(self, depth: int, every: bool, window: float) -> None:
        """Search to depth 1, 2, ...; minimax only to the last."""
        found = self.found
        for now in range(depth if self.full else 1, depth + 1):
            guess = found.best.value
            low, high = guess - window, guess + window
            if now <= 2 or every or abs(guess) >= PROVEN:
                low, high = -np.inf, np.inf
            if not self._iterate(now, every, low, high):
                return
            if not every and not low < found.best.value < high:
                if not self._iterate(now, every, -np.inf, np.inf):
                    return
            found.depth = now
            if all(move.exact for move in found.moves) if every else found.exact:
                return

    def _iterate(self, depth: int, every: bool, low: float, high: float) -> bool:
        """Search every action to a depth, the best so far first; False if that was interrupted."""
        done: list[Root] = []
        todo = list(self.found.moves)
        best = low
        for root in self.found.moves:
            if not (every and root.exact):
                root = self.search_action(root.action, depth, -np.inf if every or self.full else best, high)
                if self.workspace.stop:
                    break
            done.append(root)
            todo.pop(0)
            best = max(best, root.value)
            if best >= high:  # beyond the window nothing can be said of the others
                break
        if done:  # the best so far was searched first, so even a part of this depth knows more than the last
            done += [r for r in todo if r.exact]
            rest = [
                Root(r.action, min(r.value, best), r.nodes, r.depth, False, True, r.open) for r in todo if not r.exact
            ]
            self.found.moves = sorted(done, key=lambda r: (r.value, not r.bound), reverse=True) + rest
        return not todo or best >= high

    def search_action(self, action: int, depth: int, low: float, high: float) -> Root:
        """Search one action of the root; the window is seen by the player to move there."""
        before = int(self.workspace.nodes)
        sign = self.sign
        alpha, beta = (low, high) if sign > 0 else (-high, -low)
        value = sign * self._value(action, depth - 1, alpha, beta)
        within = low < value < high or (low == -np.inf and high == np.inf)
        plies = distance(value)
        known = not self.workspace.stack[1].open and (plies is None or plies <= depth)
        nodes, still_open = (
            int(self.workspace.nodes) - before,
            bool(self.workspace.stack[1].open) and abs(value) < PROVEN,
        )
        return Root(action, value, nodes, depth, known and within, value <= low, still_open)

    def _value(self, action: int, depth: int, alpha: float, beta: float) -> float:
        window = () if self.full else (float(alpha), float(beta))
        return self._kernel(self.context, self._workspaces, action, depth, *window)
