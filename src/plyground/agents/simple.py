"""Agents that do not search: random, and the win-block players of the tic-tac-toe study."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ..rules import after, gives, legal, winning
from ..spec import InputError
from .base import Agent, Limit, Policy, Thought, must_be_a_decision


def wins_now(game: Any, state: Any) -> list[int]:
    """The actions that win at once for the player to move, found by playing them."""
    me = game.player(state)
    found = []
    for action in legal(game, state):
        then = after(game, state, action)
        if game.over(then) and game.score(then) == 1 - 2 * me:
            found.append(action)
    return found


def win_or_block(game: Any, state: Any) -> list[int]:
    """The actions that win at once; else those that keep the opponent from doing so; else none.

    A game that lists its `wins` is asked for the cells to block.  In any other game an action blocks if
    the opponent, who could win after some other action, cannot win after this one.
    """
    if gives(game, "wins"):
        me = game.player(state)
        return winning(game, state, me) or winning(game, state, 1 - me)
    wins = wins_now(game, state)
    if wins:
        return wins
    actions = legal(game, state)
    foe = 1 - game.player(state)
    thens = {action: after(game, state, action) for action in actions}
    safe = [a for a, then in thens.items() if game.over(then) or game.player(then) != foe or not wins_now(game, then)]
    return safe if len(safe) < len(actions) else []


class Drawing(Agent):
    """An agent that draws its action from a policy which it can tell."""

    def policy(self, game: Any, state: Any) -> Policy:
        """The probability of each action."""
        choices = self.choices(game, state)
        return dict.fromkeys(choices, 1 / len(choices))

    def choices(self, game: Any, state: Any) -> list[int]:
        """The actions between which the agent does not care."""
        return legal(game, state)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        must_be_a_decision(game, state)
        begun = time.perf_counter()
        policy = self.policy(game, state)
        action = int(self.rng.choice(list(policy), p=list(policy.values())))
        return Thought(action, seconds=time.perf_counter() - begun)


@dataclass
class Random(Drawing):
    """Plays any legal action."""


@dataclass
class WinBlock(Drawing):
    """Wins at once if it can, else blocks such a win, else plays at random."""

    def choices(self, game: Any, state: Any) -> list[int]:
        return win_or_block(game, state) or legal(game, state)


@dataclass
class WinBlockMiddle(Drawing):
    """Like win-block, but takes the middle of the board before a random action."""

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not gives(game, "middle"):
            raise InputError("win-block-middle needs a game that names its middle; take win-block")

    def choices(self, game: Any, state: Any) -> list[int]:
        self.must_play(game)
        actions = legal(game, state)
        return win_or_block(game, state) or [a for a in game.middle() if a in actions] or actions
