"""Random games by the interpreted rules, on which the laws are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..rules import CHANCE, LONGEST, legal, new, outcomes

TOLD = 12  # moves that tell where something happened


class Breach(Exception):
    """A law is broken; the message says how, in one line."""


@dataclass
class Played:
    """One random game: its states, and the action that was played in each but the last."""

    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def where(self, game: Any, ply: int) -> str:
        """The moves that led to a state."""
        names = [str(game.name(a)) for a in self.actions[max(0, ply - TOLD) : ply]]
        return "at the start" if not names else f"after {' '.join(names)}{f' (last {TOLD})' * (ply > TOLD)}"


def asked(rule: str, where: str, function: Callable, *args: Any) -> Any:
    """What a rule answers; what it raises instead is a breach."""
    try:
        return function(*args)
    except Breach:
        raise
    except Exception as error:
        raise Breach(f"{rule} raised {type(error).__name__} {where}: {' '.join(str(error).split())}") from None


def random_game(game: Any, rng: np.random.Generator) -> Played:
    """A random game by the interpreted rules."""
    one = Played()
    state = asked("start", "at the start", new, game)
    while True:
        where = one.where(game, len(one.actions))
        one.states.append(state.copy())
        if asked("over", where, game.over, state):
            return one
        if len(one.actions) == LONGEST:
            shown = ", ".join(str(game.text(state)).splitlines())
            raise Breach(f"a random game has not ended after {LONGEST:,} moves; {where} it stands at {shown[:300]}")
        player = asked("player", where, game.player, state)
        if player == CHANCE:
            choices = [a for a, _ in asked("chance", where, outcomes, game, state)]
            rule = "chance"
        else:
            choices = asked("legal", where, legal, game, state)
            rule = "legal"
        if not choices:
            raise Breach(f"{rule} offers nothing {where}, but the game is not over")
        if len(set(choices)) < len(choices):
            raise Breach(f"{rule} offers {max(choices, key=choices.count)} twice {where}")
        if min(choices) < 0 or max(choices) >= game.actions():
            raise Breach(
                f"{rule} offers {min(choices)} to {max(choices)} {where}; actions are 0 to {game.actions() - 1}"
            )
        action = int(rng.choice(choices))
        asked("play", f"on {action} {where}", game.play, state, action)
        one.actions.append(action)
