"""What the page draws of a position: board, cells, legal moves.  Any game can be shown.

How a game looks, `drawing` knows.  One without a board is shown as text, with its moves by name.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any, NamedTuple

from .. import agents, position
from ..drawing import Drawn
from ..manifest import ask
from ..rules import CHANCE, gives, legal, outcomes, playable, winning
from ..spec import InputError, nearest

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


class Shown(Drawn):
    """A game as the page sees it, with what has to be found out only once."""

    def __init__(self, game: Any, spec: str) -> None:
        super().__init__(game)
        self.spec = spec
        if game.actions() > MOST_ACTIONS:
            raise InputError(f"{spec}: a game with {game.actions():,} actions cannot be shown")
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
    def letters(self) -> Letters | None:
        """How positions are written, learnt from the first ones of a game; None unless a diagram has a letter for each
        cell, row by row, and then says who moves.  A cell with a text on it says more than a letter."""
        game, board = self.game, self.board
        if not self.how or not gives(game, "diagram", "read") or gives(game, "glyphs"):
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
        alone = bool(game.alone())
        return {
            "game": self.spec,
            "start": start,
            "moves": moves,
            "player": player,
            "over": over,
            "alone": alone,
            "decisive": bool(game.decisive()),
            "score": number(game.score(state)) if over or alone else None,
            "board": self.board,
            "cells": self.cells(state),
            "glyphs": self.glyphs(state),
            "caption": str(game.caption(state)),
            "last": last,
            "row": self.row(state),
            "legal": [] if over else self._legal(state, player),
            "threats": self._threats(state, over or player == CHANCE),
            "double_threats": self._double_threats(state, over or player == CHANCE),
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
        """The moves with which either player would win at once; {} of a game that does not list them."""
        if not gives(self.game, "wins"):
            return {}
        if none:
            return {"0": [], "1": []}
        return {str(player): [self.names[a] for a in winning(self.game, state, player)] for player in (0, 1)}

    def _double_threats(self, state: Any, none: bool) -> dict[str, list[str]]:
        """The moves after which either player could win at once in several ways, if the game's family tells them."""
        found = {player: None if none else ask(self.game, "double_threats", state, player) for player in (0, 1)}
        return {str(player): [self.names[action] for action in actions or []] for player, actions in found.items()}
