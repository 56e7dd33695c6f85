"""Tetris: what a net is told about a placement.

    features  the eight of `tetris`, divided by ten, and what the placement scores
    cells     the cells of the well when full rows have vanished, and what the placement scores

What it scores are lines, or hundreds of points in the reference game.  Kernels look at all placements of many states,
one row of numbers each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...bits import ones
from ...jit.first_use import first_use
from ...nets.files import Card
from ...rules import dtype, kernel, let_kernels_call, record
from ...search.mcts.batched_single_player import Settings
from ...spec import InputError
from .features import COUNT, FIELD, Linear, survey
from .rules import LINE_POINTS, PIECES, Tetris
from .well import well

FEATURES = len(Linear._fields)

gain = Linear.gain  # what the move itself is worth, as a function that `see` can call


class Sight(NamedTuple):
    cells: bool = False
    landing: Linear = Linear(landing_height=1.0)
    eroded: Linear = Linear(eroded_cells=1.0)

    def room(sight, game):
        return Linear().room(game)

    def numbers(sight, game):
        """How many numbers there are about an action."""
        return 1 + (game.cols * well(game) if sight.cells else FEATURES)

    def see(sight, game, state, action, after, room, out):
        """Write what there is to know about an action, after which the state is `after`."""
        high = well(game)
        if sight.cells:
            for col in range(game.cols):
                for row in range(high):
                    out[col * high + row] = after.columns[col] >> row & 1
        else:
            survey(game, after, room)
            count = room.counts[game.cols]
            out[0] = gain(sight.landing, game, state, action) / 10
            out[1] = gain(sight.eroded, game, state, action) / 10
            for k in range(5):
                out[2 + k] = (count >> k * FIELD & COUNT) / 10
            out[7] = ones(room.hollow[0, game.cols]) / 10
        gained = game.score(after) - game.score(state)
        out[out.size - 1] = gained / LINE_POINTS if game.reference else gained


let_kernels_call("see", Sight.see)


@kernel
def see_all(game, sight, states, after, work, inputs, owners, actions, lost):
    """Look at all placements in these states; return how many there are.

    after: room for a state; work: room, too.  inputs float32[n, numbers]; owners int64[n]: whose placement it is;
    actions int64[n]; lost bool[n]: it ends the game.
    """
    count = 0
    for i in range(states.size):
        for k in range(game.legal(states[i], work[0].moves)):
            action = np.int64(work[0].moves[k])
            after[0] = states[i]
            game.play(after[0], action)
            sight.see(game, states[i], action, after[0], work[0].room, inputs[count])
            owners[count], actions[count], lost[count] = i, action, game.over(after[0])
            count += 1
    return count


@kernel
def draw_all(game, states, work, futures, owners, weights):
    """Write what chance may make of each state, whose future it is, and how likely; return how many there are."""
    count = 0
    for i in range(states.size):
        for k in range(game.chance(states[i], work[0].moves, work[0].weights)):
            futures[count] = states[i]
            game.play(futures[count], np.int64(work[0].moves[k]))
            owners[count], weights[count] = i, work[0].weights[k]
            count += 1
    return count


class Seen(NamedTuple):
    """All placements of some states, those of a state together."""

    inputs: np.ndarray  # float32[n, numbers]
    owners: np.ndarray  # int64[n]: the state's number
    actions: np.ndarray  # int64[n]
    lost: np.ndarray  # bool[n]: the game is over then

    @property
    def starts(self) -> np.ndarray:
        """Where the placements of each state begin; every state has some."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    @property
    def sensible(self) -> np.ndarray:
        """bool[n]: it does not end the game, or all placements of its state do."""
        safe = np.logical_or.reduceat(~self.lost, self.starts)
        return ~self.lost | ~safe[self.owners]


class Eyes:
    """Looks at states of one game."""

    def __init__(self, game: Any, input: str) -> None:
        if not isinstance(game, Tetris):
            raise InputError("placements are rated in tetris and in no other game")
        self.game, self.sight = game, Sight(input == "cells")
        self.numbers = self.sight.numbers(game)
        fields = [("moves", np.int16, (game.actions(),)), ("weights", np.float64, (game.actions(),))]
        self._work = np.zeros(1, record([*fields, ("room", record(self.sight.room(game)))]))
        self._after = np.zeros(1, dtype(game))
        with first_use():  # no state
            self(self._after[:0])
            self.futures(self._after[:0])

    def __call__(self, states: np.ndarray) -> Seen:
        """The placements in states in which a piece is to be placed."""
        room = len(states) * 4 * self.game.cols
        inputs = np.zeros((room, self.numbers), np.float32)
        owners, actions, lost = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room, np.bool_)
        found = see_all(self.game, self.sight, states, self._after, self._work, inputs, owners, actions, lost)
        return Seen(inputs[:found], owners[:found], actions[:found], lost[:found])

    def futures(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What chance may make of states in which it draws: states, the number of whose future each is, how likely."""
        room = len(states) * PIECES
        futures, owners, weights = np.zeros(room, dtype(self.game)), np.zeros(room, np.int64), np.zeros(room)
        found = draw_all(self.game, states, self._work, futures, owners, weights)
        return futures[:found], owners[:found], weights[:found]


def eyes(card: Card, game: Any) -> Eyes:
    """Those of a net that rates placements; InputError unless it fits the game."""
    if card.kind != "placements":
        raise InputError(f"the net of {card.game} does not rate placements of Tetris")
    made = Eyes(game, card.input)
    if card.sizes[0] != made.numbers or card.sizes[-1] != (2 if card.output == "policy-value" else 1):
        raise InputError(
            f"the net of {card.game} is for another well: it takes {card.sizes[0]} numbers about a placement"
        )
    return made


def search_settings(game: Any, returns: list[float], c: float, soften: float, rollout: float) -> Settings:
    """Those of a search by a net that has learnt such returns: see `Card.returns`."""
    gamma, alive, point = returns
    return Settings(
        c, soften, gamma, alive, point / LINE_POINTS if game.reference else point, rollout, end_is_loss=True
    )
