"""The agents `linear-tetris`, `dellacherie` and `bcts`: they place pieces by features, one or two pieces ahead."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...agents.base import Agent, Limit, Move, Thought
from ...agents.tree_search import same
from ...search.depth_first.lookahead import Lookahead
from ...spec import About, InputError
from .features import BCTS, DELLACHERIE, Linear
from .rules import Tetris

Weight = Annotated[float, About("weight of this feature", low=-1e6, high=1e6)]
Depth = Annotated[int, About("pieces to look ahead: the one to place, or the one after it, too", low=1, high=2)]


class Controller(Agent):
    """What they share.  The same position always gets the same answer."""

    depth: int

    def __post_init__(self) -> None:
        self._search: Lookahead | None = None

    def scoring(self) -> Linear:
        """What placements are worth to it."""
        raise TypeError(f"{type(self).__name__} has no weights")

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_tetris(game)

    def ready(self, game: Any) -> None:
        self.play_alone(game, 0, 1)  # whole games have a kernel of their own

    def play_alone(self, game: Any, seed: int, moves: int) -> tuple[Any, int]:
        """Play a game without Python between the moves; return its last state and how many moves there were."""
        self.must_play(game)
        return Lookahead(game, self.scoring(), self.depth, seed).play(moves)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        if self._search is None or not same(self._search.game, game):
            self._search = Lookahead(game, self.scoring(), self.depth)
            self._search.ready()
        search = self._search
        before, begun = search.looked, time.perf_counter()
        moves = sorted((Move(action, 0, points) for action, points in search.judge(state)), key=lambda m: -m.value)
        seconds = time.perf_counter() - begun
        return Thought(moves[0].action, moves[0].value, search.looked - before, seconds, moves, [moves[0].action])


@dataclass
class LinearTetris(Controller):
    """Tetris by features of a placement, times weights that you give."""

    landing_height: Weight = DELLACHERIE.landing_height
    eroded_cells: Weight = DELLACHERIE.eroded_cells
    row_transitions: Weight = DELLACHERIE.row_transitions
    column_transitions: Weight = DELLACHERIE.column_transitions
    holes: Weight = DELLACHERIE.holes
    wells: Weight = DELLACHERIE.wells
    hole_depth: Weight = DELLACHERIE.hole_depth
    hole_rows: Weight = DELLACHERIE.hole_rows
    depth: Depth = 1

    def scoring(self) -> Linear:
        return Linear(*(getattr(self, name) for name in Linear._fields))


@dataclass
class Dellacherie(Controller):
    """Tetris by Dellacherie's six features and the weights that he found by hand."""

    depth: Depth = 1

    def scoring(self) -> Linear:
        return DELLACHERIE


@dataclass
class BuildingControllers(Controller):
    """Tetris by the eight features and weights of BCTS (Thiery and Scherrer, 2009)."""

    depth: Depth = 1

    def scoring(self) -> Linear:
        return BCTS


class Games(NamedTuple):
    """Games that were played: an entry each."""

    lines: np.ndarray
    scores: np.ndarray
    pieces: np.ndarray
    lost: np.ndarray  # else it was ended by the limit


def play_games(
    game: Any,
    scoring: Linear,
    games: int,
    pieces: int,
    seed: int = 0,
    depth: int = 1,
    watch: Callable[[Any, int], None] | None = None,
) -> Games:
    """Play games of at most so many pieces; a game's pieces depend on the seed and its number alone.

    `watch` is told the state and the number of pieces now and then, and may end it by raising.
    """
    must_be_tetris(game)
    search = Lookahead(game, scoring, depth)
    found = Games(np.zeros(games, np.int64), np.zeros(games), np.zeros(games, np.int64), np.zeros(games, bool))
    for number in range(games):
        search.seed(seed * 1_000_003 + number)
        state, found.pieces[number] = search.play(pieces, watch)
        found.lines[number], found.scores[number], found.lost[number] = state.lines, game.score(state), game.over(state)
    return found


def must_be_tetris(game: Any) -> None:
    """InputError for any other game."""
    if not isinstance(game, Tetris):
        raise InputError("this agent plays tetris and no other game")
