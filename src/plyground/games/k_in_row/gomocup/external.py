"""The agent `external`: any program that speaks the Gomocup (Piskvork) protocol."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Any

from ....agents.base import Agent, Forfeit, Limit, Thought
from ....child import Gone, Program, words_of
from ....spec import About, InputError
from ..rules import MNK

UNLIMITED = 2_147_483_647  # milliseconds that stand for no limit
CELL = re.compile(r"(?:SUGGEST\s+)?(-?\d{1,6})\s*,\s*(-?\d{1,6})", re.IGNORECASE | re.ASCII)
WORDS = ("OK", "ERROR", "UNKNOWN")


def matters(line: str) -> bool:
    """Is this an answer, and not one of the remarks that a program may make at any time?"""
    return line.upper().startswith(WORDS) or CELL.fullmatch(line) is not None


@dataclass
class External(Agent):
    """A program that speaks the Gomocup protocol, for five in a row."""

    command: Annotated[str, About("the program with its arguments, as in a terminal; no shell runs it", kind="command")]
    seconds: Annotated[float, About("seconds a move that it is told", low=0, high=86400)] = 1.0
    grace: Annotated[float, About("seconds over this after which it has lost", low=0, high=3600)] = 10.0
    memory: Annotated[int, About("most megabytes that it is told", low=1, high=65536)] = 350
    start: Annotated[float, About("seconds to start: some load large libraries first", low=0, high=3600)] = 60.0

    outside = True

    def __post_init__(self) -> None:
        self._program: Program | None = None
        self._game: Any = None  # the one that the program has been told
        self._cells: list[int] | None = None  # the stones that it knows of, 1 and 2 as in the state; None if none
        self._told: dict[str, int] = {}  # what it was told by INFO

    def begin(self, seed: int) -> None:
        super().begin(seed)
        words_of(self.command)
        self._cells = None

    def close(self) -> None:
        program, self._program, self._cells = self._program, None, None
        if program:
            program.end()

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, MNK) or game.k != 5:
            raise InputError("an external program plays five in a row, like gomoku(15), and no other game")

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        begun = time.perf_counter()
        try:
            action = self._ask(game, state, limit)
        except Gone as gone:
            self.close()
            raise Forfeit(str(gone)) from None
        except BaseException:
            self.close()
            raise
        return Thought(action, seconds=time.perf_counter() - begun)

    def _ask(self, game: MNK, state: Any, limit: Limit) -> int:
        """Tell the program where the game stands, and wait for its move."""
        cells, player = state.cells.tolist(), int(game.player(state))
        if self._cells and reply(self._cells, cells, player) is None:
            self._cells = None  # another position, not what comes after the last one
        program = self._ready(game, limit)
        seconds = self.seconds if limit.seconds is None else min(self.seconds, limit.seconds)
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
        until, agreed = time.monotonic() + seconds + self.grace, False
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
                raise Forfeit(f"it did not answer within {seconds:g} s and {self.grace:g} s of grace")

    def _ready(self, game: MNK, limit: Limit) -> Program:
        """The program, started and told the board of this game."""
        if self._program and self._cells is None:
            if self._game[:2] != game[:2] or not self._starts("RESTART", limit).upper().startswith("OK"):
                self.close()
        if self._program is None:
            self._program = Program(self.command, matters)
            self._told = {}
            size = f"START {game.m}" if game.m == game.n else f"RECTSTART {game.m},{game.n}"
            answer = self._starts(size, limit)
            if not answer.upper().startswith("OK"):
                raise Forfeit(f"it answered {answer[:100]!r} to {size}")
            self._program.say(f"INFO folder {self._program.folder}")
            self._inform(timeout_match=0, max_memory=self.memory << 20, game_type=1)
        self._inform(rule=int(game.exact))
        self._game = game
        return self._program

    def _starts(self, command: str, limit: Limit) -> str:
        assert self._program
        self._program.forget()
        self._program.say(command)
        answer = self._program.answer(self.start, limit.stop)
        if answer is None:
            raise Forfeit(f"it did not answer to {command} within {self.start:g} s")
        return answer

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
