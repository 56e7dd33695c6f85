"""Actors on the nodes of a cluster that work on tasks, as processes do in `arena.parallel`.

A task is done by one actor, and its result is told once.  Where an actor is lost (killed, its node gone, or it does not
answer for too long) its tasks are done by another one; since every game has its seed, they come out the same.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from .. import heartbeat
from ..spec import InputError
from . import reached
from .versions import LIBRARIES, must_be_ours, named, versions

BEAT = 5.0  # seconds between two questions whether an actor is alive
SILENCE = 60.0  # seconds without an answer after which it counts as lost
LAST = 1.0  # seconds that are waited for the answer before that
STILL = 600.0  # seconds in which a game or a search has not come further after which it does, too
FULL = 30.0  # seconds in which an actor begins, unless others have the cores
HEADLESS = 30.0  # seconds after which it is over if the first machine does not answer; Ray ends the process after 60
TRIES = 5  # actors that one task may end, or that may end one after the other before they have begun


class Worker:
    """What an actor is: it keeps what is to be done, and does it, task by task.

    place: the folder that the command was given in, which paths of files begin at.
    checked: files that the work reads, and libraries; nodes must have the same.
    """

    def __init__(self, work: Any, place: str, *checked: Sequence[str]) -> None:
        self._work, self._checked = work, checked
        with suppress(OSError):
            os.chdir(place)

    def do(self, task: Any) -> Any:
        return self._work(task)

    @ray.method(concurrency_group="beat")  # in a thread of its own, however long a task takes
    def versions(self) -> dict[str, str]:
        return versions(*self._checked)

    @ray.method(concurrency_group="beat")
    def silence(self) -> float:
        """Seconds since its work has come further."""
        return heartbeat.silence()


@dataclass(eq=False)
class Member:
    """An actor, what it has been given, and when it was asked and heard of last; 0 before it has begun."""

    actor: Any
    answer: Any  # to what versions it has, and later whether its work comes further, when it comes; None if not asked
    tasks: dict[Any, tuple[int, Any]] = field(default_factory=dict)  # by the result to come: its number, and what it is
    asked: float = 0.0
    heard: float = 0.0
    tries: int = 0  # actors before it, in its place, that have ended before they had begun


class Needs(NamedTuple):
    """What one actor takes of a node."""

    cores: int = 1  # of which each works on a task of its own, in a thread
    gpus: int = 0


class Cluster:
    """The nodes of a cluster that ray is connected to.

    actors, resource: as `connected` has them.
    specs: what work is about; files that they name are the same everywhere.
    libraries: whose versions are the same, too.
    lost: actors that were lost so far; is_lost: is all of it?
    """

    def __init__(
        self,
        actors: int = 0,
        resource: str = "",
        specs: Sequence[str] = (),
        libraries: Sequence[str] = LIBRARIES,
    ) -> None:
        self.resource, self.lost, self.is_lost = resource, 0, False
        self.checked = named(*specs), tuple(libraries)
        cores = sum(self.cores_of(node) for node in self.nodes())
        if not cores:
            having = f" with the resource {resource!r}" if resource else ""
            raise InputError(f"the cluster has no node{having} that has a core")
        self.address = ray.get_runtime_context().gcs_address
        self._looked = self._silent = 0.0  # when the first machine was looked for, and since when it does not answer
        self.asked, self.cores = actors, cores
        self.actors = min(actors, cores) if actors else cores

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are alive, and have the resource that is asked for."""
        return [
            node for node in ray.nodes() if node["Alive"] and (not self.resource or self.resource in node["Resources"])
        ]

    @staticmethod
    def cores_of(node: dict[str, Any]) -> int:
        return int(node["Resources"].get("CPU", 0))

    @staticmethod
    def gpus_of(node: dict[str, Any]) -> int:
        return int(node["Resources"].get("GPU", 0))

    def must_answer(self) -> None:
        """InputError if the first machine is lost, which cannot be replaced."""
        now = time.monotonic()
        if now - self._looked < BEAT:
            return
        self._looked = now
        try:
            reached(self.address)
            self._silent = 0.0
        except OSError:
            self._silent = self._silent or now
            if now - self._silent > HEADLESS:
                self.is_lost = True
                told = f"the cluster is lost: its first machine, {self.address}, does not answer"
                raise InputError(told) from None

    def described(self) -> str:
        """The nodes, and who works on them."""
        nodes = self.nodes()
        gpus = sum(map(self.gpus_of, nodes))
        found = f"{_many(len(nodes), 'node')}: {_many(self.cores, 'core')}" + (
            f", {_many(gpus, 'GPU')}" if gpus else ""
        )
        lines = [found + f"; {_many(self.actors, 'actor')}"]
        for node in nodes:
            own = f"{_many(self.cores_of(node), 'core')}, {_many(self.gpus_of(node), 'GPU')}"
            lines.append(f"  {node['NodeManagerAddress']}  {own}")
        return "\n".join(lines)

    def run(self, work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come."""
        todo = list(tasks)
        with Crew(self, work, min(self.actors, len(todo))) as crew:
            yield from crew.run(todo)


class Crew:
    """The actors that do one kind of work, until they are dismissed.

    ahead: tasks that an actor has at once for each of its cores: one that it works on, others that it finds then.
    """

    def __init__(
        self, cluster: Cluster, work: Callable[[Any], Any], number: int, needs: Needs = Needs(), ahead: int = 2
    ) -> None:
        self.cluster, self.needs, self.ahead = cluster, needs, ahead * needs.cores
        self._work = ray.put(work)
        self._todo: deque[tuple[int, Any]] = deque()
        self._ended: Counter[int] = Counter()  # by number of a task: actors that were lost on it
        self._hired_at, self._told = 0.0, False  # the newest actor; whether somebody was told that there is no core
        self._members = [self._hired() for _ in range(number)]

    def _hired(self, tries: int = 0) -> Member:
        labels = {self.cluster.resource: 0.001} if self.cluster.resource else {}
        takes = {"num_cpus": self.needs.cores, "num_gpus": self.needs.gpus, "resources": labels}
        threads = {"max_concurrency": self.needs.cores, "concurrency_groups": {"beat": 1}}
        actor = ray.remote(**takes, **threads, max_restarts=0)(Worker).remote(
            self._work, os.getcwd(), *self.cluster.checked
        )
        self._hired_at = time.monotonic()
        return Member(actor, actor.versions.remote(), tries=tries)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: Any) -> None:
        for member in self._members:
            if not self.cluster.is_lost:
                ray.kill(member.actor)

    @property
    def busy(self) -> bool:
        """Is there something that has not been done, or not been told?"""
        return bool(self._todo) or any(member.tasks for member in self._members)

    def run(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come."""
        self.begin(tasks)
        yield from self.results()

    def begin(self, tasks: Iterable[Any]) -> None:
        """Let actors begin with tasks, as many as they have; whoever asks for results gives them the others."""
        self._todo.extend(enumerate(tasks))
        self._ended.clear()
        self._give()

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come, until all are there."""
        while self.busy:
            yield from self.look(BEAT)

    def look(self, seconds: float = 0.0) -> list[tuple[Any, Any]]:
        """Tasks with results that have come; for the next of them it waits so long."""
        self._give()
        self.cluster.must_answer()
        if self.has_no_core and not self._told:
            print(
                "plyground: no actor has begun yet; others have the cores, or machines are slow",
                file=sys.stderr,
            )
            self._told = True
        return self._done(seconds)

    @property
    def has_no_core(self) -> bool:
        """Has nobody begun for so long that others must have the cores?"""
        waits = self._todo and not any(member.heard for member in self._members)
        return bool(waits) and time.monotonic() - self._hired_at > FULL

    def _give(self) -> None:
        """Give tasks to those who have begun, in turns, so that all have one before anybody has two.

        What an actor was lost on is the only task of the next one: what that worked on before might be lost with it.
        """
        for load in range(self.ahead):
            for member in self._members:
                if self._todo and member.heard and len(member.tasks) == load:
                    if load and any(self._ended[number] for number, _ in (self._todo[0], *member.tasks.values())):
                        continue
                    number, task = self._todo.popleft()
                    member.tasks[member.actor.do.remote(task)] = number, task

    def _done(self, seconds: float) -> list[tuple[Any, Any]]:
        """Wait until something happens; results that have come.  What lost actors had to do is to be done again."""
        coming = [one for member in self._members for one in (member.answer, *member.tasks) if one]
        if not coming:
            return []
        ray.wait(coming, timeout=seconds, fetch_local=False)
        come = set(ray.wait(coming, num_returns=len(coming), timeout=0, fetch_local=False)[0])
        found: list[tuple[Any, Any]] = []
        for i, member in enumerate(self._members):
            try:
                for result in [result for result in member.tasks if result in come]:
                    value = ray.get(result)
                    found.append((member.tasks.pop(result)[1], value))
                self._must_be_alive(member, member.answer in come)
            except RayTaskError as error:
                if not isinstance(error.cause, InputError):
                    error.cause.add_note(str(error))  # where it was, there
                raise error.cause from None
            except RayError as error:
                self._members[i] = self._hired(self._let_go(member, str(error)))
        return found

    def _must_be_alive(self, member: Member, answered: bool) -> None:
        """RayError unless an actor answers, and comes further.  One that has not begun may wait for a core as long as
        it takes."""
        now = time.monotonic()
        overdue = bool(member.heard and member.answer) and now - member.asked >= SILENCE
        if (
            overdue and not answered
        ):  # perhaps it has answered since this process, which may have had to wait, last looked
            answered = bool(ray.wait([member.answer], timeout=LAST, fetch_local=False)[0])
        if answered:
            told = ray.get(member.answer)
            if not member.heard:
                must_be_ours(told, *self.cluster.checked)
            elif told > STILL:
                raise RayActorError(error_msg=f"its work has not come further for {told:,.0f} s")
            member.heard, member.answer = now, None
        elif not member.answer and now - member.heard > BEAT:
            member.asked, member.answer = now, member.actor.silence.remote()
        elif overdue:
            raise RayActorError(error_msg=f"it has not answered for {SILENCE:g} s")

    def _let_go(self, member: Member, why: str) -> int:
        """An actor is lost: others do what it has not done, before anything else.  What `tries` its successor has."""
        ray.kill(member.actor)
        self.cluster.lost += 1
        tries = 0 if member.heard else member.tries + 1
        last = (why.strip().splitlines() or ["nobody says why"])[-1]
        if tries == TRIES:
            raise InputError(f"{TRIES} actors of the cluster have ended before they had begun: {last:.200}")
        how = f"{last[:1].lower()}{last[1:].partition('. ')[0]:.120}"
        self._todo.extendleft(reversed(member.tasks.values()))
        for number, task in islice(member.tasks.values(), self.needs.cores):  # those that it worked on
            self._ended[number] += 1
            if self._ended[number] == TRIES:
                told = f"{TRIES} actors of the cluster have ended while they worked on task {task!s:.60}"
                raise InputError(f"{told}: {how}")
        print(
            f"plyground: an actor of the cluster was lost: {how}; another one does what it had to do", file=sys.stderr
        )
        return tries


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"
