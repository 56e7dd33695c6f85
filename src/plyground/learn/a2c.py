"""Advantage actor-critic for one player: a policy is drawn from, and a critic says what was to be expected.

Many games are played for some moves each by the policy as it is (A2C: what A3C does, without its threads; Mnih et
al., 2016).  Then both nets learn from what came of it, once:

    R(t)       = r(t) + gamma * R(t + 1), from the critic's V where the play broke off, and 0 after a game's end
    advantage  = R - V
    loss       = mean of  -log pi(action) * advantage  +  (R - V)^2 / 2  -  entropy * H(pi)

The actor rates every action by the state that it leaves; pi is the softmax of the ratings.  The critic sees the mean of
these afterstates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..nets.afterstates import Successors
from ..nets.later import models, torch
from ..spec import About
from . import checkpoint
from .base import stream, stream_state
from .one_player import NetLearner, OnePlayerOptions, best
from .optimizer import uncompiled


@dataclass(frozen=True)
class A2COptions(OnePlayerOptions):
    environments: Annotated[int, About("games at the same time", low=1, high=4096)] = 32
    rollout: Annotated[int, About("moves in each of them between two updates", low=1, high=10_000)] = 16
    entropy: Annotated[float, About("weight of the policy's entropy, lest it settles too soon", low=0, high=100)] = 0.01


class Step(NamedTuple):
    """A move in every game."""

    seen: Successors
    picked: np.ndarray  # int64[games]: which of the actions seen
    rewards: np.ndarray  # float32[games]
    ended: np.ndarray  # bool[games]


class A2C(NetLearner):
    """Advantage actor-critic for one player."""

    options_type = A2COptions
    output = "policy"

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.both = self.nets()
        self.adam = uncompiled(torch.optim.Adam)(self.both.parameters(), lr=options.lr)
        self.rng = np.random.default_rng([seed, 0])

    def nets(self) -> torch.nn.ModuleDict:
        """Actor and critic."""
        return torch.nn.ModuleDict({"actor": self.model, "critic": models.MLP(self.sizes, self.seed + 1)})

    # --- playing ---

    def advance(self) -> dict[str, float]:
        """Play on in every game, then learn."""
        steps, counted = [], []
        for _ in range(self.options.rollout):
            self.may_stop()
            steps.append(self.play())
            counted += self.world.counted(steps[-1].ended, self.counts)
        self.done += len(steps) * len(self.world.envs)
        figures = self.learn(steps, self.world.look())
        return figures | ({f"training_{self.counts}": float(np.mean(counted))} if counted else {})

    def play(self) -> Step:
        """Draw an action from the policy in every game."""
        seen = self.world.look()
        noise = self.rng.gumbel(size=len(seen.inputs))  # the largest sum is a draw from the softmax
        picked = best(seen, self.rate(seen.inputs) + noise)
        ended = self.world.step(seen.actions[picked])
        return Step(seen, picked, self.earned(seen, picked), ended)

    def earned(self, seen: Successors, picked: np.ndarray) -> np.ndarray:
        """What the actions have earned that were just played, float32[games]: by themselves, and by chance."""
        return self.rewards(seen.inputs[picked], seen.ended[picked], seen.lost[picked]) + self.drawn()

    # --- learning ---

    def learn(self, steps: list[Step], last: Successors) -> dict[str, float]:
        """One step of Adam."""
        with torch.no_grad():
            then = self.value(last).numpy()
        returns = torch.tensor(np.concatenate(discounted(steps, then, self.options.gamma)))
        values = torch.cat([self.value(step.seen) for step in steps])
        policies = [self.policy(step) for step in steps]
        log_pi, entropy = (torch.cat(part) for part in zip(*policies, strict=True))

        advantage = (returns - values).detach()
        actor_loss = -(log_pi * advantage).mean()
        critic_loss = ((returns - values) ** 2).mean() / 2
        loss = actor_loss + critic_loss - self.options.entropy * entropy.mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        parts = {
            "actor_loss": actor_loss,
            "critic_loss": critic_loss,
            "entropy": entropy.mean(),
            "value": values.mean(),
        }
        return {name: float(part.detach()) for name, part in parts.items()}

    def policy(self, step: Step) -> tuple[torch.Tensor, torch.Tensor]:
        """Log pi of the actions that were picked, and the entropy of pi: float32[games] each."""
        seen, owners = step.seen, torch.tensor(step.seen.owners)
        ratings = self.model(torch.tensor(seen.inputs))[:, 0].masked_fill(torch.tensor(~seen.sensible), -torch.inf)
        games, most = len(step.picked), int(np.bincount(seen.owners).max())
        places = torch.arange(len(owners)) - torch.tensor(seen.starts)[owners]
        table = torch.full((games, most), -torch.inf).index_put((owners, places), ratings)
        log_pi = torch.log_softmax(table, 1)
        picked = log_pi[torch.arange(games), places[torch.tensor(step.picked)]]
        return picked, -(log_pi.exp() * log_pi.clamp(min=-1e9)).sum(1)

    def value(self, seen: Successors) -> torch.Tensor:
        """What the critic expects in each state: float32[games]."""
        counts = np.diff(seen.starts, append=len(seen.inputs))
        means = np.add.reduceat(seen.inputs, seen.starts) / counts[:, None]
        return self.both["critic"](torch.tensor(means.astype(np.float32)))[:, 0]

    # --- checkpoints ---

    def arrays(self) -> dict[str, np.ndarray]:
        return checkpoint.arrays_of(self.both, self.adam) | self.world.arrays()

    def notes(self) -> dict[str, Any]:
        return {"done": self.done, "rng": stream_state(self.rng), "adam": checkpoint.steps(self.both, self.adam)}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.rng = notes["done"], stream(notes["rng"])
        checkpoint.restore(self.both, self.adam, arrays, notes["adam"])
        self.world.restore(arrays)


def discounted(steps: list[Step], then: np.ndarray, gamma: float) -> list[np.ndarray]:
    """The returns R of every step, from the last one backwards; `then` is the value of where the play broke off."""
    returns = []
    for step in reversed(steps):
        then = (step.rewards + gamma * np.where(step.ended, 0, then)).astype(np.float32)
        returns.append(then)
    return returns[::-1]
