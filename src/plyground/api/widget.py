"""A board to play on in a cell of a notebook."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import Agent, Forfeit
from ..agents.given import name_of
from ..drawing import Drawn
from ..manifest import warn
from ..progress import in_notebook
from ..rules import CHANCE, drawn_outcome
from ..spec import InputError
from . import functions
from .given import AgentLike, GameLike
from .position import Position

FILE = Path(__file__).with_name("board.js")
LONGEST = 200  # characters of what is said of an error
ELSEWHERE = "without a notebook, play in the terminal (plyground play GAME) or on a page (pg.serve(), plyground serve)"


class Sitting:
    """A person's game against an agent: the positions so far, and what is shown of the last one."""

    def __init__(self, position: Position, agent: AgentLike, seat: int, seed: int = 0) -> None:
        self.agent: Agent = functions.agent(agent, seed)
        self.name = agent if isinstance(agent, str) else name_of(agent)
        self.seat, self.seed = seat, seed
        self.drawn = Drawn(position.game)
        self.rng = np.random.default_rng(seed)
        self.path = [position]
        self.said = ""  # why the game has ended, if the rules did not end it

    @property
    def here(self) -> Position:
        return self.path[-1]

    @property
    def ended(self) -> bool:
        return self.here.over or bool(self.said)

    @property
    def waiting(self) -> bool:
        """Is somebody else than the person to move?"""
        return not self.ended and self.here.player != self.seat

    def play(self, move: str) -> None:
        """The person's move."""
        if self.waiting or self.ended:
            raise InputError("it is not your move")
        self.path.append(self.here.play(move))

    def reply(self) -> None:
        """Let the agent, and nature, move until the person is to move again."""
        while self.waiting:
            here = self.here
            if here.player == CHANCE:
                self.path.append(here.play(drawn_outcome(here.game, here.state, self.rng)))
                continue
            try:
                self.path.append(here.play(self.agent.think(here.game, here.state).action))
            except (Forfeit, InputError) as error:
                self.said = f"{self.name} gives up: {error}"
            except Exception as error:  # whatever it does, the board goes on
                self.said = f"{self.name} fails: {one_line(error)}"
            except KeyboardInterrupt:
                self.said = f"{self.name} was interrupted: take back or begin a new game"

    def undo(self) -> None:
        """Go back to the person's last choice."""
        self.said = ""
        earlier = [number for number, here in enumerate(self.path[:-1]) if here.player == self.seat]
        self.path = self.path[: earlier[-1] + 1] if earlier else self.path[:1]

    def begin_anew(self) -> None:
        """Back to the first position."""
        self.said = ""
        self.path = self.path[:1]
        self.agent.begin(self.seed)

    def view(self) -> dict[str, Any]:
        """What is shown, as JSON can hold it."""
        here, where = self.here, self.drawn.where
        yours = not self.waiting and not self.ended
        moves = [
            {"name": name, "cells": where(here.state, action)}
            for name, action in zip(here.moves, here.actions, strict=True)
            if yours
        ]
        status, svg = self._status(), here._repr_svg_() or ""
        return {"svg": svg, "text": repr(here), "moves": moves, "status": status, "thinking": self.waiting}

    def _status(self) -> str:
        if self.said:
            return self.said
        if not self.here.over:
            return f"{self.name} thinks" if self.waiting else "your move"
        score = self.here.score
        if self.here.game.alone():
            return f"the game is over, score {score:g}"
        return "a draw" if score == 0 else "you have won" if (score > 0) == (self.seat == 0) else f"{self.name} has won"


def one_line(error: Exception) -> str:
    kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
    return " ".join(f"{kind}{error}".split())[:LONGEST]


@lru_cache(1)
def _widget() -> Any:
    """The class of the widget; InputError if what it needs is not there."""
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError:
        raise InputError(
            f"a board in a notebook needs anywidget: pip install 'plyground[notebook]'; {ELSEWHERE}"
        ) from None

    class Board(anywidget.AnyWidget):
        """A sitting, shown in a cell."""

        _esm = FILE
        view = traitlets.Dict().tag(sync=True)  # type: ignore[var-annotated]
        asked = traitlets.Dict().tag(sync=True)  # type: ignore[var-annotated]

        def __init__(self, sitting: Sitting) -> None:
            self.sitting = sitting
            super().__init__(view=sitting.view())
            self.observe(self._answer, "asked")
            self._go_on()

        @property
        def position(self) -> Position:
            """The position on the board."""
            return self.sitting.here

        def _answer(self, change: Any) -> None:
            asked, sitting = change["new"], self.sitting
            try:
                if "move" in asked:
                    sitting.play(str(asked["move"]))
                elif asked.get("do") == "undo":
                    sitting.undo()
                elif asked.get("do") == "new":
                    sitting.begin_anew()
            except Exception as error:  # an agent's own `begin` may fail, too
                self.view = sitting.view() | {"status": one_line(error)}
                return
            self._go_on()

        def _go_on(self) -> None:
            self.view = self.sitting.view()
            if self.sitting.waiting:
                self.sitting.reply()
                self.view = self.sitting.view()
            if self.sitting.ended:
                self.sitting.agent.close()  # another game starts it again

        def close(self) -> None:
            """The board is not shown any more."""
            self.sitting.agent.close()
            super().close()

    return Board


def play(game: GameLike, agent: AgentLike = "", position: Any = "", *, seat: str = "first", seed: int = 0) -> Any:
    """A board to play on against an agent, in a cell of a notebook: click a cell to move.

    Without an agent it is the one that people meet in this game.  `play(...).position` is the position on the board.
    It needs `pip install 'plyground[notebook]'`.

    >>> play("tictactoe", "uct(sims=100)", seat="second").view["status"]
    'your move'
    """
    if seat not in ("first", "second"):
        raise InputError(f"seat is first or second, not {seat!r}")
    made = _widget()
    if not in_notebook():
        warn(f"this board shows itself in a notebook, as the last line of a cell; {ELSEWHERE}")
    here = Position(game, position)
    if seat == "second" and here.game.alone():
        raise InputError("one player plays this game: seat is first")
    sitting = Sitting(here, agent or agents.usual(here.game), int(seat == "second"), seed)
    return made(sitting)
