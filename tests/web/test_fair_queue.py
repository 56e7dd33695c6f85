"""The queue for searches: owners in turn, and long work lets others pass."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from plyground.spec import InputError
from plyground.web import fair_queue
from plyground.web.fair_queue import FairQueue, Standing, Ticket

ANY = 100


def in_a_loop(work: Coroutine[Any, Any, Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:  # in this thread the loop of a browser's driver may run
        return pool.submit(asyncio.run, work).result(timeout=120)


class Asking:
    """Some who ask, and the order in which they are served."""

    def __init__(self, slots: int, at_once: int = ANY, waiting: int = ANY) -> None:
        self.queue = FairQueue(slots)
        self.at_once, self.waiting = at_once, waiting
        self.tickets: dict[str, Ticket] = {}
        self.served: list[str] = []

    def ask(self, names: str, slots: int = 1) -> None:
        """Each name is an owner's letter and a number."""
        for name in names.split():
            ticket, called = self.queue.enter(name[0], slots, self.at_once, self.waiting)
            called.add_done_callback(lambda one, name=name: one.result() and self.served.append(name))
            self.tickets[name] = ticket

    def before(self, names: str) -> list[int]:
        self.queue._looked = 0.0
        return [self.queue.standing(self.tickets[name]).before for name in names.split()]

    async def end(self, names: str) -> None:
        for name in names.split():
            self.queue.give_back(self.tickets[name])
        await asyncio.sleep(0.01)


def test_owners_are_served_in_turn_however_much_one_asks_for() -> None:
    async def ask() -> None:
        some = Asking(slots=1)
        some.ask("a1 a2 a3 b1 a4 c1 b2")
        assert some.before("a2 b1 c1 a3 b2 a4") == [0, 1, 2, 3, 4, 5]
        for name in ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]:
            await some.end(name)
        assert some.served == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"] and some.queue.free == 1

    in_a_loop(ask())


def test_an_owner_has_no_more_served_at_once_than_allowed_and_others_pass() -> None:
    async def ask() -> None:
        some = Asking(slots=3, at_once=2, waiting=2)
        some.ask("a1 a2 a3 a4 b1")
        await asyncio.sleep(0.01)
        assert some.served == ["a1", "a2", "b1"]
        with pytest.raises(InputError, match="busy: 2 searches of yours wait already"):
            some.ask("a5")
        await some.end("b1")
        assert some.served[3:] == []
        await some.end("a2")
        assert some.served[3:] == ["a3"]

    in_a_loop(ask())


def test_nobody_passes_one_that_needs_more_slots() -> None:
    async def ask() -> None:
        some = Asking(slots=2)
        some.ask("a1 b1")
        some.ask("c1", slots=2)
        some.ask("d1")
        await some.end("a1")
        assert some.served == ["a1", "b1"] and some.queue.free == 1
        await some.end("b1")
        assert some.served[2:] == ["c1"]
        await some.end("c1")
        assert some.served[3:] == ["d1"]

    in_a_loop(ask())


def test_who_leaves_is_not_served_and_others_move_up() -> None:
    async def ask() -> None:
        some = Asking(slots=1)
        some.ask("a1 b1 c1")
        some.queue.leave(some.tickets["b1"])
        some.queue.leave(some.tickets["a1"])  # served already
        assert some.before("c1") == [0]
        await some.end("a1")
        assert some.served == ["a1", "c1"]
        await some.end("c1 c1 b1")  # nothing to give back twice
        assert some.queue.free == 1

    in_a_loop(ask())


def test_the_wait_is_told_by_how_long_others_took(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(fair_queue.time, "monotonic", lambda: now[0])

    async def ask() -> None:
        some = Asking(slots=2)
        some.ask("a1 b1 c1 d1")
        assert some.queue.standing(some.tickets["c1"]) == Standing(0, None)
        now[0] += 4
        some.queue.give_back(some.tickets["a1"])
        assert some.queue.standing(some.tickets["d1"]) == Standing(0, 2.0)  # one of two slots, each for 4 seconds
        some.ask("e1")
        now[0] += 20  # both that are served have taken longer by now: 24 and 20 seconds
        assert some.queue.standing(some.tickets["e1"]) == Standing(1, 22.0)

    in_a_loop(ask())


def test_the_queue_of_all_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "LONGEST", 2)

    async def ask() -> None:
        some = Asking(slots=1)
        some.ask("a1 b1 c1")
        with pytest.raises(InputError, match="busy: 2 searches wait already"):
            some.ask("d1")

    in_a_loop(ask())


def test_long_work_lets_others_pass_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "QUANTUM", 0.0)
    told: list[Standing] = []

    async def ask() -> None:
        some = Asking(slots=1)
        some.ask("a1")
        some.queue.let_pass(some.tickets["a1"], lambda: False, told.append)  # nobody waits
        some.ask("b1")
        work = asyncio.create_task(
            asyncio.to_thread(some.queue.let_pass, some.tickets["a1"], lambda: False, told.append)
        )
        while some.served != ["a1", "b1"] or not told:
            await asyncio.sleep(0.01)
        assert not work.done() and told[0].before == 0
        await some.end("b1")
        await work
        assert some.queue.free == 0
        await some.end("a1")
        assert some.queue.free == 1

    in_a_loop(ask())


def test_long_work_that_is_stopped_while_others_pass_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "QUANTUM", 0.0)
    stopped = threading.Event()

    async def ask() -> None:
        some = Asking(slots=1)
        some.ask("a1 b1")
        wait = asyncio.to_thread(some.queue.let_pass, some.tickets["a1"], stopped.is_set, lambda standing: None)
        work = asyncio.create_task(wait)
        while some.served != ["a1", "b1"]:
            await asyncio.sleep(0.01)
        stopped.set()
        await work
        await some.end("a1")  # it has no slot
        assert some.queue.free == 0
        await some.end("b1")
        assert some.queue.free == 1

    in_a_loop(ask())
