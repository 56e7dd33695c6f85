"""Programs that speak the Universal Chess Interface."""

from __future__ import annotations

from typing import Any

from ... import rules
from ...agents.base import Forfeit, Limit
from ...programs.conversation import Conversation, does_not_know
from .rules import Chess

ANSWERS = "uciok", "readyok", "bestmove"
HASH = 16  # megabytes, at most, that a program is told to keep positions in, if it may have so many


class UCI(Conversation):
    games = "chess"
    _new = True  # does a new game begin?

    @staticmethod
    def plays(game: Any) -> bool:
        return isinstance(game, Chess)

    def begin(self) -> None:
        self._new = True  # is told with the first move: the program may have ended since the last game

    def choose(self, game: Any, state: Any, limit: Limit) -> int:
        if self._program is None:
            self._program = self.launch(
                lambda line: line.partition(" ")[0] in ANSWERS or (not self._heard and does_not_know(line))
            )
            self._until("uci", "uciok", self.terms.start, limit)
            self._program.say(f"setoption name Hash value {min(HASH, self.terms.memory)}")
        if self._new:
            self._program.say("ucinewgame")
            self._new = False
        self._until("isready", "readyok", self.terms.start, limit)
        seconds = self.terms.move_seconds(limit)
        self._program.say(f"position fen {game.diagram(state)}")
        go = f"go movetime {max(1, round(1000 * seconds))}"
        _, name, *_ = [*self._until(go, "bestmove", seconds + self.terms.grace, limit).split(), ""]
        for action in rules.legal(game, state):
            if game.name(action) == name:
                return action
        raise Forfeit(f"it answered {name[:40]!r}, which is not legal")

    def _until(self, question: str, word: str, seconds: float, limit: Limit) -> str:
        """The answer that begins with this word."""
        answer = self.ask(question, seconds, limit)
        if answer.partition(" ")[0] != word:
            raise Forfeit(f"it answered {answer[:100]!r} to {question}")
        return answer
