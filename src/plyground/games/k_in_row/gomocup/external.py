"""Programs that speak the Gomocup (Piskvork) protocol, for five in a row."""

from __future__ import annotations

import re
import time
from itertools import zip_longest
from typing import Any

from ....agents.base import Forfeit, Limit
from ....child import Program
from ....programs.conversation import Conversation, Terms
from ..rules import MNK

UNLIMITED = 2_147_483_647  # milliseconds that stand for no limit
CELL = re.compile(r"(?:SUGGEST\s+)?(-?\d{1,6})\s*,\s*(-?\d{1,6})", re.IGNORECASE | re.ASCII)
WORDS = ("OK", "ERROR", "UNKNOWN")


def matters(line: str) -> bool:
    """Is this an answer, and not one of the remarks that a program may make at any time?"""
    return line.upper().startswith(WORDS) or CELL.fullmatch(line) is not None


class Gomocup(Conversation):
    games = "five in a row"
    farewell = b"END\n"

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self._game: Any = None  # the one that the program has been told
        self._cells: list[int] | None = None  # the stones that it knows of, 1 and 2 as in the state; None if none
        self._told: dict[str, int] = {}  # what it was told by INFO

    @staticmethod
    def plays(game: Any) -> bool:
        return isinstance(game, MNK) and game.k == 5

    def begin(self) -> None:
        self._cells = None

    def close(self) -> None:
        super().close()
        self._cells = None

    def choose(self, game: Any, state: Any, limit: Limit) -> int:
        """Tell the program where the game stands, and wait for its move."""
        cells, player = state.cells.tolist(), int(game.player(state))
        if self._cells and reply(self._cells, cells, player) is None:
            self._cells = None  # another position, not what comes after the last one
        program = self._ready(game, limit)
        seconds = self.terms.move_seconds(limit)
        program.forget()
        self._inform(timeout_turn=round(1000 * seconds), time_left=UNLIMITED)
        for line in position(game, self._cells, cells, player):
            program.say(line)
        x, y = self._move(program, seconds, limit)
        if not (0 <= x < game.m and 0 <= y < game.n):
            raise Forfeit(f"it answered {x},{y}, which is not on the board")
        action = y * game.m + x
        if cells[action]:
            raise Forfeit(f"it answered {x},{y}, where a stone lies already")
        cells[action] = player + 1
        self._cells = cells
        return action

    def _move(self, program: Program, seconds: float, limit: Limit) -> tuple[int, int]:
        """The cell that it answers."""
        until, agreed = time.monotonic() + seconds + self.terms.grace, False
        while True:
            line = program.answer(until - time.monotonic(), limit.stop) or "OK"
            if cell := CELL.fullmatch(line):
                if not line.upper().startswith("SUGGEST"):
                    return int(cell[1]), int(cell[2])
                if not agreed:  # once: one that only suggests need not listen
                    program.say(f"PLAY {cell[1]},{cell[2]}")
                agreed = True
            elif not line.upper().startswith("OK"):
                raise Forfeit(f"it answered {line[:100]!r} instead of a move")
            if limit.stop and limit.stop():
                raise Forfeit("it was stopped before it had chosen")
            if time.monotonic() >= until:  # however much it says on the way
                raise Forfeit(f"it did not answer within {seconds:g} s and {self.terms.grace:g} s of grace")

    def _ready(self, game: MNK, limit: Limit) -> Program:
        """The program, started and told the board of this game."""
        if self._program and self._cells is None:
            if self._game[:2] != game[:2] or not self.ask("RESTART", self.terms.start, limit).upper().startswith("OK"):
                self.close()
        if self._program is None:
            self._program = self.launch(matters)
            self._told = {}
            size = f"START {game.m}" if game.m == game.n else f"RECTSTART {game.m},{game.n}"
            answer = self.ask(size, self.terms.start, limit)
            if not answer.upper().startswith("OK"):
                raise Forfeit(f"it answered {answer[:100]!r} to {size}")
            self._program.say(f"INFO folder {self._program.folder}")
            self._inform(timeout_match=0, max_memory=self.terms.memory << 20, game_type=1)
        self._inform(rule=int(game.exact))
        self._game = game
        return self._program

    def _inform(self, **values: int) -> None:
        """Tell what it does not know yet; how much time is left, before every move."""
        assert self._program
        for key, value in values.items():
            if self._told.get(key) != value or key == "time_left":
                self._program.say(f"INFO {key} {value}")
                self._told[key] = value


def reply(known: list[int], cells: list[int], player: int) -> int | None:
    """The one stone that the other player has put since these were known; None if anything else has changed."""
    new = [cell for cell, (old, now) in enumerate(zip(known, cells, strict=True)) if old != now]
    return new[0] if len(new) == 1 and known[new[0]] == 0 and cells[new[0]] == 2 - player else None


def position(game: MNK, known: list[int] | None, cells: list[int], player: int) -> list[str]:
    """What to tell a program that knows these stones, and that is to move for this player: BEGIN, TURN or BOARD.

    BOARD gives the stones by turns, the first player's first, since some programs take them for the moves in order.
    """
    if not any(cells):
        return ["BEGIN"]
    last = reply(known or [0] * len(cells), cells, player)
    if last is not None:
        return [f"TURN {last % game.m},{last // game.m}"]
    stones = [[cell for cell, who in enumerate(cells) if who == one] for one in (1, 2)]
    turns = [cell for pair in zip_longest(*stones) for cell in pair if cell is not None]
    lines = [f"{cell % game.m},{cell // game.m},{1 if cells[cell] == player + 1 else 2}" for cell in turns]
    return ["BOARD", *lines, "DONE"]
