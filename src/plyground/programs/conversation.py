"""What is said with a program by one protocol, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..agents.base import Forfeit, Limit
from ..child import Program


def does_not_know(line: str) -> bool:
    """Does a program say that a command is none?  One that speaks another protocol does, in its own words."""
    said = line.lower()
    return said.startswith("?") or any(words in said for words in ("unknown command", "invalid move", "illegal move"))


@dataclass(frozen=True)
class Terms:
    """What a program is told, and what it may take."""

    command: str  # with its arguments, as in a terminal
    seconds: float  # a move
    grace: float  # seconds over this after which it has lost
    memory: int  # megabytes
    start: float  # seconds to start

    def move_seconds(self, limit: Limit) -> float:
        """How long it may think."""
        return self.seconds if limit.seconds is None else min(self.seconds, limit.seconds)


class Conversation:
    """A program that is spoken with by one protocol: a subclass says how a position is told, and a move heard.

    Whatever is wrong with the program is a Forfeit, or `child.Gone`.
    """

    games = ""  # which ones are played by this protocol, in a few words
    general = False  # is it for many games, some of which have a protocol of their own?
    farewell = b"quit\n"

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._program: Program | None = None
        self._heard = False  # has it answered anything?

    @staticmethod
    def plays(game: Any) -> bool:
        """Is this game played by this protocol?"""
        raise NotImplementedError

    def choose(self, game: Any, state: Any, limit: Limit) -> int:
        """Tell the program where the game stands, and wait for its move."""
        raise NotImplementedError

    def begin(self) -> None:
        """A new game begins."""

    def close(self) -> None:
        """End the program, if it runs."""
        program, self._program = self._program, None
        if program:
            program.end()

    def launch(self, matters: Callable[[str], bool]) -> Program:
        """Start the program; `matters` says which of its lines are answers."""
        self._heard = False
        self._program = Program(self.terms.command, matters, farewell=self.farewell)
        return self._program

    def ask(self, question: str, seconds: float, limit: Limit) -> str:
        """Tell the program a line, and wait for one; what it has said before is dropped."""
        assert self._program
        self._program.forget()
        self._program.say(question)
        answer = self._program.answer(seconds, limit.stop)
        if answer is None:
            raise Forfeit(f"it did not answer to {question[:40]} within {seconds:g} s")
        self._heard = True
        return answer
