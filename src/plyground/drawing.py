"""Positions of any game as pictures: what its board looks like, and the board as SVG.

A game that answers the rules `board`, `cells` and `where` says itself how it looks.  Of a game in which an action
is a cell of its encoded planes, the cells are read from those.  Any other has no picture, but its text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from . import boards
from .rules import CHANCE, SHAPES, gives, new
from .spec import InputError

MOST_CELLS = 10_000  # of a board that is drawn
U = 40.0  # the side of a cell; lengths are in these units
RIM = 26.0  # around the board, for the labels
WIDEST = 420  # pixels of a picture
INK, DIM, EDGE, CARD = "#1c2228", "#757b82", "#d5d1c7", "#ffffff"
PLAYERS = ("#2d6097", "#d2583a")
STONES = {"Black": ("#23272c", "#23272c"), "White": ("#fdfcf9", "#a89877")}  # the filling and the edge of discs
GOOD, BAD, EVEN = "#14916c", "#c2446a", "#b98a1d"
BLOCKS = ("#38a8c4", "#dcae2c", "#8c62b8", "#57a04c", "#cb4f47", "#3f6fc0", "#dd8638", "#d26e9b", "#8b929a")


class Drawn:
    """How a game looks, with what has to be found out only once."""

    def __init__(self, game: Any) -> None:
        self.game = game

    @cached_property
    def names(self) -> list[str]:
        """What people call the actions."""
        return [str(self.game.name(action)) for action in range(int(self.game.actions()))]

    @cached_property
    def how(self) -> str:
        """How the cells are known: by the game's own rules, from its planes, or not."""
        if gives(self.game, "board", "cells", "where"):
            return "rules"
        return "planes" if boards.in_planes(self.game) and len(self.names) <= MOST_CELLS else ""

    @cached_property
    def board(self) -> dict[str, Any]:
        """Shape, size and labels of the board."""
        made: dict[str, Any] = {"shape": "text", "rows": 0, "cols": 0}
        if self.how == "rules":
            made = dict(self.game.board())
        elif self.how == "planes":
            made = boards.board_of_planes(self.game)
        rows, cols = int(made["rows"]), int(made["cols"])
        if (self.how and made["shape"] not in SHAPES) or not 0 <= rows * cols <= MOST_CELLS:
            raise InputError(f"a board of shape {made['shape']!r} with {rows} rows and {cols} columns cannot be drawn")
        start = new(self.game)
        columns, row_labels = boards.labels(self.names, rows, cols, lambda action: self._where(start, action))
        row_labels = (boards.numbers(self.names, rows * cols, cols) if self.how else []) or row_labels
        return {"columns": columns, "row_labels": row_labels} | made | {"rows": rows, "cols": cols}

    def cells(self, state: Any) -> list[int]:
        """What lies on each cell: 0 nothing, 1 and 2 stones, 3 used up, -1 no cell; in a well 1 to 9 are colours."""
        found: list[int] = []
        if self.how == "rules":
            found = [int(cell) for cell in self.game.cells(state)]
        elif self.how == "planes":
            found = boards.cells_of_planes(self.game, state)
        if len(found) != self.board["rows"] * self.board["cols"]:
            raise InputError(f"the rule cells gives {len(found)} cells for a board of another size")
        return found

    def glyphs(self, state: Any) -> list[str]:
        """The text on each cell; an empty list in a game that writes none."""
        found = list(self.game.glyphs(state)) if self.how == "rules" and gives(self.game, "glyphs") else []
        if found and (len(found) != len(self.cells(state)) or not all(isinstance(one, str) for one in found)):
            raise InputError("the rule glyphs does not give a text for each cell of the board")
        return found

    def where(self, state: Any, action: int) -> list[int]:
        """The cells that an action concerns; a chance event concerns none."""
        return [] if self.game.player(state) == CHANCE else self._where(state, action)

    def _where(self, state: Any, action: int) -> list[int]:
        if self.how == "rules":
            return [int(cell) for cell in self.game.where(state, action)]
        return [action] if self.how else []

    def row(self, state: Any) -> list[int]:
        """The cells that make the win, in a game that is over."""
        return [int(cell) for cell in self.game.row(state)] if self.game.over(state) and gives(self.game, "row") else []

    # --- SVG ---

    @cached_property
    def falls(self) -> bool:
        """Do stones fall?  They do if moves are called by the columns alone."""
        columns = set(self.board["columns"]) - {""}
        return self.board["shape"] == "cells" and bool(columns) and columns.issuperset(self.names)

    def svg(self, state: Any, last: Iterable[int] = (), marks: Mapping[int, Mark] | None = None) -> str | None:
        """The board as SVG, each cell with its number as `data-cell`; None if the game has none.

        last: cells of the last move.  marks: what is said of a cell.
        """
        if not self.how:
            return None
        layout = Layout(self.board, self.cells(state), self.falls, self.glyphs(state))
        rings = [layout.ring(cell, EVEN) for cell in last] + [layout.ring(cell, GOOD) for cell in self.row(state)]
        said = [layout.mark(cell, mark) for cell, mark in (marks or {}).items()]
        return layout.picture([*rings, *said], self.game.text(state))


