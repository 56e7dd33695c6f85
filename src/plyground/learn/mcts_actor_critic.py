"""Actor-critic with MCTS for one player: a tree search plays, and what comes of it teaches a policy and a value.

One net tells of every action a logit and v, what is to come after it; `search.mcts.single_player` searches by it.

    played    drawn by the visits of the search (to the power of 1 / temperature)
    R(t)      r(t) + gamma * (trace * R(t + 1) + (1 - trace) * the search's value of the next state); 0 after the end
    v(s)      the mean of r + gamma * v(action) by the policy
    critic    minimises  (R - (r + gamma * v(action)))^2 / 2
    actor     visits:   ascends  the mean of log pi by the shares of the visits  +  entropy * H(pi)
              returns:  ascends  log pi(action) * (R - v(s)) / deviation  +  entropy * H(pi)

The study's are `returns` and trace 1.  Within a tree, values are scaled to lie between 0 and 1.  The net that is
measured and kept has the running mean of the weights.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..agents.linear import Games
from ..agents.mcts_actor_critic import search_settings
from ..nets.afterstates import Successors
from ..nets.card import Card
from ..nets.later import models, torch
from ..search.mcts.batched_single_player import SOFTEN, BatchedSinglePlayerPUCT, FastRollOut, Roots, Soften
from ..search.mcts.settings import Exploration
from ..search.mcts.single_player import MOST
from ..spec import About
from . import checkpoint
from .a2c import A2C, A2COptions
from .one_player import MEASURED, best, judged, play_by, rated


@dataclass(frozen=True)
class MCTSOptions(A2COptions):
    moves: Annotated[int, About("moves of training", low=1)] = 100_000
    sims: Annotated[int, About("simulations of a search", low=2, high=MOST)] = 16
    measure_sims: Annotated[int, About("those of a search that is measured", low=2, high=MOST)] = 64
    c: Exploration = 2.0
    soften: Soften = SOFTEN
    fast: FastRollOut = 0.0
    temperature: Annotated[float, About("moves are drawn by visits to the power of 1 / this", low=0.01)] = 1.0
    actor: Annotated[str, About("what the policy learns from", choices=("visits", "returns"))] = "visits"
    trace: Annotated[float, About("share of what came later in R, against the search's value", low=0, high=1)] = 0.2
    newest: Annotated[float, About("share of the newest weights in the mean that is kept", low=0, high=1)] = 0.002
    batch: Annotated[int, About("moves in an update", low=1)] = 64
    epochs: Annotated[int, About("how often a move is learnt from", low=1, high=100)] = 4

    formerly: ClassVar = A2COptions.formerly | {"uses": "epochs"}


class Searched(NamedTuple):
    """A move in every game."""

    seen: Successors
    picked: np.ndarray  # int64[games]: which of the actions seen
    rewards: np.ndarray  # float32[games]
    ended: np.ndarray  # bool[games]
    found: Roots

    def shares(self) -> np.ndarray:
        """float32[actions]: of the visits of their state."""
        visits = self.found.visits
        return (visits / np.add.reduceat(visits, self.seen.starts)[self.seen.owners]).astype(np.float32)


class Table(NamedTuple):
    """States with all their actions, in rows that are filled up to the same length."""

    inputs: torch.Tensor  # float32[states, most, numbers]
    sensible: torch.Tensor  # bool[states, most]
    ended: torch.Tensor  # bool[states, most]: the game is over then
    lost: torch.Tensor  # bool[states, most]: and that is a loss; or there is no such action
    shares: torch.Tensor  # float32[states, most]: of the visits
    picked: torch.Tensor  # int64[states]

    @classmethod
    def of(cls, seen: list[Successors], steps: list[Searched] | None = None) -> Table:
        """What was seen, and, of the same steps, what was searched and picked."""
        widths = np.concatenate([np.diff(one.starts, append=len(one.inputs)) for one in seen])
        where = np.arange(widths.max()) < widths[:, None]

        def filled(parts: list[np.ndarray], else_: Any) -> torch.Tensor:
            whole = np.concatenate(parts)
            made = np.full((*where.shape, *whole.shape[1:]), else_, whole.dtype)
            made[where] = whole
            return torch.tensor(made)

        inputs = filled([one.inputs for one in seen], 0)
        sensible = filled([one.sensible for one in seen], False)
        ended, lost = (filled([getattr(one, name) for one in seen], True) for name in ("ended", "lost"))
        if steps is None:
            return cls(inputs, sensible, ended, lost, torch.zeros(0), torch.zeros(0))
        shares = filled([step.shares() for step in steps], 0)
        picked = np.concatenate([step.picked - step.seen.starts for step in steps])
        return cls(inputs, sensible, ended, lost, shares, torch.tensor(picked))

    def rows(self, some: torch.Tensor) -> Table:
        return Table(*(part[some] for part in self))


class Said(NamedTuple):
    """What the net says of them."""

    log_pi: torch.Tensor  # float32[states, most]
    worth: torch.Tensor  # float32[states, most]: r + gamma * v of actions
    values: torch.Tensor  # float32[states]: v(s)


class MCTSActorCritic(A2C):
    """Actor-critic with MCTS for one player: the study's, and a better one."""

    options_type = MCTSOptions
    output = "policy-value"
    outputs = 2
    presets: ClassVar = {"study": {"actor": "returns", "trace": 1.0}}

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.curve = (self.counts, f"net_{self.counts}")  # type: ignore[misc]
        self.average = deepcopy(self.model)  # of the weights on the way: it is what is measured and kept in the end
        self.puct = self.search_of(options.environments, options.sims, seed)

    def nets(self) -> torch.nn.ModuleDict:
        return torch.nn.ModuleDict({"both": self.model})

    def search_of(self, number: int, sims: int, seed: int) -> BatchedSinglePlayerPUCT:
        """So many trees to search at once, with so many simulations each."""
        o = self.options
        told = self.encoder.afterstates
        settings = search_settings(told, self.returns, o.c, o.soften, o.fast)
        return BatchedSinglePlayerPUCT(self.game, self.encoder.features, settings, number, sims, told.fast, seed)

    @property
    def returns(self) -> list[float]:
        return [self.options.gamma, self.options.alive, self.options.point]

    def net(self) -> tuple[models.ActionMLP, Card]:
        _, card = super().net()
        return self.average, replace(card, returns=self.returns)

    def judge(self, inputs: np.ndarray) -> np.ndarray:
        return judged(self.model, inputs)

    def rate(self, inputs: np.ndarray) -> np.ndarray:
        return rated(self.average, inputs)

    # --- playing ---

    def play(self) -> Searched:  # type: ignore[override]
        """Search in every game, and draw an action by the visits."""
        seen = self.world.look()
        found = self.puct.search(self.world.envs["state"], self.judge)
        with np.errstate(divide="ignore"):
            likely = np.log(found.visits) / self.options.temperature
        picked = best(seen, likely + self.rng.gumbel(size=len(likely)))
        ended = self.world.step(seen.actions[picked])
        return Searched(seen, picked, self.earned(seen, picked), ended, found)

    # --- learning ---

    def learn(self, steps: list[Searched], last: Successors) -> dict[str, float]:  # type: ignore[override]
        """Learn from these moves, in minibatches, several times over."""
        with torch.no_grad():
            then = self.look(Table.of([last])).values.numpy()
        returns = torch.tensor(np.concatenate(traced(steps, then, self.options.gamma, self.options.trace)))
        table = Table.of([step.seen for step in steps], steps)
        figures: list[dict[str, float]] = []
        for _ in range(self.options.epochs):
            for some in np.array_split(self.rng.permutation(len(returns)), -(-len(returns) // self.options.batch)):
                figures.append(self.update(table.rows(torch.tensor(some)), returns[torch.tensor(some)]))
        return {name: float(np.mean([each[name] for each in figures])) for name in figures[0]}

    def update(self, table: Table, returns: torch.Tensor) -> dict[str, float]:
        """One step of Adam."""
        said = self.look(table)
        states = torch.arange(len(returns))
        if self.options.actor == "visits":
            actor_loss = -(table.shares * said.log_pi.clamp(min=-1e9)).sum(1).mean()
        else:
            advantage = (returns - said.values).detach()
            advantage /= advantage.std(correction=0) + 1e-6
            actor_loss = -(said.log_pi[states, table.picked] * advantage).mean()
        critic_loss = ((returns - said.worth[states, table.picked]) ** 2).mean() / 2
        entropy = -(said.log_pi.exp() * said.log_pi.clamp(min=-1e9)).sum(1).mean()
        self.adam.zero_grad()
        (actor_loss + critic_loss - self.options.entropy * entropy).backward()
        self.adam.step()
        share = max(self.options.newest, 1 / checkpoint.steps(self.both, self.adam))
        with torch.no_grad():
            for mean, newest in zip(self.average.parameters(), self.model.parameters(), strict=True):
                mean.lerp_(newest, share)
        parts = {"actor_loss": actor_loss, "critic_loss": critic_loss, "entropy": entropy, "value": said.values.mean()}
        return {name: float(part.detach()) for name, part in parts.items()}

    def look(self, table: Table) -> Said:
        """What the net says of states and their actions."""
        answers = self.model(table.inputs)
        log_pi = torch.log_softmax(answers[..., 0].masked_fill(~table.sensible, -torch.inf), 1)
        rewards = self.options.alive * ~table.ended + self.options.point * table.inputs[..., -1]
        later = answers[..., 1].masked_fill(table.ended, 0)
        worth = (rewards + self.options.gamma * later).masked_fill(table.lost, 0)
        return Said(log_pi, worth, (log_pi.exp().detach() * worth).sum(1))

    def measure(self) -> dict[str, float]:
        """Scores of games that its search plays, and of games by the policy alone."""
        unsearched, searched = (self.figures_of(play(MEASURED)) for play in (self.unsearched, self.searched))
        return searched | {f"net_{name}": unsearched[name] for name in (self.counts, f"{self.counts}_interval")}

    def searched(self, number: int) -> Games:
        """Games by its search, with other chance events than those of training."""
        puct = self.search_of(number, self.options.measure_sims, -1 - self.seed)

        def pick(states: np.ndarray, seen: Successors) -> np.ndarray:
            self.may_stop()
            return best(seen, puct.search(states, partial(judged, self.average)).preference())

        return play_by(self.encoder, pick, number, self.options.limit, -1 - self.seed)

    # --- checkpoints ---

    def arrays(self) -> dict[str, np.ndarray]:
        average = {f"average.{name}": value.numpy().copy() for name, value in self.average.state_dict().items()}
        return super().arrays() | average | {"search": self.puct.walkers["rng"].copy()}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        super().restore(arrays, notes)
        average = {name: torch.tensor(arrays[f"average.{name}"]) for name in self.average.state_dict()}
        self.average.load_state_dict(average)
        self.puct.walkers["rng"] = arrays["search"]


def traced(steps: list[Searched], then: np.ndarray, gamma: float, trace: float) -> list[np.ndarray]:
    """The returns R of every step, from the last one backwards; `then` is the value of where the play broke off."""
    returns = []
    for step in reversed(steps):
        here = (step.rewards + gamma * np.where(step.ended, 0, then)).astype(np.float32)
        returns.append(here)
        then = trace * here + (1 - trace) * step.found.worth
    return returns[::-1]
