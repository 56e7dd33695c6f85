"""What the page draws of a position: board, cells, legal moves.  Any game can be shown.

A game that answers the rules `board`, `cells` and `where` says itself how it looks.  Of a game in which an action
is a cell of its encoded planes, the cells are read from those.  Any other is shown as text, with its moves by name.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any, NamedTuple

from .. import agents, boards, position
from ..rules import CHANCE, SHAPES, gives, legal, outcomes, playable, winning
from ..spec import InputError, nearest
from .requests import MOST_CELLS

KNOWN = 128  # positions of a game that are remembered
NO_CELL = -1
LEARNT = 8  # plies after which every letter has been seen
MOST_ACTIONS = 1_000_000  # of a game that is shown


def number(value: Any) -> float | None:
    """A number as JSON can hold it."""
    return None if value is None or not math.isfinite(value) else float(value)


class Letters(NamedTuple):
    """How a game writes what lies on a cell, and who moves."""

    cells: dict[int, str]
    movers: dict[int, str]


class Shown:
    """A game as the page sees it, with what has to be found out only once."""

    def __init__(self, game: Any, spec: str) -> None:
        self.game, self.spec = game, spec
        if game.actions() > MOST_ACTIONS:
            raise InputError(f"{spec}: a game with {game.actions():,} actions cannot be shown")
        self.names = [str(game.name(action)) for action in range(int(game.actions()))]
        self.actions = {name: action for action, name in enumerate(self.names)}
        self._known: dict[tuple, tuple[Any, list[int]]] = {}
        self._lock = threading.Lock()

    # --- positions -------------------------------------------------------------------------------------

    def action(self, name: str) -> int:
        """The action of this name."""
        found = self.actions.get(name, self.actions.get(name.strip().lower()))
        if found is None:
            raise InputError(f"there is no move {name[:40]!r}{nearest(name, self.actions)}")
        return found

    def state(self, start: str, moves: list[str]) -> tuple[Any, list[int]]:
        """The state after these moves, and the cells of the last one.  Positions seen lately are not played again."""
        for known in (len(moves), len(moves) - 1, len(moves) - 2):  # a page goes a move or two at a time
            found = self._known.get((start, tuple(moves[:known]))) if known > 0 else None
            if found:
                break
        else:
            known, found = 0, (position.read(self.game, start), [])
        state, last = found
        state = state.copy()
        for count, name in enumerate(moves[known:], known + 1):
            if self.game.over(state):
                raise InputError(f"move {count}, {name[:40]}: the game is over")
            last = self.play(state, self.action(name), f"move {count}, ")
        self._keep((start, tuple(moves)), (state.copy(), last))
        return state, last

    def _keep(self, key: tuple, found: tuple) -> None:
        with self._lock:
            self._known[key] = found
            while len(self._known) > KNOWN:
                del self._known[next(iter(self._known))]

    def play(self, state: Any, action: int, which: str = "") -> list[int]:
        """Change the state by one action, if it is legal; return its cells."""
        if action not in playable(self.game, state):
            raise InputError(f"{which}{self.names[action]}{', ' if which else ' '}is not legal there")
        cells = self.where(state, action)
        self.game.play(state, action)
        return cells

    # --- boards ----------------------------------------------------------------------------------------

    @cached_property
    def _drawn(self) -> str:
        """How the cells are known: by the game's own rules, from its planes, or not."""
        if gives(self.game, "board", "cells", "where"):
            return "rules"
        return "planes" if boards.in_planes(self.game) and len(self.names) <= MOST_CELLS else ""

    @cached_property
    def board(self) -> dict[str, Any]:
        """Shape, size and labels of the board."""
        made: dict[str, Any] = {"shape": "text", "rows": 0, "cols": 0}
        if self._drawn == "rules":
            made = dict(self.game.board())
        elif self._drawn == "planes":
            made = boards.board_of_planes(self.game)
        rows, cols = int(made["rows"]), int(made["cols"])
        if (self._drawn and made["shape"] not in SHAPES) or not 0 <= rows * cols <= MOST_CELLS:
            raise InputError(f"a board of shape {made['shape']!r} with {rows} rows and {cols} columns cannot be drawn")
        start = position.new(self.game)
        columns, row_labels = boards.labels(self.names, rows, cols, lambda action: self.where(start, action))
        return {"columns": columns, "row_labels": row_labels} | made | {"rows": rows, "cols": cols}

    def cells(self, state: Any) -> list[int]:
        """What lies on each cell: 0 nothing, 1 and 2 stones, 3 used up, -1 no cell; in a well 1 to 9 are colours."""
        found: list[int] = []
        if self._drawn == "rules":
            found = [int(cell) for cell in self.game.cells(state)]
        elif self._drawn == "planes":
            found = boards.cells_of_planes(self.game, state)
        if len(found) != self.board["rows"] * self.board["cols"]:
            raise InputError(f"the rule cells gives {len(found)} cells for a board of another size")
        return found

    def where(self, state: Any, action: int) -> list[int]:
        """The cells that an action concerns; a chance event concerns none."""
        if self.game.player(state) == CHANCE:
            return []
        if self._drawn == "rules":
            return [int(cell) for cell in self.game.where(state, action)]
        return [action] if self._drawn else []

    @cached_property
    def letters(self) -> Letters | None:
        """How positions are written, learnt from the first ones of a game; None unless a diagram has a letter for each
        cell, row by row, and then says who moves."""
        game, board = self.game, self.board
        if not self._drawn or not gives(game, "diagram", "read"):
            return None
        known = Letters({}, {})
        state = position.new(game)
        for _ in range(LEARNT):
            drawn, _, mover = str(game.diagram(state)).partition(" ")
            rows = drawn.split("/")
            if len(rows) != board["rows"] or any(len(row) != board["cols"] for row in rows):
                return None
            for value, letter in zip(self.cells(state), "".join(rows), strict=True):
                if known.cells.setdefault(value, letter) != letter:
                    return None
            if game.over(state):
                break
            known.movers.setdefault(int(game.player(state)), mover)
            game.play(state, playable(game, state)[0])
        there = [letter for value, letter in known.cells.items() if value != NO_CELL]
        return known if len(set(there)) == len(there) else None

    @property
    def editable(self) -> list[int]:
        """What a reader can put on a cell; nothing in a game that cannot be edited."""
        return sorted(value for value in self.letters.cells if value != NO_CELL) if self.letters else []

    # --- the view --------------------------------------------------------------------------------------

    def view(self, start: str, moves: list[str], state: Any, last: list[int]) -> dict[str, Any]:
        """Everything that the page shows of a position."""
        game = self.game
        over = bool(game.over(state))
        player = int(game.player(state))
        return {
            "game": self.spec,
            "start": start,
            "moves": moves,
            "player": player,
            "over": over,
            "score": number(game.score(state)) if over else None,
            "board": self.board,
            "cells": self.cells(state),
            "last": last,
            "row": [int(cell) for cell in game.row(state)] if over and gives(game, "row") else [],
            "legal": [] if over else self._legal(state, player),
            "threats": self._threats(state, over or player == CHANCE),
            "diagram": str(game.diagram(state)) if gives(game, "diagram") else "",
            "text": str(game.text(state)),
            "editable": self.editable,
            "left": int(game.left(state)) if gives(game, "left") else None,
            "opponent": agents.usual(game),
        }

    def _legal(self, state: Any, player: int) -> list[dict[str, Any]]:
        if player == CHANCE:
            return [
                {"action": action, "name": self.names[action], "cells": [], "probability": number(probability)}
                for action, probability in outcomes(self.game, state)
            ]
        return [
            {"action": action, "name": self.names[action], "cells": self.where(state, action)}
            for action in legal(self.game, state)
        ]

    def _threats(self, state: Any, none: bool) -> dict[str, list[str]]:
        """The moves with which either player would win at once, if the game lists them."""
        if none or not gives(self.game, "wins"):
            return {"0": [], "1": []}
        return {str(player): [self.names[a] for a in winning(self.game, state, player)] for player in (0, 1)}
