"""Tetris: what a net is told about a placement.

    features  the eight of `tetris`, divided by ten, and what the placement scores
    cells     the cells of the well when full rows have vanished, and what the placement scores

What it scores are lines, or hundreds of points in the reference game.
"""

from __future__ import annotations

from typing import NamedTuple

from ...bits import ones
from ...nets.afterstates import Afterstates
from .features import COUNT, FAST, FIELD, Linear, survey
from .rules import LINE_POINTS, Tetris
from .well import well

FEATURES = len(Linear._fields)

gain = Linear.gain  # what the move itself is worth, as a function that `see` can call


class PlacementFeatures(NamedTuple):
    """What a net sees of a placement; see `nets.afterstates.Features`."""

    cells: bool = False
    landing: Linear = Linear(landing_height=1.0)
    eroded: Linear = Linear(eroded_cells=1.0)

    def room(features, game):
        return Linear().room(game)

    def numbers(features, game):
        """How many numbers there are about an action."""
        return 1 + (game.cols * well(game) if features.cells else FEATURES)

    def see(features, game, state, action, after, room, out):
        """Write what there is to know about an action, after which the state is `after`."""
        high = well(game)
        if features.cells:
            for col in range(game.cols):
                for row in range(high):
                    out[col * high + row] = after.columns[col] >> row & 1
        else:
            survey(game, after, room)
            count = room.counts[game.cols]
            out[0] = gain(features.landing, game, state, action) / 10
            out[1] = gain(features.eroded, game, state, action) / 10
            for k in range(5):
                out[2 + k] = (count >> k * FIELD & COUNT) / 10
            out[7] = ones(room.hollow[0, game.cols]) / 10
        gained = game.score(after) - game.score(state)
        out[out.size - 1] = gained / LINE_POINTS if game.reference else gained


def afterstates(game: Tetris) -> Afterstates:
    """How placements look to nets and to linear controllers."""
    return Afterstates(
        features={"features": PlacementFeatures(), "cells": PlacementFeatures(cells=True)},
        unit=LINE_POINTS if game.reference else 1.0,
        end_is_loss=True,
        counts="lines",
        controller=lambda weights: Linear(*weights.tolist()),
        weights=FEATURES,
        fast=FAST,
    )
