"""A toy for one player: dig or sell, and chance says how much; and the naive search of such games."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import naive

CHANCE = -1


class Mine(NamedTuple):
    """Dig for 1 or 4 of ore, or sell it all at the day's price, which is 1, 2 or 3 from the next day on; so many days.

    Who sells on a day of price 3 may stop then, which ends the game.  The score is what was earned, times `unit`.
    """

    days: int = 4
    unit: float = 1.0

    def fields(game):
        return [("earned", np.int32), ("ore", np.int16), ("day", np.int8), ("price", np.int8), ("digs", np.int8)]

    def start(game, state):
        state.price = 1

    def alone(game):
        return True

    def actions(game):
        return 3

    def player(game, state):
        return CHANCE if state.digs or state.price == 0 else 0

    def legal(game, state, out):
        for i in range(3):
            out[i] = i  # dig, sell, stop
        return 3 if state.price == 3 else 2

    def chance(game, state, out, weights):
        count = 2 if state.digs else 3
        for i in range(count):
            out[i] = i
            weights[i] = (0.75 if i == 0 else 0.25) if state.digs else 1 / 3
        return count

    def play(game, state, action):
        if state.digs:
            state.ore += 1 if action == 0 else 4
            state.digs = 0
            state.price = 0
        elif state.price == 0:
            state.price = action + 1
        else:
            state.day += 1
            if action == 0:
                state.digs = 1
            else:
                state.earned += state.ore * state.price
                state.ore = 0
                state.price = 0
                if action == 2:
                    state.day = game.days

    def over(game, state):
        return state.day == game.days and state.digs == 0

    def score(game, state):
        return state.earned * game.unit

    def planes(game):
        return (1, 1, 7)

    def encode(game, state, planes):
        planes[0, 0, 0] = (game.days - state.day) / game.days
        planes[0, 0, 1] = state.ore / 4
        planes[0, 0, 2] = state.digs
        planes[0, 0, 3 + state.price] = 1


@cache
def load() -> Any:
    """The class, ready for use."""
    from plyground import games

    return games.maker(f"{__file__}:Mine")


class Alone(naive.UCT):
    """UCT in a game of one player: the score after so many moves counts, and c stands for half the range of results."""

    def __init__(self, game: Any, state: Any, spec: str, seed: int) -> None:
        super().__init__(game, state, spec, seed)
        self.c, self.seen = self.options["c"], []

    def ends(self, at: naive.Game) -> bool:
        """Has the simulation come to its end?"""
        moves = sum(player != CHANCE for player, _ in at.record)
        mine = not self.game.over(at.state) and self.game.player(at.state) != CHANCE
        return bool(self.game.over(at.state)) or (mine and moves == self.options["horizon"])

    def descend(self, at: naive.Game) -> list[naive.Node]:
        path = [self.root]
        while not self.ends(at):
            nature = self.game.player(at.state) == CHANCE
            child = self.chance_child(path[-1], at) if nature else self.choose(path[-1], at, 1)
            path.append(child)
            at.play(child.action)
            if child.visits == 0:
                break
        return path

    def evaluate(self, leaf: naive.Node, at: naive.Game) -> tuple[float, list[tuple[int, int]]]:
        total = 0.0
        for _ in range(self.options["rollouts"]):
            end = at.copy()
            while not self.ends(end):
                if self.game.player(end.state) == CHANCE:
                    end.play(self.drawn(end.state))
                else:
                    actions = naive.rules.legal(self.game, end.state)
                    end.play(actions[self.stream.below(len(actions))])
            total += self.game.score(end.state)
        result = total / self.options["rollouts"]
        self.seen.append(result)
        half = (max(self.seen) - min(self.seen)) / 2
        self.options["c"] = self.c * (half or 1)
        return result, []
