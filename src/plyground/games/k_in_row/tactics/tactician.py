"""Asks the threat searches about positions of a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....jit.first_use import first_use
from ....rules import after
from ....rules import new as new_state
from . import board, threes
from .board import outside, shape_of
from .threes import MANY


class Win(NamedTuple):
    """A win that was proven: its action, how many threats go before fours alone, and these: stones, answers in turn."""

    action: int
    depth: int  # 0: the line is the whole win, and begins with the action
    line: list[int]


class Tactician:
    """The threats of one game of k in a row."""

    def __init__(self, game: Any) -> None:
        shape = shape_of(game)
        self.game, self.shape = game, shape
        self.tables, self.rooms = board.tables_of(shape), np.zeros(1, threes.room_type(shape))
        self.rooms["board"] = board.new(shape)
        self.refuted = np.zeros(threes.REFUTED, np.uint64)
        with first_use():
            self.set(new_state(game))
            threes.search(self.rooms, self.tables, self.refuted, 0, 0)

    @property
    def board(self) -> Any:
        return self.rooms[0].board

    def forget(self) -> None:
        """Forget what was looked at to no avail: searches with a limit find more where they know more."""
        self.refuted[:] = 0

    def set(self, state: Any) -> None:
        """Look at this position."""
        board.set_up(self.rooms, self.tables, state.cells)

    def allow(self, limit: int) -> None:
        """Let searches put so many stones; 0, from another thread, ends one."""
        self.board.limit = limit

    def win(self, player: int, deepest: int = 0, limit: int | None = 100_000) -> Win | None:
        """How the player would win by threats if it were to move; None if the search does not see that it would.

        With `deepest` 0 by fours alone, else by threes too, so many of its stones deep.  `limit` bounds the stones put;
        None leaves what was allowed before.
        """
        if limit is not None:
            self.allow(limit)
        cell = threes.search(self.rooms, self.tables, self.refuted, player, deepest)
        if cell == 0:
            return None
        found = self.board
        line = [int(outside(found, int(at))) for at in found.line[: found.length]]
        action = int(outside(found, cell))
        return Win(action, int(self.rooms[0].depth), line)

    def line(self, state: Any, win: Win) -> list[int]:
        """How this win goes on to five in a row, against the answers that last longest: stones and answers in turn.

        It ends early where a search is not allowed as many stones as it needs.
        """
        player, line = int(self.game.player(state)), []
        while win.depth > 0:
            line.append(win.action)
            state = after(self.game, state, win.action)
            longest: tuple[int, Win] | None = None
            for reply in self._replies(state, player):
                self.set(after(self.game, state, reply))
                then = self.win(player, win.depth - 1, None)
                if then is None:
                    return line
                if longest is None or (then.depth, len(then.line)) > (longest[1].depth, len(longest[1].line)):
                    longest = reply, then
            if longest is None:
                return line
            reply, win = longest
            line.append(reply)
            state = after(self.game, state, reply)
        return line + win.line

    def _replies(self, state: Any, player: int) -> list[int]:
        """The actions that may stop the player, who has made a threat."""
        self.set(state)
        if self.win(player, 0, None) is None:
            return []
        room = self.rooms[0]
        return [int(outside(room.board, int(cell))) for cell in room.replies[0, : min(room.count[0], MANY)]]

    def ranks(self, player: int) -> np.ndarray:
        """int8[action]: what a stone of the player would make; -1 where there is one."""
        return self._by_action(self.board.rank[player])

    def _by_action(self, values: np.ndarray) -> np.ndarray:
        cells = [board.inside(self.board, action) for action in range(self.shape.m * self.shape.n)]
        return np.where(self.board.cells[cells] == board.EMPTY, values[cells], -1)

    def best_first(self, player: int, rng: np.random.Generator) -> list[int]:
        """The free cells, those first of which both players could make the most; equal ones in a random order."""
        points, codes = self.tables[0].points, self.board.codes
        worth = self._by_action(5 * points[codes[player]].astype(int) + 4 * points[codes[1 - player]])
        free = rng.permutation(np.flatnonzero(worth >= 0))
        return free[np.argsort(-worth[free], kind="stable")].tolist()
