"""Looks one or two moves ahead in a game of one player, and goes by what a scoring says of the moves.

One move ahead an action is worth what the scoring rates it.  Two moves ahead it is worth what remains of that when the
search looks beyond it (`gain`), and the rating of the best action after it: the mean over what chance may bring in
between.  An action that ends the game keeps its rating.  Among equals the first of the legal actions is chosen.

The argument `deep` is True for two moves, else None, which takes the code away before it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import heartbeat
from ...jit.first_use import first_use
from ...rules import CHANCE, dtype, inner, kernel, let_kernels_call, new, record
from ..rng import outcome, seeded

SLICE = 1_000_000  # actions that are looked at between two looks at the clock, roughly


class LookaheadScoring:
    """What this search asks of a scoring."""

    def room(scoring, game):
        """The fields of a record in which `rate` may keep what it needs; asked outside kernels."""

    def rate(scoring, game, state, actions, count, points, room):
        """Write what each of these actions is worth into `points`."""

    def gain(scoring, game, state, action):
        """What remains of the worth of an action when the search looks beyond it."""


let_kernels_call("rate", LookaheadScoring.rate)
let_kernels_call("gain", LookaheadScoring.gain)


def workspace_type(game: Any, scoring: Any) -> np.dtype:
    """The record that a search works in: everything but the states."""
    actions = game.actions()
    return record(
        [
            ("rng", np.uint64),
            ("moves", np.int16, (actions,)),  # room for chance outcomes, and for their weights
            ("weights", np.float64, (actions,)),
            ("actions", np.int16, (2, actions)),  # those that are judged, and those after them
            ("points", np.float64, (2, actions)),
            ("room", record(scoring.room(game))),
            ("looked", np.int64),  # actions that were rated
        ]
    )


@inner
def rated(game, scoring, workspace, state, ahead):
    """Write the actions of a state and what they are worth into the workspace; return how many there are."""
    count = game.legal(state, workspace.actions[ahead])
    scoring.rate(game, state, workspace.actions[ahead], count, workspace.points[ahead], workspace.room)
    workspace.looked += count
    return count


@inner
def beyond(game, scoring, workspace, states, action):
    """What an action in states[0] is worth after the best reply to each of its chance outcomes."""
    count = game.chance(states[1], workspace.moves, workspace.weights)
    mean = scoring.gain(game, states[0], action)
    for i in range(count):
        states[2] = states[1]
        game.play(states[2], np.int64(workspace.moves[i]))
        best = -np.inf
        for k in range(rated(game, scoring, workspace, states[2], 1)):
            best = max(best, workspace.points[1, k])
        mean += workspace.weights[i] * best
    return mean


@inner
def judged(game, scoring, workspace, states, deep):
    """Write the actions in states[0] and what they are worth into the workspace; return how many there are."""
    count = rated(game, scoring, workspace, states[0], 0)
    if deep is not None:
        for i in range(count):
            action = np.int64(workspace.actions[0, i])
            states[1] = states[0]
            game.play(states[1], action)
            if not game.over(states[1]):
                workspace.points[0, i] = beyond(game, scoring, workspace, states, action)
    return count


@kernel
def judge(game, scoring, workspaces, states, deep):
    """Judge the actions in states[0], if there is a state; return how many there are.

    workspaces workspace_type[1]; states [3], or none: the first is judged, the others are to work in.
    """
    return judged(game, scoring, workspaces[0], states, deep) if states.size > 0 else 0


@kernel
def rate_all(game, scoring, workspaces, states):
    """Rate the actions of each of these states.

    workspaces workspace_type[1]; states [n].
    """
    for i in range(states.size):
        rated(game, scoring, workspaces[0], states[i], 0)


@kernel
def play(game, scoring, workspaces, states, moves, looks, deep):
    """Play on from states[0] until the game is over, for so many moves, or until so many actions were looked at.

    Return how many moves were played.

    scoring: as `rate` tells; workspaces workspace_type[1]; states [3]: the first is played on from, the others are to
    work in; moves, looks: the most of them.
    """
    workspace = workspaces[0]
    begun = workspace.looked
    for played in range(moves):
        while not game.over(states[0]) and game.player(states[0]) == CHANCE:
            game.play(states[0], outcome(game, states[0], workspace))
        if game.over(states[0]) or workspace.looked - begun >= looks:
            return played
        count = judged(game, scoring, workspace, states, deep)
        best = 0
        for i in range(1, count):
            if workspace.points[0, i] > workspace.points[0, best]:
                best = i
        game.play(states[0], np.int64(workspace.actions[0, best]))
    return moves


class Lookahead:
    """The search for one game and scoring, and games that are played by it."""

    def __init__(self, game: Any, scoring: Any, depth: int = 1, seed: int = 0) -> None:
        self.game, self.scoring = game, scoring
        self.deep = True if depth == 2 else None
        self.workspaces, self.states = np.zeros(1, workspace_type(game, scoring)), np.zeros(3, dtype(game))
        self._ready = False
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self.workspaces["rng"] = seeded(seed)

    @property
    def looked(self) -> int:
        """How many actions were rated so far."""
        return int(self.workspaces["looked"][0])

    def ready(self) -> None:
        """Compile what judges, which the first decision would else wait for."""
        with first_use():
            judge(self.game, self.scoring, self.workspaces, self.states[:0], self.deep)
        self._ready = True

    def judge(self, state: Any) -> list[tuple[int, float]]:
        """The legal actions of a state with their worth."""
        self.states[0] = state
        if not self._ready:
            self.ready()
        count = judge(self.game, self.scoring, self.workspaces, self.states, self.deep)
        workspace: Any = self.workspaces[0]
        return list(zip(workspace.actions[0, :count].tolist(), workspace.points[0, :count].tolist(), strict=True))

    def rate_all(self, states: np.ndarray) -> None:
        """Rate the actions of each of these states, and forget them: what benchmarks measure."""
        with first_use(level=3):
            rate_all(self.game, self.scoring, self.workspaces, states[:0])
        rate_all(self.game, self.scoring, self.workspaces, states)

    @heartbeat.expected()
    def play(self, moves: int, watch: Callable[[Any, int], None] | None = None) -> tuple[Any, int]:
        """Play a game, at most so many moves; return its last state and how many moves there were.

        `watch` is told both now and then, and may end the game by raising.
        """
        self.states[0] = new(self.game)
        fixed = self.game, self.scoring, self.workspaces, self.states
        with first_use(level=3):  # no move
            play(*fixed, 0, SLICE, self.deep)
        played = 0
        while played < moves and not self.game.over(self.states[0]):
            played += play(*fixed, moves - played, SLICE, self.deep)
            heartbeat.beat()
            if watch:
                watch(self.states[0], played)
        return self.states[0].copy(), played
