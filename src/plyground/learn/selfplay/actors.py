"""Self-play on the machines of a cluster: groups of games as in `workers`, each played by an actor, round by round.

Nothing depends on which actor plays a group, or on how many actors there are.  What a group needs to go on comes back
with every round and is kept here; an actor that plays the next round of the same group has it already, and another one,
because the first was lost or there are fewer of them now, takes it from here.  So a round that was lost is played again
as it was, and the run has the weights that it has on one machine with as many threads as there are groups.

Where nodes have GPUs there is an actor a GPU, with a thread for each of its groups; else one a core, with one group.
"""

from __future__ import annotations

import math
import threading
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import ray
import torch

from ... import games
from ...cluster import connected
from ...cluster.pool import Cluster, Crew, Needs
from ...cluster.versions import TRAINING
from ...nets.inference import Inference
from .. import checkpoint
from .workers import GROUPS, LOOK, Group, Played, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .measurement import Measured, Measurement

NET = "net"  # what names of arrays that are weights begin with
LEAST = 2_000  # positions of a group in a round: they come when games end; with fewer, groups wait for the last one
ENOUGH_TO_SPARE = 4  # cores of a cluster from which on one of them measures all the time


class Round(NamedTuple):
    """A round of one group.  The weights and what the group goes on from lie in the cluster's store."""

    group: int
    groups: int
    rounds: int  # that the group has played before
    positions: int
    weights: Any
    arrays: Any  # None before its first round


class Player:
    """What an actor does: it plays rounds, and keeps the groups that it has played.

    net: gets the weights of every round, which are sent without the rest of it: that would take ten times as long.
    """

    def __init__(self, stage: Stage, net: Any, threads: int, gpu: bool) -> None:
        self._stage, self._net, self._threads, self._gpu = stage, net, threads, gpu
        self._groups: dict[int, tuple[int, Group]] = {}  # by number: rounds that it has played, and the group

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in ("_stage", "_net", "_threads", "_gpu")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(*state.values())  # type: ignore[misc]
        self._alone, self._judges = threading.Lock(), SimpleQueue[Inference]()

    def __call__(self, task: Round) -> tuple[Played, dict[str, np.ndarray]]:
        """The round, and what the group goes on from."""
        torch.set_num_threads(1)
        group = self._group(task)
        with self._judge(ray.get(task.weights), group.planes) as judge:
            played = group.play(judge, task.positions)
        self._groups[task.group] = task.rounds + 1, group
        return played, group.arrays()

    @contextmanager
    def _judge(self, weights: dict[str, np.ndarray], planes: np.ndarray) -> Iterator[Inference]:
        """One that no other thread has; all are made before the first one is used, since a GPU wants that."""
        with self._alone:
            checkpoint.restore_weights(self._net, weights, NET)
            device = "cuda" if self._gpu and torch.cuda.is_available() else "cpu"
            while self._threads:
                made = Inference(self._net, device)
                made.prepare(planes)
                self._judges.put(made)
                self._threads -= 1
            judge = self._judges.get()
            judge.take(self._net)
        yield judge
        self._judges.put(judge)

    def _group(self, task: Round) -> Group:
        rounds, group = self._groups.pop(task.group, (0, None))
        begins = task.arrays is None and rounds != task.rounds  # a round that was left is the first one
        if group is None or begins:
            game = games.make(self._stage.name, self._stage.seed)
            group = self._stage.group(game, task.group, task.groups)
        if rounds != task.rounds and task.arrays is not None:
            group.restore(ray.get(task.arrays))
        return group


class Plan(NamedTuple):
    """Who does what on a cluster."""

    actors: int  # that play
    needs: Needs  # of each
    measurers: int  # that measure: 1, or 0 if the process that learns does

    @property
    def groups(self) -> int:
        return self.actors * self.needs.cores


