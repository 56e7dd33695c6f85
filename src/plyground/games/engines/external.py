"""The agents `gtp` and `uci`: any program that speaks one of these protocols."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Annotated, Any

from ...agents.base import Agent, Forfeit, Limit, Thought
from ...child import Gone, Program, words_of
from ...rules import after, legal, new
from ...spec import About, InputError
from ..chess import Chess
from ..go import Go
from ..hex import Hex
from ..othello import Othello


@dataclass
class Outside(Agent):
    """A program of somebody's that is asked for moves."""

    command: Annotated[str, About("the program with its arguments, as in a terminal; no shell runs it", kind="command")]
    seconds: Annotated[float, About("seconds a move that it is told", low=0.001, high=86400)] = 1.0
    grace: Annotated[float, About("seconds over this after which it has lost", low=0, high=3600)] = 10.0
    start: Annotated[float, About("seconds to start, and to be ready for a game", low=0, high=3600)] = 60.0

    outside = True

    def __post_init__(self) -> None:
        self._program: Program | None = None
        self._game: Any = None  # the one that the program has been told; None: it has to be told a new one
        self._state: Any = None  # what it knows of that

    def begin(self, seed: int) -> None:
        super().begin(seed)
        words_of(self.command)
        self._game = None

    def close(self) -> None:
        program, self._program, self._game = self._program, None, None
        if program:
            program.end()

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        begun = time.perf_counter()
        seconds = self.seconds if limit.seconds is None else min(self.seconds, limit.seconds)
        try:
            if self._program is None:
                self._program = Program(self.command, self.matters, farewell=b"quit\n")
                self._greet(limit)
            self._program.forget()
            name = self._ask(game, state, seconds, limit)
        except Gone as gone:
            self.close()
            raise Forfeit(str(gone)) from None
        except BaseException:
            self.close()
            raise
        action = next((one for one in legal(game, state) if game.name(one) == name), None)
        if action is None:
            self.close()
            raise Forfeit(f"it answered {name[:40]!r}, which is not legal there")
        return Thought(action, seconds=time.perf_counter() - begun)

    def _tell(self, line: str) -> None:
        assert self._program
        self._program.say(line)

    def _answer(self, to: str, seconds: float, limit: Limit) -> str:
        """The next line that matters."""
        assert self._program
        answer = self._program.answer(seconds, limit.stop)
        if answer is None:
            raise Forfeit(f"it did not answer to {to} within {seconds:g} s, or was stopped")
        return answer

    # --- what differs between the protocols ----------------------------------------------------------------

    @staticmethod
    def matters(line: str) -> bool:
        """Is this an answer, and not a remark?"""
        raise NotImplementedError

    def _greet(self, limit: Limit) -> None:
        """Wait until it has started."""

    def _ask(self, game: Any, state: Any, seconds: float, limit: Limit) -> str:
        """Tell the program where the game stands; the name of its move."""
        raise NotImplementedError


class Uci(Outside):
    """A program that plays chess by the Universal Chess Interface, such as stockfish."""

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, Chess):
            raise InputError("a program that speaks UCI plays chess, and no other game")

    @staticmethod
    def matters(line: str) -> bool:
        return line.startswith(("uciok", "readyok", "bestmove"))

    def _greet(self, limit: Limit) -> None:
        self._tell("uci")
        self._wait_for("uciok", limit)

    def _wait_for(self, word: str, limit: Limit) -> None:
        until = time.monotonic() + self.start
        while not self._answer(word, until - time.monotonic(), limit).startswith(word):
            pass

    def _ask(self, game: Any, state: Any, seconds: float, limit: Limit) -> str:
        if self._game is None:
            self._game = game
            for line in ("ucinewgame", "isready"):
                self._tell(line)
            self._wait_for("readyok", limit)
        self._tell(f"position fen {game.diagram(state)}")
        self._tell(f"go movetime {max(1, round(1000 * seconds))}")
        word, *move = self._answer("go", seconds + self.grace, limit).split()
        if word != "bestmove" or not move:
            raise Forfeit(f"it answered {word!r} instead of a move")
        return move[0].lower()


class Gtp(Outside):
    """A program that plays Go, Hex or Othello by the Go Text Protocol, such as gnugo --mode gtp."""

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not isinstance(game, (Go, Hex, Othello)):
            raise InputError("a program that speaks GTP plays go, hex or othello, and no other game")

    @staticmethod
    def matters(line: str) -> bool:
        return line.startswith(("=", "?"))

    def _do(self, command: str, seconds: float, limit: Limit) -> str:
        """What it answers to a command; Forfeit if it refuses it."""
        self._tell(command)
        answer = self._answer(command, seconds, limit)
        if answer.startswith("?"):
            raise Forfeit(f"it answered {answer[:100]!r} to {command}")
        return answer[1:].strip().lower()

    def _ask(self, game: Any, state: Any, seconds: float, limit: Limit) -> str:
        colour = "bw"[game.player(state)]
        for command in self._missing(game, state):
            self._do(command, self.start, limit)
        self._tell(f"time_settings 0 {max(1, math.ceil(seconds))} 1")  # not every program knows it
        self._answer("time_settings", self.start, limit)
        name = self._do(f"genmove {colour}", seconds + self.grace, limit)
        if name == "resign":
            raise Forfeit("it resigned")
        action = next((one for one in legal(game, state) if game.name(one) == name), None)
        self._game, self._state = game, None if action is None else after(game, state, action)
        return name

    def _missing(self, game: Any, state: Any) -> list[str]:
        """What to tell the program, which knows an earlier position or nothing: the other's move, or all stones."""
        colours = "bw"
        if self._game == game and self._state is not None and not game.over(self._state):
            mover = colours[game.player(self._state)]
            for action in legal(game, self._state):
                if after(game, self._state, action).tobytes() == state.tobytes():
                    return [f"play {mover} {game.name(action)}"]
        told = [f"boardsize {game.size}", "clear_board"] + ([f"komi {game.komi:g}"] if isinstance(game, Go) else [])
        cells, first = game.cells(state), game.cells(new(game))
        if isinstance(game, Othello):  # discs are turned over where they are put
            if cells == first:
                return told
            for action in legal(game, new(game)):
                if after(game, new(game), action).tobytes() == state.tobytes():
                    return [*told, f"play b {game.name(action)}"]
            raise Forfeit("a program that plays othello has to be told a game from its start")
        named = {game.where(state, action)[0]: game.name(action) for action in range(game.size**2)}
        return told + [f"play {colours[stone - 1]} {named[i]}" for i, stone in enumerate(cells) if stone in (1, 2)]
