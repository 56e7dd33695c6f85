"""A review of a whole game, for the page: move by move, and others are let pass between two."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import agents, game_files
from ..agents.base import Agent
from ..game_review import Review as Reviewed
from ..game_review import review as review_game
from ..manifest import family_of
from ..report.review import ReviewReport
from ..spec import InputError
from ..warmup import Task
from .catalogue import Catalogue
from .jobs import Job, compiled
from .requests import GameFile, Review
from .view import Shown


def review(job: Job, catalogue: Catalogue) -> tuple[dict[str, Any], None]:
    """Review the moves of a game: the last message."""
    request = job.request
    assert isinstance(request, Review)
    shown, spec = catalogue.game(request.game), catalogue.agent(request.agent).text
    agent = agents.make(spec, request.seed)
    try:
        return reviewed(job, request, agent, shown, spec), None
    finally:
        agent.close()


def reviewed(job: Job, request: Review, agent: Agent, shown: Shown, spec: str) -> dict[str, Any]:
    """Go through the game; tell of it now and then."""
    start, _ = shown.state(request.start, [])
    actions = [shown.action(name) for name in request.moves]

    def written(found: Reviewed, text: bool = False) -> dict[str, Any]:
        report = ReviewReport(found, shown.spec, request.agent, request.start)
        return report.to_json() | ({"text": repr(report), "files": files(report, shown)} if text else {})

    def watch(found: Reviewed) -> None:
        job.let_pass()
        job.is_served()
        if job.due():
            job.tell("reviewing", **written(found))

    limits: dict[str, Any] = {"seconds": request.seconds, "since": request.since, "seed": request.seed}
    task = Task(shown.spec, spec)
    ready = partial(compiled, job, task, lambda: agent.ready(shown.game))
    limits |= {"stop": job.stopped, "watch": watch, "ready": ready}
    found = review_game(shown.game, start, actions, agent, **limits)
    return {"type": "review", **written(found, text=True)}


def files(report: ReviewReport, shown: Shown) -> dict[str, str]:
    """The game with its notes, by the end of a file's name, in the formats of its family."""
    if report.start:
        return {}
    saved, found = report.saved(), {}
    for ending in family_of(shown.game).formats:
        try:
            found[ending] = game_files.text(f"game{ending}", saved)
        except InputError:  # a game that such a file cannot hold
            continue
    return found


def opened(catalogue: Catalogue, request: GameFile) -> dict[str, Any]:
    """The game of a file."""
    saved = game_files.parse(request.name, request.text) if request.name else game_files.parse_any(request.text)
    names = catalogue.game(saved.game).names
    moves = [names[action] for action in saved.actions]
    return {"game": saved.game, "moves": moves, "players": list(saved.players), "score": saved.score}
