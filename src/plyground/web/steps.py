"""A search step by step, for the page: a few simulations from any point on, or a depth-first search from its start.

Nothing is kept between two requests: a search is fixed by its seed, so the compiled kernel runs again to where the
steps are to begin, with the options changed where they were.
"""

from __future__ import annotations

import time
from typing import Any

from .. import agents
from ..report.steps import SimulationReport, WindowSteps, node_json
from ..search.depth_first.steps import DepthFirstSteps
from ..search.mcts.steps import MCTSSteps
from ..spec import InputError
from ..warmup import Task
from .catalogue import Catalogue
from .jobs import Job, compiled, position
from .requests import Steps
from .view import Shown

SECONDS = 5.0  # after which no further step is begun
NODES = 120  # of a tree that are sent, the most visited
CHILDREN = 60  # of a node
EVENTS = 1_500  # of a depth-first search


def steps(job: Job, catalogue: Catalogue) -> tuple[dict[str, Any], None]:
    """The steps that were asked for: the last message."""
    request = job.request
    assert isinstance(request, Steps)
    shown, state = position(catalogue, request)
    specs = [catalogue.agent(text).text for text in [request.agent, *(change.agent for change in request.changes)]]
    return compiled(job, Task(shown.spec, specs[0]), lambda: run_by_steps(job, shown, state, specs)), None


def run_by_steps(job: Job, shown: Shown, state: Any, specs: list[str]) -> dict[str, Any]:
    """Run an agent's search and tell of it."""
    agent = agents.make(specs[0], job.request.seed or 0)  # type: ignore[union-attr]
    try:
        found = agent.step_by_step(shown.game, state)
        job.begun = True
        if isinstance(found, DepthFirstSteps):
            return {"type": "steps", "kind": "window", **windows(job, shown, found)}
        return {"type": "steps", "kind": "tree", **simulations(job, shown, agent, found, specs[1:])}
    finally:
        agent.close()


def windows(job: Job, shown: Shown, found: DepthFirstSteps) -> dict[str, Any]:
    """The first events of a depth-first search."""
    end = time.monotonic() + SECONDS
    recorded = WindowSteps(found, shown.names.__getitem__, EVENTS, lambda: job.stopped() or time.monotonic() > end)
    return recorded.to_json()


def simulations(job: Job, shown: Shown, agent: Any, found: MCTSSteps, specs: list[str]) -> dict[str, Any]:
    """The tree where the steps begin, and each simulation with the tree after it."""
    request = job.request
    assert isinstance(request, Steps)
    for change, spec in zip(request.changes, specs, strict=True):
        if change.after < found.done:
            raise InputError("changes stand in the order of their simulations")
        if change.after <= request.skip:
            found.skip(change.after - found.done)
            agent.change(agents.make(spec, request.seed))
    found.skip(request.skip - found.done)
    live, first, tree, end = list(agent.live), found.done, drawn(shown, found), time.monotonic() + SECONDS
    recorded: list[dict[str, Any]] = []
    while len(recorded) < request.count and not job.stopped() and (not recorded or time.monotonic() < end):
        simulation = found.simulate()
        if simulation is None:
            return {"live": live, "first": first, "tree": tree, "simulations": recorded, "ended": True}
        report = SimulationReport(simulation, shown.names.__getitem__, CHILDREN)
        recorded.append(report.to_json() | {"tree": drawn(shown, found)})
    return {"live": live, "first": first, "tree": tree, "simulations": recorded, "ended": False}


def drawn(shown: Shown, found: MCTSSteps) -> list[dict[str, Any]]:
    """The tree as it stands."""
    return [node_json(node, shown.names.__getitem__) for node in found.tree(NODES)]
