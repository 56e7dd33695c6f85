"""The work that a socket asks for, in a thread of its own and to be stopped at any time: think, solve."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, TypeVar

from .. import agents
from ..agents.base import Agent, Forfeit, Limit, Move, Thought
from ..agents.user_agent import Interpreted
from ..exact.solve import LINE_SECONDS, Answer, Solution, megabytes, solver
from ..jit.progress import Compilation, NotCompiled, compilations, without_compiling
from ..position import must_move
from ..report.solution import is_mean
from ..rules import gives
from ..search.budget import Budget
from ..spec import InputError
from ..warmup import SOLVER, Progress, Task, WarmUp
from .catalogue import Catalogue, Checked
from .fair_queue import Standing
from .requests import LONGEST_THINK, MOST_SIMULATIONS, Match, Open, Review, Solve, Steps, Think
from .view import Shown, number
from .visitors import LOCAL

Made = TypeVar("Made")

USUAL_SECONDS = 5.0  # of a think that nobody bounds
EVERY = 1 / 8  # seconds between two snapshots
LONG_MOVE = 2.0  # seconds after which the page hears that a move of a match takes long
QUEUE = 1.0  # seconds between two times that a page hears where it stands in the queue
SERVED = Standing(0, 0.0)  # waits no longer
LINES, LONGEST_LINE = 14, 30  # moves whose lines a snapshot tells, and moves in a line
MEANWHILE = 1.0  # seconds, at most, of a move that is played interpreted
SOLVER_MEMORY, LARGEST = 256, LOCAL.memory  # megabytes of a solver's table, of one search


class Job:
    """One piece of work: may be told to stop, and tells what it has found so far."""

    def __init__(
        self,
        request: Think | Solve | Match | Steps | Review,
        tell: Callable[[dict[str, Any], bool], None],
        warmup: WarmUp | None = None,
    ) -> None:
        self.request = request
        self.warmup = warmup or WarmUp()  # who compiles for it
        self.waits_for: Progress | None = None  # kernels that another process compiles for it
        self.begun = False  # is everything compiled?
        self.starting = False  # an agent's process?
        self.earlier: KeptAgent | None = None  # played the seat before
        self.thinks: tuple[int, float] | None = None  # which agent of a match, and since when
        self.let_pass: Callable[[], None] = lambda: None  # others that wait, if it takes long
        self._tell = tell
        self._stop = threading.Event()
        self._last = 0.0
        self._stood, self._standing = 0.0, SERVED  # when it was told last where it stands in the queue, and what

    def stop(self) -> None:
        self._stop.set()

    def stopped(self) -> bool:
        return self._stop.is_set()

    def due(self) -> bool:
        """Is it time for another snapshot?"""
        self.begun = True
        now = time.perf_counter()
        if now - self._last < EVERY or self.stopped():
            return False
        self._last = now
        return True

    def compiling(self) -> dict[str, Any] | None:
        """What it waits for and how far that is, if it waits for a compiler or for a process to start."""
        if self.begun or self.stopped():
            return None
        if self.waits_for:
            return how_far(self.waits_for)
        for one in compilations.under_way[-1:]:
            return how_far(one)
        return {"kernel": "", "share": 0.0, "seconds_left": None} if self.starting else None

    def slow(self) -> dict[str, Any] | None:
        """Which agent of a match thinks, and for how many seconds, if that takes long."""
        agent, since = self.thinks or (0, inf)
        seconds = time.perf_counter() - since
        return {"agent": agent, "seconds": int(seconds)} if seconds >= LONG_MOVE else None

    def stands(self, standing: Standing) -> None:
        """Tell where it stands in the queue, if that has changed and a while has passed."""
        now = time.perf_counter()
        if standing != self._standing and now - self._stood >= QUEUE / 2:
            self._stood, self._standing = now, standing
            self.tell("waiting", **standing._asdict())

    def is_served(self) -> None:
        """It waits no longer, and says so if it has said that it waits."""
        if self._standing != SERVED:
            self._stood, self._standing = 0.0, SERVED
            self.tell("waiting", **SERVED._asdict())

    def tell(self, kind: str, latest: bool = True, **what: Any) -> None:
        """Send a message; of those of which only the latest counts, older ones may be left out."""
        self._tell({"type": kind, "id": self.request.id, **what}, latest)


@dataclass
class KeptAgent:
    """An agent that has thought: its tree can be looked into, and in its seat it goes on if it keeps its tree or has a
    process of its own."""

    agent: Agent
    shown: Shown
    spec: str  # of the agent
    asked: Think
    megabytes: int = 0
    since: float = field(default_factory=time.monotonic)
    use: threading.Lock = field(default_factory=threading.Lock)  # by one who looks into its tree or lets it think

    @property
    def seat(self) -> int | None:
        """The seat in which it waits for its next move; None if its tree is only looked into."""
        return self.asked.seat if self.agent.keep or self.agent.outside else None

    def plays_on(self, request: Think, spec: str, shown: Shown) -> bool:
        """Is this its next move, in the same game?"""
        before, now = self.asked, request
        same = self.spec == spec and self.shown is shown and (before.start, before.seed) == (now.start, now.seed)
        return same and now.moves[: len(before.moves)] == before.moves


# --- think ------------------------------------------------------------------------------------------------


def think(job: Job, catalogue: Catalogue) -> tuple[dict[str, Any], KeptAgent]:
    """Let an agent think, with snapshots on the way; the thought, and the agent with its tree.

    The agent that has played the seat before goes on, if this is its next move.  Kernels that are missing are compiled
    by another process; if that takes long and the page agrees, the agent plays interpreted meanwhile.
    """
    request = job.request
    assert isinstance(request, Think)
    checked = catalogue.agent(request.agent)
    shown, state = position(catalogue, request)
    limit = bounds(checked, request.seconds, request.simulations)
    kept = job.earlier
    try:
        with without_compiling():
            if kept is None or not kept.plays_on(request, checked.text, shown):
                kept = made(job, checked.text, shown)
            return thought_by(kept, job, state, limit), kept
    except NotCompiled:
        pass
    job.waits_for = job.warmup.want(Task(shown.spec, checked.text))
    if request.meanwhile:
        with suppress(Forfeit, InputError):  # it waits then
            if found := interpreted(job, checked.text, shown, state, limit):
                return found
    wait(job)
    kept = made(job, checked.text, shown)
    return thought_by(kept, job, state, limit), kept


def wait(job: Job) -> None:
    """Wait until the kernels of a job are compiled.  InputError if they cannot be, or if it was stopped."""
    assert job.waits_for
    while not job.waits_for.ended.wait(0.05):
        if job.stopped():
            raise InputError("stopped before the agent was compiled")
    if job.waits_for.problem:
        raise InputError(job.waits_for.problem)
    job.waits_for = None


def compiled(job: Job, task: Task, made: Callable[[], Made]) -> Made:
    """What is made here once its kernels are compiled: by another process, if they are not.

    A compiler in this process would keep all who only load their kernels waiting: Numba lets one thread do either.
    """
    try:
        with without_compiling():
            return made()
    except NotCompiled:
        job.waits_for = job.warmup.want(task)
    wait(job)
    return made()


def made(job: Job, text: str, shown: Shown) -> KeptAgent:
    """The agent of a spec, for a think."""
    request = job.request
    assert isinstance(request, Think)
    job.starting = True
    agent = agents.make(text, secrets.randbelow(2**31) if request.seed is None else request.seed)
    job.starting = False
    return KeptAgent(agent, shown, text, request)


def interpreted(job: Job, text: str, shown: Shown, state: Any, limit: Limit) -> tuple[dict[str, Any], KeptAgent] | None:
    """The thought of an agent in plain Python, which says so; None if its kernels are there before it can begin."""
    request, progress = job.request, job.waits_for
    assert isinstance(request, Think) and progress
    name = f"{request.agent}, interpreted"
    kept = job.earlier
    if kept is None or kept.spec != name or kept.shown is not shown:
        agent = Interpreted(text)
        agent.start()
        kept = KeptAgent(agent, shown, name, request)
    if progress.ended.is_set():
        kept.agent.close()
        return None
    seconds = MEANWHILE if limit.seconds is None else min(limit.seconds, MEANWHILE)
    last = thought_by(kept, job, state, replace(limit, seconds=seconds))
    return last | {"meanwhile": {"agent": name, **how_far(progress)}}, kept


def how_far(one: Progress | Compilation) -> dict[str, Any]:
    """What is compiled, in the page's words."""
    return {"kernel": one.kernel, "share": number(one.share), "seconds_left": number(one.seconds_left)}


