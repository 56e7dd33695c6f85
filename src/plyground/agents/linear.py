"""The agent `linear` and what agents like it share: features of actions times weights, one or two moves ahead."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..nets.afterstates import afterstates, must_be_seen
from ..nets.card import AFTERSTATES
from ..nets.files import read_card, read_weights
from ..rules import dtype
from ..search.depth_first.lookahead import Lookahead
from ..spec import InputError
from .base import Agent, Limit, Move, RunFolder, Thought, same

APART = 1_000_003  # between the seeds of two sets of games


class Controller(Agent):
    """Chooses by a scoring, in a game of one player.  The same position always gets the same answer."""

    depth: int = 1
    in_points = False  # a scoring's numbers only say what is better

    def __post_init__(self) -> None:
        self._search: Lookahead | None = None

    def scoring(self, game: Any) -> Any:
        """What actions are worth to it."""
        raise TypeError(f"{type(self).__name__} has no weights")

    def play_alone(self, game: Any, seed: int, moves: int) -> tuple[Any, int]:
        """Play a game without Python between the moves; return its last state and how many moves there were."""
        self.must_play(game)
        return Lookahead(game, self.scoring(game), self.depth, seed).play(moves)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        if self._search is None or not same(self._search.game, game):
            self._search = Lookahead(game, self.scoring(game), self.depth)
            self._search.ready()
        search = self._search
        before, begun = search.looked, time.perf_counter()
        moves = sorted((Move(action, 0, points) for action, points in search.judge(state)), key=lambda m: -m.value)
        seconds = time.perf_counter() - begun
        return Thought(moves[0].action, moves[0].value, search.looked - before, seconds, moves, [moves[0].action])


@dataclass
class Linear(Controller):
    """Features of an action times weights that `train cross-entropy` or `train cma-es` has found, for one player."""

    run: RunFolder

    def __post_init__(self) -> None:
        super().__post_init__()
        weights_of(self.run)  # or InputError, before anything is played

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_seen(game)

    def scoring(self, game: Any) -> Any:
        return controller(self.run, game)


def weights_of(run: str | Path) -> np.ndarray:
    """The weights float64[numbers] of a run of cross-entropy or CMA-ES."""
    card, layers = read_card(Path(run)), read_weights(Path(run))
    if card.kind != AFTERSTATES or len(layers) != 1 or card.output != "q":
        raise InputError(f"{run} holds no weights of a linear controller")
    return layers[0][0][0].astype(np.float64)


def controller(run: str | Path, game: Any) -> Any:
    """The linear controller of a run of cross-entropy or CMA-ES, as a scoring for `play_games` and `Lookahead`."""
    weights, told = weights_of(run), afterstates(game)
    make, count = told.linear(game)
    first, features = next(iter(told.features.items()))
    if read_card(Path(run)).input != first or len(weights) != features.numbers(game):
        raise InputError(f"{run} holds no weights of a linear controller for this game")
    return make(weights[:count])


class Games(NamedTuple):
    """Games of one player that were played: an entry each."""

    states: np.ndarray  # how they ended
    scores: np.ndarray  # float64
    moves: np.ndarray  # int64
    ended: np.ndarray  # bool; else the limit ended it

    @classmethod
    def of(cls, game: Any, number: int) -> Games:
        """So many, still to be played."""
        states = np.zeros(number, dtype(game))
        return cls(states, np.zeros(number), np.zeros(number, np.int64), np.zeros(number, np.bool_))

    def enter(self, number: int, game: Any, state: Any, moves: int) -> None:
        """A game ended so, or was ended."""
        self.states[number], self.scores[number], self.moves[number] = state, game.score(state), moves
        self.ended[number] = game.over(state)


def play_games(
    game: Any,
    scoring: Any,
    games: int,
    moves: int,
    seed: int = 0,
    depth: int = 1,
    watch: Callable[[Any, int], None] | None = None,
) -> Games:
    """Play games of at most so many moves; a game's chance events depend on the seed and its number alone.

    `watch` is told the state and the number of moves now and then, and may end it by raising.
    """
    if not game.alone():
        raise InputError("a controller plays games of one player, and two play this one")
    search, found = Lookahead(game, scoring, depth), Games.of(game, games)
    for number in range(games):
        search.seed(seed * APART + number)
        state, played = search.play(moves, watch)
        found.enter(number, game, state, played)
    return found