class Mark(NamedTuple):
    """What is said of a cell: a disc, as large as its weight, with a text."""

    text: str
    colour: str
    weight: float = 1.0  # 0 to 1
    best: bool = False


class Layout:
    """Where the cells of a board lie, and what they look like."""

    def __init__(self, board: dict[str, Any], cells: list[int], falls: bool, glyphs: list[str]) -> None:
        self.board, self.cells, self.falls, self.glyphs = board, cells, falls, glyphs or [""] * len(cells)
        self.shape, self.cols = board["shape"], board["cols"]
        self.hexagons = self.shape == "hexagons"
        named = board.get("sides") or (("Black", "White") if self.shape == "intersections" else ())
        tinted = self.shape in ("cells", "intersections")
        self.stones = [STONES[name] for name in named if tinted and name in STONES]  # [] if the sides are no colours
        self.there = [cell for cell, value in enumerate(cells) if value != -1]
        raw = [self._raw(cell) for cell in self.there]
        self.left, self.top = min(x for x, _ in raw), min(y for _, y in raw)
        self.width = max(x for x, _ in raw) - self.left + U
        self.height = max(y for _, y in raw) - self.top + (U * 2 / math.sqrt(3) if self.hexagons else U)

    def _raw(self, cell: int) -> tuple[float, float]:
        row, col = divmod(cell, self.cols)
        return ((col + row % 2 / 2) * U, row * U * math.sqrt(3) / 2) if self.hexagons else (col * U, row * U)

    def at(self, cell: int) -> tuple[float, float]:
        """The middle of a cell."""
        x, y = self._raw(cell)
        return RIM + U / 2 + x - self.left, RIM + (U / math.sqrt(3) if self.hexagons else U / 2) + y - self.top

    def picture(self, over: list[str], title: str) -> str:
        """The whole board, and these drawings over it."""
        wide, high = self.width + 2 * RIM, self.height + 2 * RIM
        pixels = min(WIDEST / wide, WIDEST / high, 1.0)
        parts = [*self._ground(), *map(self._cell, self.there), *self._labels(), *over]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide * pixels:.0f}" '
            f'height="{high * pixels:.0f}" role="img" font-family="system-ui, sans-serif" font-size="13" '
            f'text-anchor="middle"><title>{escape(title)}</title>{"".join(parts)}</svg>'
        )

    def _ground(self) -> list[str]:
        """What lies under the cells: a ground, and lines between cells or through them."""
        if self.hexagons:
            return []
        box = f'x="{RIM}" y="{RIM}" width="{self.width:g}" height="{self.height:g}"'
        right, bottom = RIM + self.width, RIM + self.height
        if self.falls:
            return [f'<rect {box} rx="5" fill="#dbe3ec" stroke="#c4d0dd"/>']
        if self.shape == "intersections":
            down = (f"M{RIM + U / 2 + col * U:g} {RIM + U / 2:g}V{bottom - U / 2:g}" for col in range(self.cols))
            rows = range(self.board["rows"])
            across = (f"M{RIM + U / 2:g} {RIM + U / 2 + row * U:g}H{right - U / 2:g}" for row in rows)
            own = ((*self.at(one), *self.at(other)) for one, other in self.board.get("lines", ()))
            drawn = "".join(f"M{a:g} {b:g}L{c:g} {d:g}" for a, b, c, d in own) or "".join((*down, *across))
            lines = f'<path d="{drawn}" stroke="#7d6134" fill="none"/>'
            return [f'<rect {box} rx="5" fill="#e8cd9c" stroke="#cfb17c"/>', lines]
        down = (f"M{RIM + col * U:g} {RIM:g}V{bottom:g}" for col in range(1, self.cols))
        across = (f"M{RIM:g} {RIM + row * U:g}H{right:g}" for row in range(1, self.board["rows"]))
        lines = f'<path d="{"".join(down)}{"".join(across)}" stroke="{EDGE}" fill="none"/>'
        dark = [cell for cell in self.there if self.board.get("checkered") and sum(divmod(cell, self.cols)) % 2]
        squares = (f"M{x - U / 2:g} {y - U / 2:g}h{U:g}v{U:g}h{-U:g}z" for x, y in map(self.at, dark))
        checks = [f'<path d="{"".join(squares)}" fill="#e6e1d5"/>'] if dark else []
        return [f'<rect {box} fill="{CARD}" stroke="{DIM}"/>', *checks, lines]

    def _cell(self, cell: int) -> str:
        """A cell with what lies on it; it can be pointed at wherever it is seen."""
        (x, y), value, glyph = self.at(cell), self.cells[cell], self.glyphs[cell]
        if self.hexagons:
            fill = "#dcd8cd" if value == 3 else PLAYERS[value - 1] if value in (1, 2) else "#fbfaf6"
            drawn = f'<polygon points="{hexagon(x, y)}" fill="{fill}" stroke="#c9c4b6"/>'
        else:
            drawn = f'<rect x="{x - U / 2:g}" y="{y - U / 2:g}" width="{U:g}" height="{U:g}" fill="transparent"/>'
            instead = glyph and self.shape == "cells" and not self.falls and value in (1, 2)
            drawn += "" if instead else self._stone(x, y, value)
        return f'<g data-cell="{cell}">{drawn}{self._glyph(x, y, value, glyph)}</g>'

    @property
    def signs(self) -> bool:
        """Are stones crosses and rings?  Else they are discs or tiles, which have room for a text."""
        return self.shape == "cells" and not self.falls and not self.stones

    def _glyph(self, x: float, y: float, value: int, glyph: str) -> str:
        """A text on a cell: in the colour of the player whose stone it stands for, or on the stone."""
        if not glyph:
            return ""
        fill = INK
        if value in (1, 2):
            on_black = self.shape == "intersections" and self.stones and self.stones[value - 1] == STONES["Black"]
            fill = PLAYERS[value - 1] if self.signs else CARD if on_black or not self.stones else INK
        size = U * glyph_size(glyph)
        text = f'font-size="{size:.1f}" fill="{fill}" pointer-events="none"'
        return f'<text x="{x:g}" y="{y + 0.36 * size:.1f}" {text}>{escape(glyph)}</text>'

    def _stone(self, x: float, y: float, value: int) -> str:
        if self.falls:
            colour = PLAYERS[value - 1] if value in (1, 2) else "#f6f5f1"
            return f'<circle cx="{x:g}" cy="{y:g}" r="{0.4 * U:g}" fill="{colour}" stroke="#c4d0dd"/>'
        if value < 1:
            return ""
        if self.shape == "well" or value > 2:
            colour = BLOCKS[(value - 1) % len(BLOCKS)] if self.shape == "well" else "#dcd8cd"
            side = 0.92 * U
            return (
                f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" rx="4" '
                f'fill="{colour}"/>'
            )
        if self.stones:
            fill, edge = self.stones[value - 1]
            return f'<circle cx="{x:g}" cy="{y:g}" r="{0.46 * U:g}" fill="{fill}" stroke="{edge}"/>'
        if value == 2:
            ring = f'fill="none" stroke="{PLAYERS[1]}" stroke-width="4.2"'
            return f'<circle cx="{x:g}" cy="{y:g}" r="{0.275 * U:g}" {ring}/>'
        arm = 0.25 * U
        lines = f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
        return f'<path d="{lines}" stroke="{PLAYERS[0]}" stroke-width="4.2" stroke-linecap="round" fill="none"/>'

    def _labels(self) -> list[str]:
        """The names of columns below, and of rows on the left."""
        drawn = []
        low = RIM + self.height + RIM * 0.65
        for col in sorted({cell % self.cols for cell in self.there}):
            text = self.board["columns"][col]
            x = RIM + U / 2 + (col + 0.25 * self.hexagons) * U - self.left
            drawn.append(f'<text x="{x:g}" y="{low:g}" fill="{DIM}">{escape(str(text))}</text>')
        for row in sorted({cell // self.cols for cell in self.there}):
            text = self.board["row_labels"][row]
            y = self.at(row * self.cols)[1] + 4
            drawn.append(f'<text x="{RIM / 2:g}" y="{y:g}" fill="{DIM}">{escape(str(text))}</text>')
        return drawn

    def ring(self, cell: int, colour: str) -> str:
        """A ring around a cell."""
        x, y = self.at(cell)
        return f'<circle cx="{x:g}" cy="{y:g}" r="{0.46 * U:g}" fill="none" stroke="{colour}" stroke-width="2.5"/>'

    def mark(self, cell: int, mark: Mark) -> str:
        """What is said of a cell."""
        x, y = self.at(cell)
        radius = 0.44 * U * max(math.sqrt(max(mark.weight, 0.0)), 0.18)
        drawn = f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.1f}" fill="{mark.colour}" opacity="0.9"/>'
        if mark.best:
            drawn += self.ring(cell, mark.colour)
        if radius > 0.22 * U:
            size = min(11.0, radius * 0.72)
            text = f'fill="#fff" font-weight="600" font-size="{size:.1f}"'
            drawn += f'<text x="{x:g}" y="{y + size / 3:.1f}" {text}>{escape(mark.text)}</text>'
        return f'<g pointer-events="none">{drawn}</g>'


def glyph_size(glyph: str) -> float:
    """The size of a text on a cell, beside the side of the cell: a piece fills it, a number has room."""
    return min(0.42 if glyph.isascii() else 0.8, 1.3 / len(glyph))


def hexagon(x: float, y: float) -> str:
    """The corners of a hexagon that stands on a point."""
    turns = [math.pi / 3 * i + math.pi / 6 for i in range(6)]
    radius = U / math.sqrt(3)
    return " ".join(f"{x + radius * math.cos(turn):.1f},{y + radius * math.sin(turn):.1f}" for turn in turns)


def tone(value: float) -> str:
    """The colour of a value: green where it is good for the player to move, red where it is bad."""
    end = GOOD if value >= 0 else BAD
    share = min(1.0, 1.5 * abs(value))
    middle = (0x8B, 0x92, 0x9A)
    mixed = (round(m + share * (int(end[1 + 2 * i : 3 + 2 * i], 16) - m)) for i, m in enumerate(middle))
    return "#" + "".join(f"{part:02x}" for part in mixed)
