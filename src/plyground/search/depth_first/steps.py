"""Minimax and alpha-beta step by step: every node that they enter and leave, its window, and every cut-off.

The kernels run interpreted (`jit.watching`), and the functions that they are made of are watched; nothing of the
search is written down again here.  Values, and alpha and beta, are player 0's (see `stack`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from ...jit.watching import Interpreter
from . import alphabeta, minimax, stack

Path = tuple[int, ...]  # actions from the root
SEARCHED, OVER, SCORED, THREAT, HOPELESS, KNOWN = "searched", "over", "scored", "threat", "hopeless", "known"
RULES = {"by_threats": THREAT, "by_hopes": HOPELESS, "by_table": KNOWN}  # what may spare a search of a node


@dataclass(frozen=True)
class Deepen:
    """A search of this depth begins, from the root."""

    depth: int


@dataclass(frozen=True)
class Enter:
    """A node is entered, with so many plies to go and this window (None: the search has none)."""

    path: Path
    player: int  # who moves there
    depth: int
    alpha: float | None
    beta: float | None


@dataclass(frozen=True)
class Cut:
    """A move refutes what led to its node: the others there are not looked at."""

    path: Path
    player: int
    action: int
    value: float
    bound: float  # beta where player 0 moves, alpha where player 1 does
    left_out: Path


@dataclass(frozen=True)
class Leave:
    """A node is left with its value, or a bound of it."""

    path: Path
    value: float
    why: str  # SEARCHED, OVER, SCORED (the depth is spent), THREAT, HOPELESS or KNOWN (by the table)
    best: int | None  # action


Event = Deepen | Enter | Cut | Leave


class Enough(Exception):
    """As many steps as were asked for have been recorded."""


class Recorder:
    """Runs in the place of the kernels of a `Deepening`, and writes down what they do."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.most = 0  # events; 0: nothing is recorded
        self._stop: Callable[[], bool] | None = None
        self._depth = 0  # of the search that is under way
        self._actions = np.zeros(stack.DEEPEST + 2, np.int64)  # that lead to each ply
        self._picked: dict[int, tuple[list[int], int]] = {}  # by ply: the moves there, and which is looked at
        self._windows: list[tuple[int, float | None, float | None]] = []  # of the nodes that are open: ply, alpha, beta
        self._why: dict[int, str] = {}
        spared = {getattr(alphabeta, name): self._watch_rule(why) for name, why in RULES.items()}
        self._interpreter = Interpreter(
            {
                alphabeta.alphabeta: self._watch_alphabeta,
                minimax.minimax: self._watch_minimax,
                stack.advance: self._watch_advance,
                stack.ended: self._watch_ended,
                alphabeta.pick: self._watch_pick,
                alphabeta.credit: self._watch_credit,
                **spared,
            }
        )

    def begin(self, most: int, stop: Callable[[], bool] | None = None) -> None:
        """Record anew, so many events at most, or until `stop` says that these are enough."""
        self.events, self.most, self._depth, self._stop = [], most, 0, stop
        self._windows = []

    def run(self, context: Any, workspaces: Any, action: int, depth: int, *window: float) -> float:
        """As `alphabeta.run`, or as `minimax.run` without a window."""
        if not self.most:  # the search is only made
            return 0.0
        if depth + (action >= 0) != self._depth:
            self._depth = depth + (action >= 0)
            self._tell(Deepen(self._depth))
        scoring = _Scoring(self, self._interpreter.methods(context.scoring))
        run = self._interpreter.twin(alphabeta.run if window else minimax.run)
        with np.errstate(over="ignore"):  # hashes wrap around
            return float(run(context._replace(scoring=scoring), workspaces, action, depth, *window))

    def _tell(self, event: Event) -> None:
        if len(self.events) >= self.most or (self._stop and self._stop()):
            raise Enough
        self.events.append(event)

    def _path(self, ply: int) -> Path:
        return tuple(int(action) for action in self._actions[1 : ply + 1])

    # --- watchers: each stands in the place of a function of the kernels --------------------------------

    def _node(
        self, workspace: Any, ply: int, depth: int, game: Any, window: tuple, search: Callable[[], float]
    ) -> float:
        """A node, from its beginning to its end."""
        state = workspace.stack[ply].position.state
        alpha, beta = (float(side) for side in window) if window else (None, None)
        self._tell(Enter(self._path(ply), int(game.player(state)), int(depth), alpha, beta))
        self._why[ply] = SEARCHED
        self._windows.append((int(ply), alpha, beta))
        value = search()
        self._windows.pop()
        best = int(workspace.stack[ply].best)
        known = self._why[ply] != SEARCHED or best < 0
        self._tell(Leave(self._path(ply), float(value), self._why[ply], None if known else best))
        return value

    def _watch_alphabeta(self, twin: Any) -> Any:
        def alphabeta(
            nature: Any, context: Any, workspace: Any, ply: int, depth: int, alpha: float, beta: float
        ) -> float:
            search = lambda: twin(nature, context, workspace, ply, depth, alpha, beta)  # noqa: E731
            return self._node(workspace, ply, depth, context.game, (alpha, beta), search)

        return alphabeta

    def _watch_minimax(self, twin: Any) -> Any:
        def minimax(context: Any, workspace: Any, ply: int, depth: int) -> float:
            return self._node(workspace, ply, depth, context.game, (), lambda: twin(context, workspace, ply, depth))

        return minimax

    def _watch_advance(self, twin: Any) -> Any:
        def advance(game: Any, frames: Any, ply: int, action: int) -> Any:
            self._actions[ply + 1] = action
            return twin(game, frames, ply, action)

        return advance

    def _watch_ended(self, twin: Any) -> Any:
        def ended(game: Any, state: Any, ply: int) -> float:
            self._why[ply] = OVER
            return float(twin(game, state, ply))

        return ended

    def _watch_rule(self, why: str) -> Any:
        def watch(twin: Any) -> Any:
            def rule(*args: Any) -> float:
                value = twin(*args)
                if not isnan(value):
                    self._why[self._windows[-1][0]] = why
                return float(value)

            return rule

        return watch

    def _watch_pick(self, twin: Any) -> Any:
        def pick(order: Any, moves: Any, points: Any, i: int, count: int) -> Any:
            action = twin(order, moves, points, i, count)
            self._picked[self._windows[-1][0]] = ([int(move) for move in moves[:count]], i)
            return action

        return pick

    def _watch_credit(self, twin: Any) -> Any:
        def credit(order: Any, workspace: Any, frame: Any, player: int, action: int, depth: int) -> None:
            ply, alpha, beta = self._windows[-1]
            moves, i = self._picked[ply]
            last, bound = self.events[-1], beta if player == 0 else alpha
            assert isinstance(last, Leave) and bound is not None
            self._tell(Cut(self._path(ply), int(player), int(action), last.value, bound, tuple(moves[i + 1 :])))
            twin(order, workspace, frame, player, action, depth)

        return credit

    def scored(self) -> None:
        """The node that is looked at is worth what the scoring says."""
        self._why[self._windows[-1][0]] = SCORED


class _Scoring:
    """A scoring that tells when it judges."""

    def __init__(self, recorder: Recorder, scoring: Any) -> None:
        self._recorder, self._scoring = recorder, scoring

    def judge(self, game: Any, state: Any) -> float:
        self._recorder.scored()
        return float(self._scoring.judge(game, state))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scoring, name)


class DepthFirstSteps:
    """A search of one position whose steps are recorded; `search` runs it, with this recorder for a kernel."""

    def __init__(self, recorder: Recorder, search: Callable[[], Any], player: int) -> None:
        self._recorder, self._search, self.player = recorder, search, player

    def run(self, most: int, stop: Callable[[], bool] | None = None) -> tuple[list[Event], bool]:
        """The first steps, so many at most or until `stop` says so, and whether these are all."""
        self._recorder.begin(most, stop)
        try:
            self._search()
        except Enough:
            return self._recorder.events, False
        return self._recorder.events, True