def planned(cluster: Cluster, gpu: bool, measures: bool) -> Plan:
    """What suits the nodes that there are.

    gpu: play on GPUs where nodes have them; measures: is the net measured on the way?
    """
    measurers = int(measures and cluster.cores >= ENOUGH_TO_SPARE)
    having = [node for node in cluster.nodes() if cluster.gpus_of(node) and cluster.cores_of(node)] if gpu else []
    if not having:
        spare = cluster.cores - measurers
        return Plan(min(cluster.actors, spare), Needs(), measurers)
    share = min(cluster.cores_of(node) // cluster.gpus_of(node) for node in having)
    number = sum(map(cluster.gpus_of, having))
    cores = max(1, min(GROUPS, share - measurers))
    players = min(number, cluster.asked or number)
    return Plan(players, Needs(cores, 1), min(measurers, max(0, cluster.cores - players * cores)))


class Actors:
    """Groups that play at once on a cluster; as many as the plan has when the run begins.

    Nobody is hired before there is something to do.
    """

    can_be_kept = False  # a round that is left midway: it is played again

    def __init__(self, address: str, actors: int, stage: Stage, gpu: bool, measures: bool) -> None:
        self._open = ExitStack()
        self.cluster = self._open.enter_context(connected(address, actors, specs=[stage.name], libraries=TRAINING))
        self.plan, self._stage = planned(self.cluster, gpu, measures), stage
        self._crew: Crew | None = None
        self._measurer: Crew | None = None
        self._rounds = 0
        self._tasks: list[Round] = []  # of the round that is being played
        self._found: dict[int, tuple[Played, dict[str, np.ndarray]]] = {}  # what has come of it, by group
        self._arrays: list[Any] = [None] * self.plan.groups  # what each group goes on from

    @property
    def number(self) -> int:
        return len(self._arrays)

    @property
    def busy(self) -> bool:
        """Is a round being played?"""
        return bool(self._tasks)

    def begin(self, net: Any, positions: int, ahead: bool = False) -> None:
        """Begin to play so many positions with a net, all groups together."""
        if self._crew is None:
            plan = self.plan
            tasks = math.ceil(self.number / plan.groups)  # of a round, which nobody may look after until it is over
            work = Player(self._stage, deepcopy(net).cpu(), plan.needs.cores, bool(plan.needs.gpus))
            self._crew = self._hired(work, plan.actors, plan.needs, tasks)
        groups, version = len(self._arrays), ray.put(checkpoint.weights_of(net, NET))
        share = math.ceil(positions / groups)
        self._tasks = [Round(i, groups, self._rounds, share, version, own) for i, own in enumerate(self._arrays)]
        self._found = {}
        self._crew.begin(self._tasks)

    def end(self, may_stop: Callable[[], None] = lambda: None) -> list[Played]:
        """What came of the round that is being played, when it is there, or whatever `may_stop` raises before."""
        assert self._crew is not None
        found = self._found
        while self._crew.busy:
            found |= {task.group: result for task, result in self._crew.look(LOOK)}
            may_stop()
        self._arrays = [ray.put(found[i][1]) for i in range(len(found))]
        self._tasks = []
        self._rounds += 1
        return [found[i][0] for i in range(len(found))]

    def leave(self) -> None:
        """A round that is being played is played again, from where `arrays` was before it."""

    def tally(self) -> np.ndarray | None:
        """Nobody asks the actors."""

    def _hired(self, work: Any, number: int, needs: Needs, ahead: int = 1) -> Crew:
        return self._open.enter_context(Crew(self.cluster, work, number, needs, ahead))

    def measure(self, task: Measurement) -> bool:
        """Let a net be measured beside self-play, unless the one before is not done; False if there is nobody to."""
        from .measurement import measured

        if not self.plan.measurers:
            return False
        self._measurer = self._measurer or self._hired(measured, 1, Needs())
        if not self._measurer.busy:
            self._measurer.begin([task])
        return True

    def measured(self, wait: bool = False) -> Measured | None:
        """What came of it, if it is there, or when it is; nothing if others have the core that it waits for."""
        if self._measurer is None or not self._measurer.busy:
            return None
        found = self._measurer.look()
        while wait and not found and not self._measurer.has_no_core:
            found = self._measurer.look(LOOK)
        return found[0][1] if found else None

    def arrays(self) -> list[dict[str, np.ndarray]]:
        """The games in progress, group by group, as they were before the round that is being played."""
        return ray.get(self._arrays)

    def restore(self, arrays: list[dict[str, np.ndarray]]) -> None:
        self._arrays = [ray.put(own) for own in arrays]
        self._rounds += 1  # whatever actors have, it is not this

    def figures(self) -> dict[str, float]:
        """Who plays, for curves."""
        return {"actors": self.plan.actors, "actors_lost": self.cluster.lost}

    def summary(self) -> str:
        """What there is to say of those who play, in a few words."""
        lost = f", {self.cluster.lost} lost" if self.cluster.lost else ""
        return f"{self.plan.actors} actors{lost}"

    def planned(self, positions: int) -> str:
        """Who would play, and where, so many positions a round."""
        each = "on a GPU" if self.plan.needs.gpus else "on a core"
        cores = f", with {self.plan.needs.cores} groups of games" if self.plan.needs.gpus else ""
        measure = "one more actor measures" if self.plan.measurers else "this process measures"
        plays = f"{self.plan.actors} of them play{'s' * (self.plan.actors == 1)}, each {each}{cores}"
        share = math.ceil(positions / self.number)
        rounds = f"a round has {share:,} positions of each group"
        if self.number > 1 and share < LEAST:
            rounds += f"; all wait for the last one, but hardly with {LEAST:,}: --round {LEAST * self.number}"
        return f"{self.cluster.described()}\n{plays}; this process learns; {measure}\n{rounds}"

    def close(self) -> None:
        """End the actors, and leave the cluster."""
        self._open.close()
