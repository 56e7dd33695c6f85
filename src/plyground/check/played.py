"""Random games by the interpreted rules, on which the laws are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..rules import CHANCE, LONGEST, new
from .answers import listed, mover, must_be_nothing, outcomes, truth
from .breach import Breach, raised

TOLD = 12  # moves that tell where something happened
STUBBORN = 1000  # moves of a game that always goes the same way


@dataclass
class Played:
    """One random game: its states, and the action that was played in each but the last."""

    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def where(self, game: Any, ply: int) -> str:
        """The moves that led to a state."""
        names = [called(game, action) for action in self.actions[max(0, ply - TOLD) : ply]]
        return "at the start" if not names else f"after {' '.join(names)}{f' (last {TOLD})' * (ply > TOLD)}"


def called(game: Any, action: int) -> str:
    """What people call an action; its number where the rule that tells is broken."""
    try:
        return str(game.name(action))
    except Exception:
        return str(action)


Choose = Callable[[list[int]], int]


def random_game(game: Any, rng: np.random.Generator) -> Played:
    """A random game by the interpreted rules."""
    return game_of(game, lambda found: int(rng.choice(found)))


def stubborn_games(game: Any) -> None:
    """Play the first action all the time, and the last: that leads to corners where random games hardly come.

    Such a game may go round in circles, and is then left.
    """
    for choose in (min, max):
        game_of(game, choose, STUBBORN)


def game_of(game: Any, choose: Choose, most: int | None = None) -> Played:
    """A game by the interpreted rules in which whoever moves chooses so, for so many moves; else to its end."""
    one = Played()
    try:
        state = new(game)
    except Exception as error:
        raise raised(game, error, "at the start") from None
    while True:
        where = one.where(game, len(one.actions))
        one.states.append(state.copy())
        try:
            if truth("over", game.over(state), where):
                return one
            if len(one.actions) == most:
                return one
            if len(one.actions) == LONGEST:
                raise Breach("over", f"a random game has not ended after {LONGEST:,} moves; {where} it {stands(state)}")
            action = choose(choices(game, state, where))
        except Exception as error:
            raise raised(game, error, where) from None
        try:
            must_be_nothing("play", game.play(state, action), where)
        except Exception as error:
            raise raised(game, error, f"on {action} {where}") from None
        one.actions.append(action)


def choices(game: Any, state: Any, where: str) -> list[int]:
    """The legal actions, or the outcomes of a chance event: at least one, and none of them twice."""
    rule = "chance" if mover(game, state, where) == CHANCE else "legal"
    found = [a for a, _ in outcomes(game, state, where)] if rule == "chance" else listed(game, state, "legal", where)
    if not found:
        raise Breach(rule, f"{rule} offers nothing {where}, but the game is not over")
    if len(set(found)) < len(found):
        raise Breach(rule, f"{rule} offers {max(found, key=found.count)} twice {where}")
    if min(found) < 0 or max(found) >= game.actions():
        most = game.actions() - 1
        raise Breach(rule, f"{rule} offers {min(found)} to {max(found)} {where}; actions are 0 to {most}")
    return found


def stands(state: Any) -> str:
    """The fields of a state, in one line."""
    fields = ", ".join(f"{name} = {' '.join(str(state[name]).split())}" for name in state.dtype.names if name[0] != "_")
    return f"stands at {fields[:300]}"
