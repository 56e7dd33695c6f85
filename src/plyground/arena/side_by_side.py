"""Many games at once between two agents that choose in many of them at once: each is asked once a ply."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..agents.base import Agent, Forfeit
from ..rules import CHANCE, LONGEST, drawn_outcome, legal, new
from ..spec import InputError
from .playing import Game


@dataclass
class Table:
    """A game under way."""

    first: int  # the agent that moves first: 0 or 1
    rngs: list[Any]  # the random numbers of each agent in this game
    chance: np.random.Generator  # those of nature
    opening: list[int]
    state: Any = None
    actions: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])  # of each player
    longest: list[float] = field(default_factory=lambda: [0.0, 0.0])
    moves: list[int] = field(default_factory=lambda: [0, 0])
    lost: int = 0  # by whom, if the rules do not end the game
    reason: str = ""

    def play(self, game: Any, action: int) -> None:
        if len(self.actions) == LONGEST:
            raise InputError(f"the game has not ended after {LONGEST} moves; run `plyground check` on it")
        game.play(self.state, action)
        self.actions.append(action)

    def go_on(self, game: Any) -> bool:
        """Play the opening, and for nature, until a player is to choose; False if none will any more."""
        while not (self.reason or game.over(self.state)):
            if len(self.actions) < len(self.opening):
                self.play(game, self.opening[len(self.actions)])
            elif game.player(self.state) == CHANCE:
                self.play(game, drawn_outcome(game, self.state, self.chance))
            else:
                return True
        return False

    def answer(self, game: Any, action: int | None, reason: str, seconds: float) -> None:
        """Play what an agent chose within these seconds; it has lost if that is not legal, or None, for this reason."""
        player = int(game.player(self.state))
        self.seconds[player] += seconds
        self.longest[player] = max(self.longest[player], seconds)
        self.moves[player] += 1
        if action is not None and action in legal(game, self.state):
            self.play(game, int(action))
        else:
            self.lost, self.reason = player, reason or f"it played {action}, which is not a legal action here"

    def played(self, game: Any) -> Game:
        score = (2.0 * self.lost - 1.0) if self.reason else float(game.score(self.state))
        seconds, longest, moves = (tuple(both) for both in (self.seconds, self.longest, self.moves))
        return Game(self.actions, score, seconds, longest, moves, self.reason)  # type: ignore[arg-type]


def play_side_by_side(game: Any, both: list[Agent], tables: list[Table]) -> list[Game]:
    """Play games to their ends, a ply in all of them after the other: those that `play_game` would play one by one.

    The time of a move is its share of the call that chose it.  An agent that forfeits loses all games of that call.
    """
    for table in tables:
        table.state = new(game)
    going = [table for table in tables if table.go_on(game)]
    while going:
        movers = [(table.first + int(game.player(table.state))) % 2 for table in going]
        for number, agent in enumerate(both):
            asked = [table for table, mover in zip(going, movers, strict=True) if mover == number]
            if asked:
                _ask(game, agent, number, asked)
        going = [table for table in going if table.go_on(game)]
    return [table.played(game) for table in tables]


def _ask(game: Any, agent: Agent, number: int, tables: list[Table]) -> None:
    """Let an agent, the first or the second of the match, choose and play in all these games."""
    begun, reason = time.perf_counter(), ""
    actions: list[Any] = [None] * len(tables)
    try:
        rngs = [table.rngs[number] for table in tables]
        actions = agent.think_in_each(game, [table.state for table in tables], rngs)
    except Forfeit as forfeit:
        reason = str(forfeit) or "it gave up"
    share = (time.perf_counter() - begun) / len(tables)
    for table, action in zip(tables, actions, strict=True):
        table.answer(game, action, reason, share)