def thought_by(kept: KeptAgent, job: Job, state: Any, limit: Limit) -> dict[str, Any]:
    """Let an agent think, with snapshots on the way: the last message."""
    request = job.request
    assert isinstance(request, Think)
    kept.asked = request
    agent, shown, writer = kept.agent, kept.shown, ThoughtWriter(kept.shown, state, kept.agent)

    def watch(thought: Thought) -> None:
        job.begun = True
        if not job.stopped():
            job.tell("thinking", thought=writer.written(thought, LINES))

    last = None
    try:
        with kept.use:
            thought = agent.think(shown.game, state, replace(limit, stop=job.stopped, watch=watch))
            last = {"type": "thought", "thought": writer.written(thought), "move": shown.names[thought.action]}
    finally:
        if last is None or kept.seat is None:
            agent.close()
    if kept.seat is None and type(agent).children is Agent.children:
        kept.agent = Agent()  # it says that it grows no tree, and holds no memory
    kept.since, kept.megabytes = time.monotonic(), kept.agent.held
    return last


def bounds(checked: Checked, seconds: float | None, simulations: int | None) -> Limit:
    """The limit of a think: what is asked for, within what is allowed."""
    if seconds is None:
        seconds = LONGEST_THINK if checked.bounded or simulations else USUAL_SECONDS
    return Limit(simulations or MOST_SIMULATIONS, seconds)


