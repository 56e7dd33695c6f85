"""Programs that speak the Go Text Protocol, version 2: whatever two players play in turn on one board.

GTP tells moves and no positions.  What a program knows is kept as a state; where the state that it is asked about is
not one turn further, it is told a way there from the start of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from ... import rules
from ...agents.base import Forfeit, Limit
from ...programs.conversation import Conversation, does_not_know

COLOURS = "black", "white"
TRIES = 3000  # positions looked at for a way to one, before stones are only put where they lie
MOST = 100  # positions on from which every move is looked at, where pieces move


class GTP(Conversation):
    general = True
    games = "games that two play on a board without chance, like go, hex and othello"

    def __init__(self, terms: Any) -> None:
        super().__init__(terms)
        self._game: Any = None  # the one that the program has been told
        self._known: Any = None  # the state that it has; None if it has to be told anew

    @staticmethod
    def plays(game: Any) -> bool:
        return not game.alone() and not rules.gives(game, "chance") and rules.gives(game, "board", "cells", "where")

    def begin(self) -> None:
        self._known = None

    def choose(self, game: Any, state: Any, limit: Limit) -> int:
        if self._program is None or self._game != game:
            self._open(game, limit)
        self._tell(game, state, limit)
        seconds = self.terms.move_seconds(limit)
        self._order(f"time_settings 0 {max(1, round(seconds))} 1", limit, needed=False)
        colour = COLOURS[game.player(state)]
        answer = self._order(f"genmove {colour}", limit, seconds + self.terms.grace)
        name = answer.lower()
        if name == "resign":
            raise Forfeit("it resigned")
        action = next((action for action in rules.legal(game, state) if game.name(action).lower() == name), None)
        if action is None:
            raise Forfeit(f"it answered {answer[:40]!r}, which is not legal")
        self._known = rules.after(game, state, action)
        return action

    def _open(self, game: Any, limit: Limit) -> None:
        """Start the program and tell it the board, unless it plays on a board like this already."""
        if self._program is None:
            self.launch(lambda line: line.startswith(("=", "?")) or (not self._heard and does_not_know(line)))
        self._game, self._known = game, None
        self._order(f"boardsize {getattr(game, 'size', game.board()['rows'])}", limit, self.terms.start)
        if hasattr(game, "komi"):
            self._order(f"komi {game.komi:g}", limit)

    def _tell(self, game: Any, state: Any, limit: Limit) -> None:
        """Let the program know this state."""
        if self._known is not None:
            if self._known.tobytes() == state.tobytes():
                return
            for action in changing(game, self._known, state):
                if rules.after(game, self._known, action).tobytes() == state.tobytes():
                    return self._play(game, [(int(game.player(self._known)), action)], state, limit)
            mover = game.player(state)  # a turn of the other may have several moves
            turn = moves_between(game, self._known, state, lambda then: game.player(then) != mover)
            if turn is not None:
                return self._play(game, turn, state, limit)
        self._order("clear_board", limit)
        self._play(game, way_to(game, state), state, limit)

    def _play(self, game: Any, moves: list[tuple[int, int]], state: Any, limit: Limit) -> None:
        """Tell the program moves that lead to a state."""
        for player, action in moves:
            self._order(f"play {COLOURS[player]} {game.name(action)}", limit)
        self._known = state.copy()

    def _order(self, command: str, limit: Limit, seconds: float | None = None, needed: bool = True) -> str:
        """What the program answers to a command; a Forfeit if it fails, and was needed."""
        answer = self.ask(command, self.terms.grace if seconds is None else seconds, limit)
        if not answer.startswith("=") and needed:
            raise Forfeit(f"it answered {answer[:100]!r} to {command}")
        return answer[1:].strip()


def changing(game: Any, before: Any, after: Any) -> Iterator[int]:
    """The legal actions that touch nothing but cells which differ between two states, or no cell at all."""
    cells = zip(game.cells(before), game.cells(after), strict=True)
    differ = {cell for cell, (one, other) in enumerate(cells) if one != other}
    for action in rules.legal(game, before):
        if differ.issuperset(game.where(before, action)):
            yield action


def way_to(game: Any, state: Any) -> list[tuple[int, int]]:
    """Who plays what, from the start of the game, so that this state comes about: moves that lead just there if they
    are found soon, else a stone for every one that lies there; Forfeit if that does not lead there either."""
    way = found_way(game, rules.new(game), state, [TRIES])
    if way is None:
        way = stones(game, state)
    if way is None:
        way = moves_between(game, rules.new(game), state)
    if way is None:
        raise Forfeit("it cannot be told this position: GTP knows moves, and no positions")
    return way


def found_way(game: Any, begin: Any, state: Any, left: list[int]) -> list[tuple[int, int]] | None:
    """Moves from one state to another, which put stones only where stones are in the end."""
    if begin.tobytes() == state.tobytes():
        return []
    left[0] -= 1
    there, here = game.cells(state), game.cells(begin)
    if left[0] < 0 or game.over(begin) or sum(map(bool, here)) >= sum(map(bool, there)):
        return None
    for action in rules.legal(game, begin):
        touched = game.where(begin, action)
        if touched and all(there[cell] for cell in touched):
            line = found_way(game, rules.after(game, begin, action), state, left)
            if line is not None:
                return [(int(game.player(begin)), action), *line]
    return None


def stones(game: Any, state: Any) -> list[tuple[int, int]] | None:
    """Stones of both players by turns, each where it lies; whoever has no more passes."""
    cells, reached = game.cells(state), rules.new(game)
    action_of = {tuple(game.where(reached, action)): action for action in rules.legal(game, reached)}
    kinds = [[cell for cell, stone in enumerate(cells) if stone == player + 1] for player in (0, 1)]
    turns = [(player, cell) for pair in zip_longest(*kinds) for player, cell in enumerate(pair) if cell is not None]
    try:
        moves = [(player, action_of[cell,]) for player, cell in turns]
        for player, action in moves:
            if game.player(reached) != player:
                game.play(reached, legal_action(game, reached, action_of[()]))
            game.play(reached, legal_action(game, reached, action))
    except (KeyError, ValueError):
        return None
    return moves if game.cells(reached) == cells else None


def moves_between(
    game: Any, begin: Any, state: Any, goes_on: Callable[[Any], bool] = lambda then: True
) -> list[tuple[int, int]] | None:
    """Moves from one state to another, whatever pieces they move; `goes_on` says after which more are looked at."""
    begun: list[tuple[Any, list[tuple[int, int]]]] = [(begin, [])]
    for here, line in begun:
        for action in [] if game.over(here) else rules.legal(game, here):
            then, moves = rules.after(game, here, action), [*line, (int(game.player(here)), action)]
            if then.tobytes() == state.tobytes():
                return moves
            if len(begun) < MOST and goes_on(then):
                begun.append((then, moves))
    return None


def legal_action(game: Any, state: Any, action: int) -> int:
    """The action, if it is legal; else ValueError."""
    if game.over(state) or action not in rules.legal(game, state):
        raise ValueError(f"{game.name(action)} is not legal")
    return action
