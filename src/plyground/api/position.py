"""A position to look at, and to go on from."""

from __future__ import annotations

from typing import Any

from ..drawing import Drawn
from ..report.solution import SolutionReport
from ..report.thought import ThoughtReport
from ..rules import CHANCE, legal, outcomes
from ..spec import InputError, nearest
from . import functions
from .given import AgentLike, GameLike, game_of, state_of


class Position:
    """A position of a game.  It never changes: `play` gives another one.

    >>> here = Position("tictactoe", "b2 a1")
    >>> here.player, here.over, len(here.moves)
    (0, False, 7)
    >>> print(here.play("c3"))
     3 . . X
     2 . X .
     1 O . .
       a b c
    """

    def __init__(self, game: GameLike, position: Any = "", *, last: tuple[int, ...] = ()) -> None:
        self.game: Any = game_of(game)
        self.state: Any = state_of(self.game, position)
        self._last = last  # cells of the last move

    @property
    def player(self) -> int:
        """Who moves: 0, 1, or -1 where nature does."""
        return int(self.game.player(self.state))

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return bool(self.game.over(self.state))

    @property
    def score(self) -> float:
        """The result of an ended game for player 0; in a game of one player, its points."""
        return float(self.game.score(self.state))

    @property
    def actions(self) -> list[int]:
        """The legal actions, or what may happen where nature moves."""
        if self.over:
            return []
        if self.player == CHANCE:
            return [action for action, _ in outcomes(self.game, self.state)]
        return legal(self.game, self.state)

    @property
    def moves(self) -> list[str]:
        """What people call them."""
        return [str(self.game.name(action)) for action in self.actions]

    def play(self, move: str | int) -> Position:
        """The position after a move, by its name or its action."""
        by_name = dict(zip(self.moves, self.actions, strict=True))
        action = by_name.get(move.strip().lower()) if isinstance(move, str) else move
        if action is None or action not in by_name.values():
            raise InputError(f"{move} is not legal here{nearest(str(move), by_name) if isinstance(move, str) else ''}")
        last = Drawn(self.game).where(self.state, action)
        state = self.state.copy()
        self.game.play(state, action)
        return Position(self.game, state, last=tuple(last))

    def think(self, agent: AgentLike, **options: Any) -> ThoughtReport:
        """What an agent thinks of it; options as in `think`."""
        return functions.think(self.game, agent, self.state, **options)

    def solve(self, **options: Any) -> SolutionReport:
        """Its exact value; options as in `solve`."""
        return functions.solve(self.game, self.state, **options)

    def __repr__(self) -> str:
        return str(self.game.text(self.state))

    def _repr_svg_(self) -> str | None:
        """The board; None if the game has none, and is shown as text."""
        return Drawn(self.game).svg(self.state, self._last)
