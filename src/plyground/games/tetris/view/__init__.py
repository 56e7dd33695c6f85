"""Tetris on the page: a well that is played by keys.  Its script has all figures from the rules, by one request."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field

from ....manifest import View
from ..rules import DROP_POINTS, LINE_POINTS, LINES_A_LEVEL, Tetris, interval
from ..tetrominoes import BOXES, LETTERS, cells
from ..well import HIDDEN, KICKS, spawn

LEVELS = 60  # whose fall is told; from there on a row takes less than half of a frame


class Figures(BaseModel):
    """The rules of Tetris by keys.  Rows and columns of a piece's cells are counted in its box, from the top left."""

    cols: int
    rows: int = Field(description="without the hidden ones on top")
    hidden: int
    reference: bool = Field(description="else simplified")
    bag: bool = Field(description="all seven pieces come in turn, shuffled; else each is as likely")
    letters: str = Field(description="of the pieces, in their order")
    cells: list[list[list[tuple[int, int]]]] = Field(description="by piece and by turns to the right")
    spawn: list[tuple[int, int]] = Field(description="by piece, where its box appears: row and column")
    kicks: list[int] = Field(description="columns by which a piece that turns is moved, the first that fits the walls")
    line_points: int
    drop_points: int
    lines_a_level: int
    intervals: list[float] = Field(description="by level from 1 on, the seconds of a fall by one row")


def figures(game: Tetris) -> Figures:
    """What a page needs to play this well by keys.

    In the simplified game a piece appears above the well, such that it can turn and move there as it likes.
    """
    return Figures(
        cols=game.cols,
        rows=game.rows,
        hidden=HIDDEN,
        reference=game.reference,
        bag=game.seven,
        letters=LETTERS,
        cells=[[cells(piece, turn) for turn in range(4)] for piece in range(len(LETTERS))],
        spawn=[(0 if game.reference else HIDDEN - len(box), spawn(game, piece)) for piece, box in enumerate(BOXES)],
        kicks=list(KICKS),
        line_points=LINE_POINTS,
        drop_points=DROP_POINTS,
        lines_a_level=LINES_A_LEVEL,
        intervals=[interval(level * LINES_A_LEVEL) for level in range(LEVELS)],
    )


VIEW = View(
    name="tetris",
    title="Tetris",
    static=Path(__file__).parent / "static",
    script="view.js",
    styles=("view.css",),
    requests={"figures": figures},
    net_agent="afterstate-net",
)
