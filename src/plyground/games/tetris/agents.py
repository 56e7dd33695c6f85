"""The agents `linear-tetris`, `dellacherie` and `bcts`: they place pieces by features, one or two pieces ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ...agents.linear import Controller
from ...spec import About, InputError
from .features import BCTS, DELLACHERIE, Linear
from .rules import Tetris

Weight = Annotated[float, About("weight of this feature", low=-1e6, high=1e6)]
Depth = Annotated[int, About("pieces to look ahead: the one to place, or the one after it, too", low=1, high=2)]


class TetrisController(Controller):
    """What they share."""

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, Tetris):
            raise InputError("this agent plays tetris and no other game")


@dataclass
class LinearTetris(TetrisController):
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

    def scoring(self, game: Any) -> Linear:
        return Linear(*(getattr(self, name) for name in Linear._fields))


@dataclass
class Dellacherie(TetrisController):
    """Tetris by Dellacherie's six features and the weights that he found by hand."""

    depth: Depth = 1

    def scoring(self, game: Any) -> Linear:
        return DELLACHERIE


@dataclass
class BuildingControllers(TetrisController):
    """Tetris by the eight features and weights of BCTS (Thiery and Scherrer, 2009)."""

    depth: Depth = 1

    def scoring(self, game: Any) -> Linear:
        return BCTS


def opponent(game: Any) -> str:
    """The agent that a person watches: the strongest of these."""
    return "bcts"
