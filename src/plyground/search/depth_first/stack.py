"""What depth-first searches work in: a context, a workspace, a stack of frames; and values with their distance.

Values are for player 0.  A game won after `ply` moves is worth WIN - ply, a lost one the opposite, so that
a search wins fast and loses slowly.  Any other score s is worth s * WIN, and a chance event the mean of its
outcomes; neither reaches PROVEN, and a guess stays far below.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...rules import inner, record
from ..workspace import position_type
from .hashing import images_type, with_words

WIN = 1_000_000.0  # value of a win at once
DEEPEST = 1_000  # plies that a search looks ahead
PROVEN = WIN - 2 * DEEPEST  # from here on a value is a proven win: WIN less the plies to it


class Context(NamedTuple):
    """What a search is told and what it remembers.  A field that may be None switches a part of the search on.

    The function that does such a part is handed the field as its first argument: what stands under `if argument is
    not None` is then left out before it is compiled.  No field may have the name of a rule, which kernels would take
    it for.
    """

    game: Any
    scoring: Any
    table: Any = None  # (entries,) table.ENTRY: the transposition table
    mirrors: Any = None  # True: mirror images are one position
    nature: Any = None  # True: the game has chance events
    threats: Any = None  # True: the game lists its `wins`; they are taken and answered
    hopes: Any = None  # True: the rule `hope` is asked who may still win
    order: Any = None  # True: promising moves are looked at first


def workspace_type(game: Any) -> np.dtype:
    """What a search changes, but for its table."""
    return record(
        [
            ("stack", frame_type(game), (DEEPEST + 2,)),  # by ply
            ("nodes", np.int64),  # so far
            ("limit", np.int64),  # of nodes
            ("stop", np.bool_),  # shall the search end here?
            ("hard", np.bool_),  # is it fail-hard?
            ("history", np.float64, (2, game.actions())),  # by player: squared depths at which an action refuted
            ("images", images_type(game)),  # what the keys of mirror images are taken with
        ]
    )


def frame_type(game: Any) -> np.dtype:
    """One ply of a search."""
    actions = game.actions()
    return with_words(
        game,
        [
            ("position", position_type(game)),
            ("key", np.uint64, (2,)),  # of the position, and the symmetry that gives it
            ("image", np.int64),
            ("moves", np.int16, (actions,)),
            ("points", np.float64, (actions,)),  # a chance event's weights, or what move ordering expects of a move
            ("killers", np.int16, (2,)),  # moves that refuted a sibling of this position
            ("best", np.int16),  # the best move known here: the table's, then what is found; -1: none
            ("open", np.bool_),  # has a guess entered the value?
        ],
    )


@inner
def enter(workspace, frame):
    """Count a node, and begin its frame anew."""
    workspace.nodes += 1
    if workspace.nodes >= workspace.limit:
        workspace.stop = True
    frame.open = False
    frame.best = -1


@inner
def advance(game, stack, ply, action):
    """Play an action of the state in stack[ply] on a copy in stack[ply + 1]; return the position there."""
    following = stack[ply + 1]
    following.position = stack[ply].position
    game.play(following.position.state, action)
    return following.position


@inner
def ended(game, state, ply):
    """The value of a state in which the game is over."""
    score = game.score(state)
    if abs(score) == 1:
        return score * (WIN - ply)
    return unproven(score * WIN)


@inner
def unproven(value):
    """A value that is not certain to be won or lost, kept apart from those that are."""
    return min(max(value, 1 - PROVEN), PROVEN - 1)


@inner
def averaged(mean, worst, best):
    """The value of a chance event: a mean is proven only if all outcomes are."""
    return mean if worst >= PROVEN or best <= -PROVEN else unproven(mean)


def distance(value: float) -> int | None:
    """Plies to the end, if the value is proven."""
    return round(WIN - abs(value)) if PROVEN <= abs(value) <= WIN else None
