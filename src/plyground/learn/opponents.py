"""Whom a learner plays: at random, win-block, its own older nets, or any agent; in every game one of those it was told.

What is drawn here comes from a stream of its own, and an agent begins anew for every move, so that a training that was
interrupted meets the same moves again.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .. import agents
from ..nets.evaluate import Greedy
from ..spec import InputError, parse
from .base import stream, stream_state
from .gradient import Evaluate

SELF = "self"
OUTSIDE = re.compile(r"\+(?![^(]*\))")  # a plus that stands in no brackets


def must_be_patient(spec: str) -> None:
    """InputError for agents that nobody would want to be in a training."""
    if parse(spec)[0] == "human":
        raise InputError("train: nobody has the patience to be an opponent in training")


class Opponents:
    """The opponents that `random+self+uct(sims=50)` names, and the others of a learner that sits second, if any."""

    def __init__(
        self, game: Any, text: str, others: str, input: str, theta: np.ndarray, sizes: list[int], seed: int
    ) -> None:
        self.game = game
        self.first = [name.strip() for name in OUTSIDE.split(text)]
        self.second = [name.strip() for name in OUTSIDE.split(others)] if others else []
        self.names = self.first + self.second
        for name in self.names:
            must_be_patient(name)
        named = ("random", "win-block", SELF)
        self._agents = {i: agents.make(name) for i, name in enumerate(self.names) if name not in named}
        self._rng = np.random.default_rng([seed, 1])
        self.nets = theta[None].copy() if SELF in self.names else theta[None][:0].copy()  # older ones, newest last
        self._input, self._sizes = input, sizes
        self.epsilon = 0.0  # share of random actions of the older nets

    def grow_older(self, theta: np.ndarray, keep: int) -> None:
        """Take up the net as it is now, and forget those before the last few."""
        if SELF in self.names:
            self.nets = np.concatenate([self.nets, theta[None]])[-keep:]

    def ask(self, states: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The actions int64[n] of the opponents of these numbers."""
        actions = np.zeros(len(states), np.int64)
        for number in np.unique(numbers):
            here = np.flatnonzero(numbers == number)
            agent = self._agents.get(int(number))
            own = agent is None
            actions[here] = self._own(states[here]) if own else thoughts(agent, self.game, states[here], self._rng)
        return actions

    def _own(self, states: np.ndarray) -> np.ndarray:
        """One of the older nets chooses, but for some actions at random."""
        net = self.nets[int(self._rng.integers(len(self.nets)))]
        outputs = Greedy(self.game, self._input, Evaluate(self._sizes, net)).outputs(states)
        drawn = self._rng.random(outputs.shape)
        drawn[outputs == -np.inf] = -1
        at_random = self._rng.random(len(states)) < self.epsilon
        return np.where(at_random, drawn.argmax(axis=1), outputs.argmax(axis=1))

    def arrays(self) -> dict[str, np.ndarray]:
        return {"opponents": self.nets}

    def notes(self) -> dict[str, Any]:
        return {"opponents": stream_state(self._rng)}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.nets, self._rng = arrays["opponents"].copy(), stream(notes["opponents"])


def thoughts(agent: Any, game: Any, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The actions int64[n] of an agent that begins anew for every state."""
    chosen, streams = [], []
    for state in states:
        agent.begin(int(rng.integers(2**62)))
        if agent.many:
            streams.append(agent.rng)
        else:
            chosen.append(agent.think(game, state).action)
    return np.array(agent.think_in_each(game, states, streams) if agent.many else chosen, np.int64)
