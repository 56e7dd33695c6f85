"""Deep Q-learning for one player: a net tells what an action is worth by the state that it leaves.

The rules say which states the actions lead to, so the net needs no output for every action: it is shown one
*afterstate* after the other, and learns from a replay memory

    Q(action)  towards  r + gamma * E max Q(next action)

The expectation is over all that chance may bring, not only what came; the end of the game is worth nothing more.  Q on
the right-hand side is the target net, an older copy (Mnih et al., 2015).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..jit.first_use import first_use
from ..nets.later import torch
from ..rules import CHANCE, dtype, kernel, record
from ..search.rng import outcome, seeded
from ..spec import About, InputError
from . import checkpoint
from .base import stream, stream_state
from .one_player import NetLearner, OnePlayerOptions, best, rated
from .optimizer import uncompiled

REPORT = 1_000  # moves between two lines of figures


@dataclass(frozen=True)
class AfterstateOptions(OnePlayerOptions):
    lr: Annotated[float, About("Adam's learning rate", low=0, high=10)] = 0.001
    epsilon: Annotated[float, About("share of random moves at the start", low=0, high=1)] = 0.5
    epsilon_end: Annotated[float, About("share of random moves from `epsilon_moves` on", low=0, high=1)] = 0.01
    epsilon_moves: Annotated[int, About("moves in which epsilon falls, exponentially", low=1)] = 20_000
    environments: Annotated[int, About("games at the same time", low=1, high=4096)] = 16
    memory: Annotated[int, About("moves that the replay memory holds", low=1, high=10_000_000)] = 20_000
    batch: Annotated[int, About("moves in an update", low=1)] = 32
    updates: Annotated[
        float, About("updates for every move (the replay ratio is this times the batch)", low=0, high=100)
    ] = 0.1
    target_every: Annotated[int, About("updates after which the target net is renewed", low=1)] = 30

    formerly: ClassVar = OnePlayerOptions.formerly | {"epsilon_pieces": "epsilon_moves"}


class AfterstateDQN(NetLearner):
    """Deep Q-learning for one player, on the states that actions leave."""

    options_type = AfterstateOptions

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if options.memory < options.environments:
            raise InputError(f"train: memory holds at least a move of each of {options.environments} games")
        self.chance = Chance(game)
        self.target = deepcopy(self.model)
        self.adam = uncompiled(torch.optim.Adam)(self.model.parameters(), lr=options.lr)
        self.rng = np.random.default_rng([seed, 0])
        fields = [("inputs", np.float32, (self.encoder.numbers,)), ("reward", np.float32), ("after", dtype(game))]
        self.memory = np.zeros(options.memory, record(fields))
        self.remembered = 0  # moves so far, those that were overwritten as well
        self.updates = 0
        self.due = 0.0  # updates that are still to be made

    # --- playing ---

    def advance(self) -> dict[str, float]:
        """Play some moves, and learn from the memory."""
        begun, updates, loss = self.done, self.updates, 0.0
        counted: list[float] = []
        while self.done - begun < REPORT and self.done < self.steps:
            self.may_stop()
            counted += self.play()
            self.due += self.options.updates * len(self.world.envs)
            while self.due >= 1 and self.remembered:
                self.due -= 1
                loss += self.learn(self.memory[self.rng.integers(self.held, size=self.options.batch)])
        figures = {"loss": loss / max(1, self.updates - updates), "epsilon": self.epsilon()}
        return figures | ({f"training_{self.counts}": float(np.mean(counted))} if counted else {})

    def play(self) -> list[float]:
        """A move in every game, the best or, with probability epsilon, any; what the games came to that ended."""
        seen, number = self.world.look(), len(self.world.envs)
        picked = best(seen, self.rate(seen.inputs))
        anyhow = best(seen, self.rng.random(len(seen.inputs)))
        picked = np.where(self.rng.random(number) < self.epsilon(), anyhow, picked)
        inputs, lost = seen.inputs[picked], seen.lost[picked]
        ended = self.world.step(seen.actions[picked])
        rewards = self.rewards(inputs, seen.ended[picked], lost)
        self.remember(inputs[~lost], rewards[~lost], self.world.envs["after"][~lost])
        self.done += number
        return self.world.counted(ended, self.counts)

    def remember(self, inputs: np.ndarray, rewards: np.ndarray, after: np.ndarray) -> None:
        where = (self.remembered + np.arange(len(inputs))) % len(self.memory)
        self.memory["inputs"][where], self.memory["reward"][where], self.memory["after"][where] = inputs, rewards, after
        self.remembered += len(inputs)

    @property
    def held(self) -> int:
        return min(self.remembered, len(self.memory))

    def epsilon(self) -> float:
        """The share of random moves: start * (end / start) ** (moves / epsilon_moves), then the end."""
        o = self.options
        if self.done >= o.epsilon_moves or o.epsilon <= o.epsilon_end:
            return o.epsilon_end
        return o.epsilon * (max(o.epsilon_end, 0.001) / o.epsilon) ** (self.done / o.epsilon_moves)

    # --- learning ---

    def learn(self, some: np.ndarray) -> float:
        """One step of Adam on the mean squared error of these moves; that is the loss."""
        goal = torch.tensor(self.goals(some["reward"], some["after"]))
        loss = ((self.model(torch.tensor(some["inputs"]))[:, 0] - goal) ** 2).mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.updates += 1
        if self.updates % self.options.target_every == 0:
            self.target.load_state_dict(self.model.state_dict())
        return float(loss.detach())

    def goals(self, rewards: np.ndarray, after: np.ndarray) -> np.ndarray:
        """r + gamma * E max Q(next action): float32[n] of rewards float32[n] and afterstates [n].

        An action that ends the game is worth what it earns; one that loses it, nothing.
        """
        futures = self.chance(np.ascontiguousarray(after), seed=self.updates)
        tops = np.zeros(len(futures.states))
        if not futures.ended.all():
            seen = self.encoder(futures.states[~futures.ended] if futures.ended.any() else futures.states)
            worth = rated(self.target, seen.inputs)
            worth = np.where(seen.ended, self.rewards(seen.inputs, seen.ended, seen.lost), worth)
            best_worth = np.maximum.reduceat(np.where(seen.lost, -np.inf, worth), seen.starts)
            tops[~futures.ended] = np.where(np.isfinite(best_worth), best_worth, 0)
        means = np.bincount(futures.owners, futures.weights * tops, len(after))
        gains = np.bincount(futures.owners, futures.weights * futures.gains, len(after))
        point = self.options.point / self.encoder.afterstates.unit
        return (rewards + point * gains + self.options.gamma * means).astype(np.float32)

    # --- checkpoints ---

    def arrays(self) -> dict[str, np.ndarray]:
        older = {f"target.{name}": value.numpy().copy() for name, value in self.target.state_dict().items()}
        kept = {"memory": self.memory[: self.held].view(np.uint8).reshape(self.held, -1)}
        return checkpoint.arrays_of(self.model, self.adam) | older | kept | self.world.arrays()

    def notes(self) -> dict[str, Any]:
        counters = {name: getattr(self, name) for name in ("done", "remembered", "updates", "due")}
        return counters | {"rng": stream_state(self.rng), "adam": checkpoint.steps(self.model, self.adam)}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.remembered = notes["done"], notes["remembered"]
        self.updates, self.due, self.rng = notes["updates"], notes["due"], stream(notes["rng"])
        checkpoint.restore(self.model, self.adam, arrays, notes["adam"])
        older = {name: torch.tensor(arrays[f"target.{name}"]) for name in self.target.state_dict()}
        self.target.load_state_dict(older)
        self.memory.view(np.uint8).reshape(len(self.memory), -1)[: self.held] = arrays["memory"]
        self.world.restore(arrays)


# --- what chance may bring ---


class Futures(NamedTuple):
    """What chance may make of some afterstates, those of an afterstate together."""

    states: np.ndarray  # [n]
    owners: np.ndarray  # int64[n]: the number of the afterstate
    weights: np.ndarray  # float64[n]: how likely
    gains: np.ndarray  # float64[n]: points that chance itself gives
    ended: np.ndarray  # bool[n]: the game is over then


@kernel
def draw_all(game, states, workspace, futures, owners, weights, gains, ended):
    """Write what chance may make of each state; return how many futures there are.

    All outcomes of the first chance event are listed; should others follow, they are drawn.  A state in which chance
    does not move has one future, itself.

    states [n]; workspace [1]: `first` and `likely` take the outcomes of chance.  futures, owners, weights, gains and
    ended are as in `Futures`, and filled from the front.
    """
    count = 0
    for i in range(states.size):
        chance = not game.over(states[i]) and game.player(states[i]) == CHANCE
        number = game.chance(states[i], workspace[0].first, workspace[0].likely) if chance else 1
        for k in range(number):
            futures[count] = states[i]
            owners[count], weights[count] = i, 1.0
            if chance:
                weights[count] = workspace[0].likely[k]
                game.play(futures[count], np.int64(workspace[0].first[k]))
                while not game.over(futures[count]) and game.player(futures[count]) == CHANCE:
                    game.play(futures[count], outcome(game, futures[count], workspace[0]))
            gains[count] = game.score(futures[count]) - game.score(states[i])
            ended[count] = game.over(futures[count])
            count += 1
    return count


class Chance:
    """Lists what chance may make of afterstates of one game."""

    def __init__(self, game: Any) -> None:
        self.game = game
        actions = game.actions()
        fields: list[Any] = [(name, np.int16, (actions,)) for name in ("moves", "first")]
        fields += [(name, np.float64, (actions,)) for name in ("weights", "likely")]
        self._workspace = np.zeros(1, record([*fields, ("rng", np.uint64)]))
        with first_use():  # no state
            self(np.zeros(0, dtype(game)))

    def __call__(self, states: np.ndarray, seed: int = 0) -> Futures:
        """The futures of afterstates; the seed is that of what has to be drawn."""
        room = len(states) * self.game.actions()
        futures, owners, ended = np.zeros(room, dtype(self.game)), np.zeros(room, np.int64), np.zeros(room, np.bool_)
        weights, gains = np.zeros(room), np.zeros(room)
        self._workspace["rng"] = seeded(seed)
        found = draw_all(self.game, states, self._workspace, futures, owners, weights, gains, ended)
        return Futures(futures[:found], owners[:found], weights[:found], gains[:found], ended[:found])
