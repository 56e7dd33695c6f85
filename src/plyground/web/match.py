"""A match that a page watches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import Agent, Limit
from ..arena.statistics import Tally, elo
from ..rules import CHANCE, LONGEST, outcomes
from ..spec import InputError
from .jobs import Job, bounds
from .models import Match
from .shelf import Checked, Shelf
from .view import Shown, number

USUAL_SIMULATIONS = 1_000  # of a move that nobody bounds


def match(job: Job, shelf: Shelf) -> tuple[dict[str, Any], None]:
    """Play games with the seats alternating: the same games as `plyground match` plays with this seed.

    Games come in pairs; both games of a pair have the same draw, if the game has random parts.
    """
    request = job.request
    assert isinstance(request, Match)
    checked = [shelf.agent(text) for text in request.agents]
    both = [agents.make(one.text) for one in checked]
    limits = [in_match(one, request.seconds, job) for one in checked]
    warm_up(shelf.drawn(request.game, request.seed), both, limits)
    results: tuple[list[float], list[float]] = ([], [])  # of the first agent, by its seat

    def report(**more: Any) -> dict[str, Any]:
        return standing(request, results) | {"live": None, "record": None, "done": False} | more

    for game_number in range(request.games):
        pair, first = divmod(game_number, 2)
        shown = shelf.drawn(request.game, request.seed * 1_000_003 + pair)
        seeds = np.random.default_rng([request.seed, pair, game_number]).integers(2**62, size=3)
        for agent, seed in zip(both, seeds, strict=False):
            agent.begin(int(seed))
        seats = [first, 1 - first]
        rng = np.random.default_rng(seeds[2])
        state, last, names = shown.state("", [])[0], list[int](), list[str]()
        while not shown.game.over(state) and not job.stopped():
            if job.due():
                job.tell("match", **report(live=shown.view("", list(names), state, last)))
            if len(names) == LONGEST:
                raise InputError(f"a game has not ended after {LONGEST} moves; run `plyground check` on it")
            player = int(shown.game.player(state))
            if player == CHANCE:
                choices, weights = zip(*outcomes(shown.game, state), strict=True)
                action = int(rng.choice(choices, p=weights))
            else:
                which = seats[player]
                action = both[which].think(shown.game, state, limits[which]).action
            last = shown.play(state, action)
            names.append(shown.names[action])
        if job.stopped():
            break
        score = float(shown.game.score(state))
        results[first].append(score if first == 0 else -score)
        record = {"game": shown.spec, "number": game_number + 1, "first": first, "moves": names, "score": score}
        live = shown.view("", names, state, last) if job.due() else None
        job.tell("match", latest=False, **report(record=record, live=live))
    return {"type": "match", **report(done=True)}, None


def in_match(checked: Checked, seconds: float | None, job: Job) -> Limit:
    """The limit of a move in a match."""
    simulations = USUAL_SIMULATIONS if seconds is None and not checked.bounded else None
    limit = bounds(checked, seconds, None)
    return replace(limit, simulations=simulations or limit.simulations, stop=job.stopped)


def warm_up(shown: Shown, both: list[Agent], limits: list[Limit]) -> None:
    """Let both agents think for a moment, so that what has to be compiled is."""
    state = shown.state("", [])[0]
    rng = np.random.default_rng(0)
    while shown.game.player(state) == CHANCE and not shown.game.over(state):
        shown.game.play(state, int(rng.choice([action for action, _ in outcomes(shown.game, state)])))
    if shown.game.over(state):
        return
    for agent, limit in zip(both, limits, strict=True):
        agent.think(shown.game, state, replace(limit, simulations=1, seconds=0.01))


def standing(request: Match, results: tuple[list[float], list[float]]) -> dict[str, Any]:
    """What the games so far say of the first agent."""
    seats = [Tally(sum(x > 0 for x in some), sum(x == 0 for x in some), sum(x < 0 for x in some)) for some in results]
    one, other = seats
    total = Tally(one.wins + other.wins, one.draws + other.draws, one.losses + other.losses)
    return {
        **counts(total),
        "of": request.games,
        "first": counts(one),
        "second": counts(other),
        "score": total.score,
        "interval": list(total.interval()),
        "elo": number(elo(total.score)),
    }


def counts(tally: Tally) -> dict[str, int]:
    return {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
