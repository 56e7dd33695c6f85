"""A single game between two agents, by the rules."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import heartbeat
from ..agents.base import Agent, Forfeit, Limit
from ..rules import CHANCE, LONGEST, drawn_outcome, new
from ..spec import InputError


class Game(NamedTuple):
    """A game as the rules saw it: seconds, longest and moves are those of the players."""

    actions: list[int]
    score: float  # for player 0
    seconds: tuple[float, float]
    longest: tuple[float, float]
    moves: tuple[int, int]
    reason: str = ""  # why the loser had to give the game up, if the rules did not end it


@heartbeat.expected()
def play_game(
    game: Any,
    players: tuple[Agent, Agent],
    rng: np.random.Generator,
    opening: list[int],
    limits: tuple[Limit, Limit] = (Limit(), Limit()),
    watch: Callable[[Any, int], None] | None = None,
) -> Game:
    """Play one game by the rules; `watch` is told every state with what is played there, and ends it by raising.

    An agent that forfeits has lost.
    """
    state = new(game)
    actions: list[int] = []
    thoughts: tuple[list[float], list[float]] = [], []  # seconds of the moves of either player
    lost, reason = 0, ""  # by whom, if the rules do not end the game, and why
    while not game.over(state):
        if len(actions) == LONGEST:
            raise InputError(f"the game has not ended after {LONGEST} moves; run `plyground check` on it")
        player = int(game.player(state))
        if len(actions) < len(opening):
            action = opening[len(actions)]
        elif player == CHANCE:
            action = drawn_outcome(game, state, rng)
        else:
            begun = time.perf_counter()
            try:
                action = players[player].think(game, state, limits[player]).action
            except Forfeit as forfeit:
                lost, reason = player, str(forfeit) or "it gave up"
                break
            finally:
                thoughts[player].append(time.perf_counter() - begun)
        if watch:
            watch(state, action)
        game.play(state, action)
        actions.append(action)
        heartbeat.beat()
    first, second = thoughts
    longest = max(first, default=0.0), max(second, default=0.0)
    score = (2.0 * lost - 1.0) if reason else float(game.score(state))
    return Game(actions, score, (sum(first), sum(second)), longest, (len(first), len(second)), reason)
