"""The work that a socket asks for, in a thread of its own and to be stopped at any time: think, solve."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from .. import agents
from ..agents.base import Agent, Limit, Thought
from ..exact.solve import Answer, Solution, megabytes, solver
from ..position import must_move
from ..spec import InputError
from .models import LONGEST_THINK, MOST_SIMULATIONS, Match, Open, Solve, Think
from .shelf import MOST, Checked, Shelf
from .view import Shown, number

USUAL_SECONDS = 5.0  # of a think that nobody bounds
EVERY = 1 / 8  # seconds between two snapshots
LINE_SECONDS = 2.0  # to find how best play goes on
SOLVER_MEMORY, LARGEST = 256, MOST["memory"]  # megabytes of a solver's table, of one search


class Job:
    """One piece of work: may be told to stop, and tells what it has found so far."""

    def __init__(self, request: Think | Solve | Match, tell: Callable[[dict[str, Any], bool], None]) -> None:
        self.request = request
        self.begun = False  # is everything compiled?
        self._tell = tell
        self._stop = threading.Event()
        self._last = 0.0

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

    def tell(self, kind: str, latest: bool = True, **what: Any) -> None:
        """Send a message; of those of which only the latest counts, older ones may be left out."""
        self._tell({"type": kind, "id": self.request.id, **what}, latest)


class Kept(NamedTuple):
    """An agent that has thought, for looking into its tree."""

    agent: Agent
    shown: Shown
    megabytes: int


# --- think ------------------------------------------------------------------------------------------------


def think(job: Job, shelf: Shelf) -> tuple[dict[str, Any], Kept]:
    """Let an agent think, with snapshots on the way; the thought, and the agent with its tree."""
    request = job.request
    assert isinstance(request, Think)
    checked = shelf.agent(request.agent)
    shown, state = position(shelf, request)
    agent = agents.make(checked.text, secrets.randbelow(2**31) if request.seed is None else request.seed)
    whole: dict[int, dict[str, Any]] = {}

    def describe(thought: Thought) -> dict[str, Any]:
        return told(shown, state, thought, whole)

    def watch(thought: Thought) -> None:
        job.begun = True
        if not job.stopped():
            job.tell("thinking", thought=describe(thought))

    limit = replace(bounds(checked, request.seconds, request.simulations), stop=job.stopped, watch=watch)
    thought = agent.think(shown.game, state, limit)
    last = {"type": "thought", "thought": describe(thought), "move": shown.names[thought.action]}
    return last, Kept(agent, shown, getattr(agent, "memory", 0))


def bounds(checked: Checked, seconds: float | None, simulations: int | None) -> Limit:
    """The limit of a think: what is asked for, within what is allowed."""
    if seconds is None:
        seconds = LONGEST_THINK if checked.bounded or simulations else USUAL_SECONDS
    return Limit(simulations or MOST_SIMULATIONS, seconds)


def position(shelf: Shelf, request: Think | Solve) -> tuple[Shown, Any]:
    """The position of a request, in which somebody has to move."""
    shown = shelf.game(request.game)
    state, _ = shown.state(request.start, request.moves)
    must_move(shown.game, state)
    return shown, state


def told(shown: Shown, state: Any, thought: Thought, known: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """A thought in the page's words; `known` keeps what does not change while an agent thinks."""
    total = sum(move.visits for move in thought.moves) or 1
    moves = []
    for move in thought.moves:
        if move.action not in known:
            cells = shown.where(state, move.action)
            known[move.action] = {"action": move.action, "name": shown.names[move.action], "cells": cells}
        judged = {"visits": move.visits, "share": move.visits / total, "value": number(move.value)}
        moves.append(known[move.action] | judged | {"proven": bool(move.proven), "prior": None})
    return {
        "value": number(thought.value),
        "simulations": int(thought.simulations),
        "seconds": number(thought.seconds),
        "move": shown.names[thought.action],
        "moves": moves,
        "line": [shown.names[action] for action in thought.line],
    }


def children(request: Open, kept: Kept) -> list[dict[str, Any]]:
    """What the tree of a think knows after these moves, for the player to move there."""
    look: Callable[[list[int]], list] | None = getattr(kept.agent, "children", None)
    if look is None:
        raise InputError("this agent grows no tree to look into")
    path = [kept.shown.action(name) for name in request.path]
    return [
        {
            "name": kept.shown.names[move.action],
            "visits": move.visits,
            "value": number(move.value),
            "proven": bool(move.proven),
            "children": bool(look([*path, move.action])),
        }
        for move in sorted(look(path), key=lambda move: -move.visits)
    ]


# --- solve ------------------------------------------------------------------------------------------------


def weight(shelf: Shelf, request: Think | Solve | Match) -> int:
    """How many slots the work takes: two if its table needs more than the memory of one search."""
    if isinstance(request, Solve):
        shown, state = position(shelf, request)
        return 1 + (megabytes(shown.game, state, SOLVER_MEMORY) > LARGEST)
    return 1


def solve(job: Job, shelf: Shelf) -> tuple[dict[str, Any], None]:
    """Solve a position within its time, with what is known on the way."""
    request = job.request
    assert isinstance(request, Solve)
    shown, state = position(shelf, request)
    work = solver(shown.game, state, SOLVER_MEMORY)

    def watch(solution: Solution) -> None:
        answers = list(solution.answers)  # empty while the solver sorts them
        if answers and job.due():
            job.tell("solving", solution=solved(shown, state, replace(solution, answers=answers)))

    solution = work.solve(state, seconds=request.seconds, stop=job.stopped, watch=watch)
    if solution.value is not None:
        work.find_line(LINE_SECONDS, job.stopped)
    return {"type": "solution", "solution": solved(shown, state, solution)}, None


def solved(shown: Shown, state: Any, solution: Solution) -> dict[str, Any]:
    """A solution in the page's words."""

    def moved(answer: Answer) -> dict[str, Any]:
        name, cells = shown.names[answer.action], shown.where(state, answer.action)
        said = {"value": number(answer.value), "at_least": number(answer.low), "at_most": number(answer.high)}
        return {"name": name, "cells": cells, **said, "plies": answer.plies, "shortest": bool(answer.shortest)}

    return {
        "value": number(solution.value),
        "at_least": number(solution.low),
        "at_most": number(solution.high),
        "complete": solution.complete,
        "plies": solution.answers[0].plies if solution.value is not None else None,
        "moves": [moved(answer) for answer in solution.answers],
        "line": [shown.names[action] for action in solution.line],
        "nodes": int(solution.nodes),
        "seconds": number(solution.seconds),
    }
