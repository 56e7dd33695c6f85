"""Actors on the nodes of a cluster that work on tasks, as processes do in `arena.parallel`.

A task is done by one actor, and its result is told once.  Where an actor is lost (killed, its node gone, or it has not
been heard of for too long) its tasks are done by another one; since every game has its seed, they come out the same.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from ..spec import InputError
from .versions import must_be_ours, versions

BEAT = 5.0  # seconds between two questions whether an actor is alive
SILENCE = 60.0  # seconds without an answer after which it counts as lost
TRIES = 5  # actors that one task may end


class Worker:
    """What an actor is: it keeps what is to be done, and does it, task by task."""

    def __init__(self, work: Any) -> None:
        self._work = work

    def do(self, task: Any) -> Any:
        return self._work(task)

    @ray.method(concurrency_group="beat")  # in a thread of its own, however long a task takes
    def versions(self) -> dict[str, str]:
        return versions()


@dataclass(eq=False)
class Member:
    """An actor, what it has been given, and when it was heard of last; 0 before it has begun."""

    actor: Any
    answer: Any  # to whether it is alive, when it comes; None if it has not been asked
    tasks: dict[Any, tuple[int, Any]] = field(default_factory=dict)  # by the result to come: its number, and what it is
    heard: float = 0.0


class Cluster:
    """The nodes of a cluster that ray is connected to.

    actors, resource: as `connected` has them.
    lost: actors that were lost so far.
    """

    def __init__(self, actors: int = 0, resource: str = "") -> None:
        self.resource, self.lost = resource, 0
        cores = sum(int(node["Resources"].get("CPU", 0)) for node in self.nodes())
        if not cores:
            having = f" with the resource {resource!r}" if resource else ""
            raise InputError(f"the cluster has no node{having} that has a core")
        self.actors = min(actors, cores) if actors else cores

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are alive, and have the resource that is asked for."""
        return [
            node for node in ray.nodes() if node["Alive"] and (not self.resource or self.resource in node["Resources"])
        ]

    def run(self, work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come."""
        todo = list(tasks)
        with Crew(self, work, min(self.actors, len(todo))) as crew:
            yield from crew.run(todo)


class Crew:
    """The actors that do one kind of work, until they are dismissed.

    ahead: tasks that an actor has at once: one that it works on, others that it finds when it has done so.
    """

    def __init__(self, cluster: Cluster, work: Callable[[Any], Any], number: int, ahead: int = 2) -> None:
        self.cluster, self.ahead = cluster, ahead
        self._work = ray.put(work)
        self._ended: Counter[int] = Counter()  # by number of a task: actors that were lost on it
        self._members = [self._hired() for _ in range(number)]

    def _hired(self) -> Member:
        needs = {self.cluster.resource: 0.001} if self.cluster.resource else {}
        options = {"num_cpus": 1, "resources": needs, "concurrency_groups": {"beat": 1}, "max_restarts": 0}
        actor = ray.remote(**options)(Worker).remote(self._work)
        return Member(actor, actor.versions.remote())

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: Any) -> None:
        for member in self._members:
            ray.kill(member.actor)

    def run(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come."""
        todo = deque(enumerate(tasks))
        self._ended.clear()
        while todo or any(member.tasks for member in self._members):
            self._give(todo)
            yield from self._done(todo)

    def _give(self, todo: deque[tuple[int, Any]]) -> None:
        """Give tasks to those who have begun, in turns, so that all have one before anybody has two."""
        for load in range(self.ahead):
            for member in self._members:
                if todo and member.heard and len(member.tasks) == load:
                    number, task = todo.popleft()
                    member.tasks[member.actor.do.remote(task)] = number, task

    def _done(self, todo: deque[tuple[int, Any]]) -> list[tuple[Any, Any]]:
        """Wait until something happens; results that have come.  What lost actors had to do is to be done again."""
        coming = [one for member in self._members for one in (member.answer, *member.tasks) if one]
        ray.wait(coming, timeout=BEAT, fetch_local=False)
        come = set(ray.wait(coming, num_returns=len(coming), timeout=0, fetch_local=False)[0])
        found: list[tuple[Any, Any]] = []
        for i, member in enumerate(self._members):
            try:
                for result in [result for result in member.tasks if result in come]:
                    value = ray.get(result)
                    found.append((member.tasks.pop(result)[1], value))
                if not self._is_alive(member, member.answer in come):
                    raise RayActorError(error_msg="it has not been heard of")
            except RayTaskError as error:
                raise error.cause from None
            except RayError:
                self._let_go(member, todo)
                self._members[i] = self._hired()
        return found

    def _is_alive(self, member: Member, answered: bool) -> bool:
        """Has an actor been heard of lately?  One that has not begun may wait for a core as long as it takes."""
        now = time.monotonic()
        if answered:
            must_be_ours(ray.get(member.answer))
            member.heard, member.answer = now, None
        elif not member.answer and now - member.heard > BEAT:
            member.answer = member.actor.versions.remote()
        return not member.heard or now - member.heard < SILENCE

    def _let_go(self, member: Member, todo: deque[tuple[int, Any]]) -> None:
        """An actor is lost: others do what it has not done, before anything else."""
        ray.kill(member.actor)
        self.cluster.lost += 1
        todo.extendleft(reversed(member.tasks.values()))
        for number, task in islice(member.tasks.values(), 1):  # the one that it worked on
            self._ended[number] += 1
            if self._ended[number] == TRIES:
                raise InputError(f"{TRIES} actors of the cluster have ended while they worked on task {task}")
        print("plyground: an actor of the cluster was lost; what it had to do is done by another one", file=sys.stderr)
