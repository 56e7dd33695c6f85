"""Self-play on the machines of a cluster: groups of games as in `workers`, each played by an actor, round by round.

Nothing depends on which actor plays a group, or on how many actors there are.  What a group needs to go on comes back
with every round and is kept here; an actor that plays the next round of the same group has it already, and another one,
because the first was lost or there are fewer of them now, takes it from here.  So a round that was lost is played again
as it was, and the run has the weights that it has on one machine with as many threads as there are groups.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import ray
import torch

from ... import games
from ...cluster import connected
from ...cluster.pool import Crew
from ...nets.inference import Inference
from .workers import Group, Played, Stage


class Round(NamedTuple):
    """A round of one group.  The net and what the group goes on from lie in the cluster's store."""

    group: int
    groups: int
    rounds: int  # that the group has played before
    positions: int
    net: Any
    arrays: Any  # None before its first round


class Player:
    """What an actor does: it plays rounds, and keeps the groups that it has played."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._groups: dict[int, tuple[int, Group]] = {}  # by number: rounds that it has played, and the group
        self._judge: Inference | None = None

    def __call__(self, task: Round) -> tuple[Played, dict[str, np.ndarray]]:
        """The round, and what the group goes on from."""
        torch.set_num_threads(1)
        net, group = ray.get(task.net), self._group(task)
        self._judge = self._judge or Inference(net)
        self._judge.take(net)
        played = group.play(self._judge, task.positions)
        self._groups[task.group] = task.rounds + 1, group
        return played, group.arrays()

    def _group(self, task: Round) -> Group:
        rounds, group = self._groups.pop(task.group, (0, None))
        if group is None:
            game = games.make(self._stage.name, self._stage.seed)
            group = self._stage.group(game, task.group, task.groups)
        if rounds != task.rounds:
            group.restore(ray.get(task.arrays))
        return group


class Actors:
    """Groups that play at once, each by an actor; as many as there are actors when the run begins."""

    def __init__(self, address: str, actors: int, stage: Stage) -> None:
        self._open = ExitStack()
        self.cluster = self._open.enter_context(connected(address, actors))
        self._crew = self._open.enter_context(Crew(self.cluster, Player(stage), self.cluster.actors, ahead=1))
        self._rounds = 0
        self._arrays: list[Any] = [None] * self.cluster.actors  # what each group goes on from

    @property
    def number(self) -> int:
        return len(self._arrays)

    def play(self, net: Any, positions: int) -> list[Played]:
        """Play so many positions with a net, all groups together."""
        groups, version = len(self._arrays), ray.put(deepcopy(net).cpu())
        share = math.ceil(positions / groups)
        tasks = [Round(i, groups, self._rounds, share, version, own) for i, own in enumerate(self._arrays)]
        found = {task.group: result for task, result in self._crew.run(tasks)}
        self._arrays = [ray.put(found[i][1]) for i in range(groups)]
        self._rounds += 1
        return [found[i][0] for i in range(groups)]

    def arrays(self) -> list[dict[str, np.ndarray]]:
        """The games in progress, group by group, as a checkpoint holds them."""
        return ray.get(self._arrays)

    def restore(self, arrays: list[dict[str, np.ndarray]]) -> None:
        self._arrays = [ray.put(own) for own in arrays]
        self._rounds += 1  # whatever actors have, it is not this

    def told(self) -> str:
        """What there is to say of those who play."""
        lost = f", {self.cluster.lost} lost" if self.cluster.lost else ""
        return f"{self.cluster.actors} actors{lost}"

    def close(self) -> None:
        """End the actors, and leave the cluster."""
        self._open.close()
