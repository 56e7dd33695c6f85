"""A match that a page watches: the same games as `plyground match` plays with this seed."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from .. import agents
from ..agents.base import Agent, Limit, Thought
from ..arena.match import Plan, Result, begin_game, draw, play_game, recorded
from ..rules import must_be_for_two, new
from ..warmup import Task
from .catalogue import Catalogue, Checked
from .jobs import Job, bounds, compiled
from .requests import Match
from .view import Shown

USUAL_SIMULATIONS = 1_000  # of a move that nobody bounds


class Stopped(Exception):
    """The page wants no more."""


def match(job: Job, catalogue: Catalogue) -> tuple[dict[str, Any], None]:
    """Play a match between the agents that the page asks for."""
    assert isinstance(job.request, Match)
    must_be_for_two(catalogue.drawn(job.request.game, job.request.seed).game, "a match")
    checked = [catalogue.agent(text) for text in job.request.agents]
    job.starting = True  # processes of agents, and what they compile: the page is told that it waits
    both = [agents.make(one.text) for one in checked]
    try:
        return play_match(job, job.request, catalogue, checked, both), None
    finally:
        for agent in both:
            agent.close()


def play_match(
    job: Job, request: Match, catalogue: Catalogue, checked: list[Checked], both: list[Agent]
) -> dict[str, Any]:
    """Play games with the seats alternating; tell of each that ends, and now and then of the one in play."""
    limits = [move_limit(one, request.seconds, job) for one in checked]
    result = Result(Plan(request.game, (request.agents[0], request.agents[1]), request.games, request.seed))

    def report(**more: Any) -> dict[str, Any]:
        return {**result.summary(), "of": request.games, "live": None, "record": None, "done": False, **more}

    shown = catalogue.drawn(request.game, request.seed)
    for agent, one in zip(both, checked, strict=True):
        compiled(job, Task(shown.spec, one.text), partial(agent.ready, shown.game))
    job.starting = False
    for number in range(request.games):
        if ".py" not in request.game:  # a file may change meanwhile; a match keeps its rules
            shown = catalogue.drawn(request.game, draw(request.seed, number // 2))
        first, rng = begin_game(request.seed, number, both)
        live = Live(shown)
        if job.due():
            job.tell("match", **report(live=live.view(new(shown.game))))

        def watch(state: Any, action: int, live: Live = live) -> None:
            job.let_pass()
            if job.stopped():
                raise Stopped
            job.is_served()
            if job.due():
                job.tell("match", **report(live=live.view(state)))
            live.follow(state, action)

        try:
            order = first, 1 - first
            players = Timed(both[order[0]], order[0], job), Timed(both[order[1]], order[1], job)
            played = play_game(shown.game, players, rng, [], (limits[order[0]], limits[order[1]]), watch)
        except Stopped:
            break
        if played.reason and job.stopped():  # that was no forfeit
            break
        result.records.append(recorded(number, first, played, live.names))
        record = {"game": shown.spec, "number": number + 1, "first": first, "moves": live.names}
        record |= {"score": played.score, "reason": played.reason}
        last = live.view(live.state) if job.due() and live.state is not None else None
        job.tell("match", latest=False, **report(record=record, live=last))
    return {"type": "match", **report(done=True)}


class Timed(Agent):
    """An agent of a match whose thoughts the job knows of while they last."""

    def __init__(self, agent: Agent, number: int, job: Job) -> None:
        self.agent, self.number, self.job = agent, number, job

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.job.thinks = self.number, time.perf_counter()
        try:
            return self.agent.think(game, state, limit)
        finally:
            self.job.thinks = None


class Live:
    """The game that is being played, as the page sees it."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.names: list[str] = []
        self.last: list[int] = []  # cells of the last move
        self.state: Any = None  # the one that the game changes

    def follow(self, state: Any, action: int) -> None:
        """This action is played in this state."""
        self.state = state
        self.last = self.shown.where(state, action)
        self.names.append(self.shown.names[action])

    def view(self, state: Any) -> dict[str, Any]:
        return self.shown.view("", list(self.names), state, self.last)


def move_limit(checked: Checked, seconds: float | None, job: Job) -> Limit:
    """The limit of a move in a match."""
    simulations = USUAL_SIMULATIONS if seconds is None and not checked.bounded else None
    limit = bounds(checked, seconds, None)
    return replace(limit, simulations=simulations or limit.simulations, stop=job.stopped)
