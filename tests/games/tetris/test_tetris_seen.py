"""What nets are told of placements, which one they take, and how their lines are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from learn.wells import REFERENCE, SMALL, on_the_way
from plyground import games, rules
from plyground.agents.linear import play_games
from plyground.games.tetris.features import BCTS, LOST
from plyground.games.tetris.placements import FEATURES
from plyground.learn.one_player import best, play_at_once
from plyground.nets.afterstates import AfterstateEncoder, Successors
from plyground.search.depth_first.lookahead import Lookahead


@pytest.mark.parametrize("name", [SMALL, REFERENCE])
def test_features_are_those_by_which_the_controllers_rate(name: str) -> None:
    game = games.make(name)
    states, search = on_the_way(game, 60), Lookahead(game, BCTS)
    seen = AfterstateEncoder(game, "features")(states)
    gained = 0.0
    for number, state in enumerate(states):
        here = seen.owners == number
        judged = search.judge(state)
        assert seen.actions[here].tolist() == [action for action, _ in judged]
        for row, lost, (action, points) in zip(seen.inputs[here], seen.lost[here], judged, strict=True):
            after = rules.after(game, state, action)
            assert lost == game.over(after) == (points == LOST)
            if not lost:
                assert 10 * row[:FEATURES] @ np.array(BCTS) == pytest.approx(points, rel=1e-4)
            assert row[-1] == pytest.approx((game.score(after) - game.score(state)) / (100 if game.reference else 1))
            gained += float(row[-1])
    assert gained > 0 and seen.lost.any()


def test_cells_are_those_of_the_well_when_full_rows_have_vanished() -> None:
    game = games.make(SMALL)
    state = game.read("####../.####. i")
    seen = AfterstateEncoder(game, "cells")(np.array([state]))
    row = seen.inputs[seen.actions.tolist().index(7 + 6 + 5)]  # upright, in the last column: no row is full
    cells = row[:-1].reshape(6, 12)
    assert cells.sum() == 12 and cells[5].tolist() == [1, 1, 1, 1] + [0] * 8 and row[-1] == 0
    state = game.read("####../####.. o")
    seen = AfterstateEncoder(game, "cells")(np.array([state]))
    row = seen.inputs[seen.actions.tolist().index(7 + 4)]
    assert row.tolist() == [0.0] * 72 + [2.0]


def test_the_best_is_the_first_of_equals_and_ends_the_game_only_if_it_must() -> None:
    lost = np.array([0, 0, 1, 0, 1, 1, 1], bool)
    seen = Successors(np.zeros((7, 9), np.float32), np.array([0, 0, 0, 0, 1, 1, 2]), np.arange(7), lost, lost)
    assert best(seen, np.array([1, 2, 9, 2, 3, 5, -np.inf])).tolist() == [1, 5, 6]
    assert seen.sensible.tolist() == [True, True, False, True, True, True, True]


def test_lines_are_counted_as_whole_games_in_the_kernel_count_them() -> None:
    """Other pieces, the same controller: the means agree within their errors, and the limit ends games."""
    game = games.make('tetris(6,6,"simplified")')
    encoder, weights = AfterstateEncoder(game, "features"), np.array([*BCTS, 0])
    ours = play_at_once(encoder, lambda inputs: inputs @ weights, 400, 10_000, 1)
    theirs = play_games(game, BCTS, 400, 10_000, 2)
    one, other = ours.states["lines"], theirs.states["lines"]
    apart = 1.96 * math.hypot(one.std() / 20, other.std() / 20)
    assert abs(one.mean() - other.mean()) < 1.6 * apart and one.mean() > 5
    assert (ours.scores == one).all() and ours.ended.all() and theirs.ended.all()
    left = 4 * ours.moves - 6 * one  # cells in the well; a game ends when a piece sticks out of six rows
    assert (left > 6).all() and (left < 36 + 4).all()
    short = play_at_once(encoder, lambda inputs: inputs @ weights, 20, 12, 1)
    assert short.scores.max() <= 8 and short.ended.mean() < 0.5  # 48 cells


def test_points_are_counted_in_the_reference_game() -> None:
    game = games.make(REFERENCE)
    weights = np.array([*BCTS, 0])
    played = play_at_once(AfterstateEncoder(game, "features"), lambda inputs: inputs @ weights, 10, 30, 1)
    assert not played.ended.any() and (played.scores > 100 * played.states["lines"]).all()