def position(catalogue: Catalogue, request: Think | Solve | Steps) -> tuple[Shown, Any]:
    """The position of a request, in which somebody has to move."""
    shown = catalogue.game(request.game)
    state, _ = shown.state(request.start, request.moves)
    must_move(shown.game, state)
    return shown, state


class ThoughtWriter:
    """Thoughts about a position in the page's words; what does not change while an agent thinks is found out once."""

    def __init__(self, shown: Shown, state: Any, agent: Agent) -> None:
        self.shown, self.state = shown, state
        self._line = None if agent.outside else agent.line  # a process that thinks is not asked
        self._known: dict[int, dict[str, Any]] = {}

    def written(self, thought: Thought, lines: int | None = None) -> dict[str, Any]:
        """A thought; with the line that each move leads to, of as many moves as are wanted, the most visited first."""
        total = sum(move.visits for move in thought.moves) or 1
        foremost = sorted((move for move in thought.moves if move.visits), key=lambda move: -move.visits)[:lines]
        wanted = {move.action for move in foremost} if self._line else set()
        return {
            "value": number(thought.value),
            "simulations": int(thought.simulations),
            "counts": thought.counts,
            "seconds": number(thought.seconds),
            "move": self.shown.names[thought.action],
            "moves": [self._move(move, total, move.action in wanted) for move in thought.moves],
            "line": self._names(thought.line),
        }

    def _move(self, move: Move, total: int, line: bool) -> dict[str, Any]:
        action = move.action
        if action not in self._known:
            cells = self.shown.where(self.state, action)
            self._known[action] = {"action": action, "name": self.shown.names[action], "cells": cells}
        judged = {"visits": move.visits, "share": move.visits / total, "value": number(move.value)}
        judged |= {"proven": bool(move.proven), "prior": number(move.prior)}
        return self._known[action] | judged | {"line": self._names(self._line(action)) if line and self._line else []}

    def _names(self, actions: list[int]) -> list[str]:
        return [self.shown.names[action] for action in actions[:LONGEST_LINE]]


def children(request: Open, kept: KeptAgent) -> list[dict[str, Any]]:
    """What the tree of a think knows after these moves, for the player to move there."""
    look = kept.agent.children
    if kept.agent.outside and kept.seat is None:
        raise InputError("the tree of this agent went with its process")
    if not kept.use.acquire(blocking=False):
        raise InputError(f"the tree of think {request.of} is not kept: its agent thinks again")
    try:
        path = [kept.shown.action(name) for name in request.path]
        return [
            {
                "name": kept.shown.names[move.action],
                "visits": move.visits,
                "value": number(move.value),
                "proven": bool(move.proven),
                "prior": number(move.prior),
                "children": bool(look([*path, move.action])),
            }
            for move in sorted(look(path), key=lambda move: -move.visits)
        ]
    finally:
        kept.use.release()


# --- solve ------------------------------------------------------------------------------------------------


def slots_needed(catalogue: Catalogue, request: Think | Solve | Match | Steps | Review) -> int:
    """How many slots the work takes: two if its table needs more than the memory of one search."""
    if isinstance(request, Solve):
        shown, state = position(catalogue, request)
        return 1 + (megabytes(shown.game, state, SOLVER_MEMORY) > LARGEST)
    return 1


def solve(job: Job, catalogue: Catalogue) -> tuple[dict[str, Any], None]:
    """Solve a position within its time, with what is known on the way."""
    request = job.request
    assert isinstance(request, Solve)
    shown, state = position(catalogue, request)
    work = compiled(job, Task(shown.spec, SOLVER), lambda: solver(shown.game, state, SOLVER_MEMORY))

    def watch() -> None:
        answers = list(work.solution.answers)  # empty while the solver sorts them
        if answers and job.due():
            job.tell("solving", solution=solution_written(shown, state, replace(work.solution, answers=answers)))

    solution = work.solve(state, Budget(None, request.seconds, job.stopped, watch))
    if solution.value is not None:
        work.find_line(Budget(None, LINE_SECONDS, job.stopped))
    return {"type": "solution", "solution": solution_written(shown, state, solution)}, None


def solution_written(shown: Shown, state: Any, solution: Solution) -> dict[str, Any]:
    """A solution in the page's words."""
    chance = gives(shown.game, "chance")

    def said(known: Solution | Answer) -> dict[str, Any]:
        bounds = {"at_least": number(known.low), "at_most": number(known.high)}
        return {"value": number(known.value), "mean": is_mean(known.value, chance), **bounds}

    def moved(answer: Answer) -> dict[str, Any]:
        name, cells = shown.names[answer.action], shown.where(state, answer.action)
        return {"name": name, "cells": cells, **said(answer), "plies": answer.plies, "shortest": bool(answer.shortest)}

    return {
        **said(solution),
        "complete": solution.complete,
        "why_unknown": solution.why,
        "plies": solution.answers[0].plies if solution.value is not None else None,
        "moves": [moved(answer) for answer in solution.answers],
        "line": [shown.names[action] for action in solution.line],
        "nodes": int(solution.nodes),
        "seconds": number(solution.seconds),
    }
