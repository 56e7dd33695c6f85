"""Deep Q-learning for Tetris: a net tells what a placement is worth by the well that it leaves.

The rules say which wells the placements of a piece lead to, so the net needs no output for every action: it is shown
one well after the other (the *afterstates*), and learns from remembered placements

    Q(placement)  towards  r + gamma * E max Q(next placement)

The mean is over all pieces that chance may bring, not over the one that came; a well in which every placement ends the
game is worth nothing.  Q on the right-hand side is the target net, an older copy (Mnih et al., 2015).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch

from ..rules import dtype, record
from ..spec import About, InputError
from . import checkpoint
from .base import stream, stream_state
from .tetris import NetLearner, TetrisOptions, best, rated

REPORT = 1_000  # placements between two lines of figures


@dataclass(frozen=True)
class AfterstateOptions(TetrisOptions):
    lr: Annotated[float, About("Adam's learning rate", low=0, high=10)] = 0.001
    gamma: Annotated[float, About("what a reward one placement later is worth", low=0, high=1)] = 0.99
    epsilon: Annotated[float, About("share of random placements at the start", low=0, high=1)] = 0.5
    epsilon_end: Annotated[float, About("share of random placements from `epsilon_pieces` on", low=0, high=1)] = 0.01
    epsilon_pieces: Annotated[int, About("placements in which epsilon falls, exponentially", low=1)] = 20_000
    environments: Annotated[int, About("games at the same time", low=1, high=4096)] = 16
    memory: Annotated[int, About("placements that are remembered", low=1, high=10_000_000)] = 20_000
    batch: Annotated[int, About("placements in an update", low=1)] = 32
    updates: Annotated[float, About("updates for every placement", low=0, high=100)] = 0.1
    target_every: Annotated[int, About("updates after which the target net is renewed", low=1)] = 30


class AfterstateDQN(NetLearner):
    """Deep Q-learning for Tetris, on the wells that placements leave."""

    options_type = AfterstateOptions

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if options.memory < options.environments:
            raise InputError(f"train: memory holds at least a placement of each of {options.environments} games")
        self.target = deepcopy(self.model)
        self.adam = torch.optim.Adam(self.model.parameters(), lr=options.lr)
        self.rng = np.random.default_rng([seed, 0])
        known = [("inputs", np.float32, (self.eyes.numbers,)), ("reward", np.float32), ("after", dtype(game))]
        self.memory = np.zeros(options.memory, record(known))
        self.remembered = 0  # placements so far, those that were overwritten as well
        self.updates = 0
        self.due = 0.0  # updates that are still to be made

    # --- playing ---

    def advance(self) -> dict[str, float]:
        """Place some pieces, and learn from the memory."""
        begun, updates, loss = self.done, self.updates, 0.0
        lines: list[int] = []
        while self.done - begun < REPORT and self.done < self.steps:
            lines += self.place()
            self.due += self.options.updates * len(self.world.envs)
            while self.due >= 1 and self.remembered:
                self.due -= 1
                loss += self.learn(self.memory[self.rng.integers(self.held, size=self.options.batch)])
        figures = {"loss": loss / max(1, self.updates - updates), "epsilon": self.epsilon()}
        return figures | ({"training_lines": float(np.mean(lines))} if lines else {})

    def place(self) -> list[int]:
        """A piece in every game, the best way or, with probability epsilon, any; the lines of games that ended."""
        seen, number = self.world.look(), len(self.world.envs)
        picked = best(seen, self.rate(seen.inputs))
        anyhow = best(seen, self.rng.random(len(seen.inputs)))
        picked = np.where(self.rng.random(number) < self.epsilon(), anyhow, picked)
        inputs, lost = seen.inputs[picked], seen.lost[picked]
        ended = self.world.step(seen.actions[picked])
        self.remember(inputs[~lost], self.rewards(inputs, lost)[~lost], self.world.envs["after"][~lost])
        self.done += number
        return self.world.envs["lines"][ended].tolist()

    def remember(self, inputs: np.ndarray, rewards: np.ndarray, after: np.ndarray) -> None:
        where = (self.remembered + np.arange(len(inputs))) % len(self.memory)
        self.memory["inputs"][where], self.memory["reward"][where], self.memory["after"][where] = inputs, rewards, after
        self.remembered += len(inputs)

    @property
    def held(self) -> int:
        return min(self.remembered, len(self.memory))

    def epsilon(self) -> float:
        """The share of random placements: start * (end / start) ** (pieces / epsilon_pieces), then the end."""
        o = self.options
        if self.done >= o.epsilon_pieces or o.epsilon <= o.epsilon_end:
            return o.epsilon_end
        return o.epsilon * (max(o.epsilon_end, 0.001) / o.epsilon) ** (self.done / o.epsilon_pieces)

    # --- learning ---

    def learn(self, some: np.ndarray) -> float:
        """One update on these placements; its loss."""
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
        """r + gamma * E max Q(next placement): float32[n]."""
        futures, owners, weights = self.eyes.futures(np.ascontiguousarray(after))
        seen = self.eyes(futures)
        worth = np.where(seen.lost, -np.inf, rated(self.target, seen.inputs))
        tops = np.maximum.reduceat(worth, seen.starts)
        means = np.bincount(owners, weights * np.where(np.isfinite(tops), tops, 0), len(after))
        return (rewards + self.options.gamma * means).astype(np.float32)

    # --- keeping ---

    def arrays(self) -> dict[str, np.ndarray]:
        older = {f"target.{name}": value.numpy().copy() for name, value in self.target.state_dict().items()}
        kept = {"memory": self.memory[: self.held].view(np.uint8).reshape(self.held, -1)}
        return checkpoint.kept(self.model, self.adam) | older | kept | self.world.arrays()

    def notes(self) -> dict[str, Any]:
        counters = {name: getattr(self, name) for name in ("done", "remembered", "updates", "due")}
        return counters | {"rng": stream_state(self.rng), "adam": checkpoint.steps(self.model, self.adam)}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.remembered = notes["done"], notes["remembered"]
        self.updates, self.due, self.rng = notes["updates"], notes["due"], stream(notes["rng"])
        checkpoint.put_back(self.model, self.adam, arrays, notes["adam"])
        older = {name: torch.tensor(arrays[f"target.{name}"]) for name in self.target.state_dict()}
        self.target.load_state_dict(older)
        self.memory.view(np.uint8).reshape(len(self.memory), -1)[: self.held] = arrays["memory"]
        self.world.restore(arrays)
