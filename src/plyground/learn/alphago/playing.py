"""Games that policies play, many at once: each draws its actions by the probabilities that its net gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...nets.evaluate import Encoder, legal_all, softmax
from ...nets.later import inference, models
from ...rules import dtype, kernel
from ..measure import look

LONGEST = 1024  # plies; a longer game counts as drawn
AT_ONCE = 1024  # positions that a net is asked about at once

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # states, movers and numbers of games to actions


class Policy:
    """Draws actions by a net with policy and value, as the net is when this is made."""

    def __init__(self, game: Any, net: models.ResNet) -> None:
        self.game, self.encode, self._judge = game, Encoder(game, "board"), inference.Inference(net, half=False)
        self._moves = np.zeros(game.actions(), np.int16)

    def legal(self, states: np.ndarray) -> np.ndarray:
        """bool[n, actions]: what may be played."""
        found = np.zeros((len(states), self.game.actions()), np.bool_)
        legal_all(self.game, states, self._moves, found)
        return found

    def _answers(self, states: np.ndarray) -> np.ndarray:
        """float32[n, actions + 1]: the logits of the actions, then the value for who moves."""
        parts = [self._judge(self.encode(states[i : i + AT_ONCE])) for i in range(0, len(states), AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, self.game.actions() + 1), np.float32)

    def probabilities(self, states: np.ndarray) -> np.ndarray:
        """float64[n, actions], 0 of those that are not legal."""
        logits = self._answers(states)[:, :-1].astype(np.float64)
        return softmax(np.where(self.legal(states), logits, -np.inf))

    def draw(self, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions int64[n]."""
        return drawn(self.probabilities(states), rng)

    def values(self, states: np.ndarray) -> np.ndarray:
        """What the net says of the states, for who moves: float32[n]."""
        return self._answers(states)[:, -1]


def drawn(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Actions int64[n], drawn by probabilities [n, actions]."""
    below = chances.cumsum(axis=1)
    total = below[:, -1:]
    wanted = np.minimum(rng.random(len(chances))[:, None] * total, np.nextafter(total, 0))
    return (below <= wanted).sum(axis=1)


@kernel
def begin_each(game, states, blank):
    """Set up the first position of every game.

    states [n]; blank [1]: a zeroed state.
    """
    for i in range(states.size):
        states[i] = blank[0]
        game.start(states[i])


@kernel
def play_each(game, states, numbers, actions):
    """Play actions[i] in states[numbers[i]]."""
    for i in range(numbers.size):
        game.play(states[numbers[i]], np.int64(actions[i]))


def first_states(game: Any, number: int) -> np.ndarray:
    """So many games at their start."""
    states = np.zeros(number, dtype(game))
    begin_each(game, states, np.zeros(1, dtype(game)))
    return states


def movers(game: Any, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """bool[n], which games are over; int64[n], who moves in the others; float64[n], the scores of those that are."""
    ended, signs, scores = np.zeros(len(states), np.bool_), np.zeros(len(states)), np.zeros(len(states))
    look(game, states, ended, signs, scores)
    return ended, ((1 - signs) / 2).astype(np.int64), scores


def play_out(game: Any, states: np.ndarray, choose: Choose, may_stop: Callable[[], None] = lambda: None) -> np.ndarray:
    """Play games to their ends, in `states`; the scores float64[n] for player 0, 0 of what does not end.

    `choose` is asked about all that are not over: by their states, by who moves, and by their numbers.  `may_stop` is
    called before every ply, and may raise.
    """
    for _ in range(LONGEST):
        may_stop()
        ended, players, scores = movers(game, states)
        here = np.flatnonzero(~ended)
        if not len(here):
            break
        play_each(game, states, here, choose(states[here], players[here], here))
    return scores


def duels(
    game: Any,
    own: Policy,
    other: Policy,
    number: int,
    rng: np.random.Generator,
    may_stop: Callable[[], None] = lambda: None,
) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, ...]]]:
    """Games of two policies, the first of which moves first in every second one: its results float64[n], its seats
    int64[n], and of all its moves the states, the actions and the numbers of the games."""
    seats: np.ndarray = np.arange(number) % 2
    moves: list[tuple[np.ndarray, ...]] = []

    def choose(states: np.ndarray, players: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        mine = players == seats[numbers]
        actions = np.zeros(len(states), np.int64)
        actions[mine], actions[~mine] = own.draw(states[mine], rng), other.draw(states[~mine], rng)
        moves.append((states[mine].copy(), actions[mine], numbers[mine]))
        return actions

    results = play_out(game, first_states(game, number), choose, may_stop) * (1 - 2 * seats)
    return results, seats, moves
