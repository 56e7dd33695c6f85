"""A fair queue for slots: who asks waits until it is served, and owners are served in turn.

An owner, a visitor or a socket, that asks for many searches has one of them served in a round, as anybody else has.
Work that takes long lets others pass now and then.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..spec import InputError

LONGEST = 1_000  # that wait, of all owners together
LOOK = 0.25  # seconds for which an order that was found out is good enough
LATEST = 0.2  # weight of the latest time in the mean
QUANTUM = 0.25  # seconds that long work is served before it lets others pass
MOST_RESTING = 32  # that have let others pass, each with a thread


class Standing(NamedTuple):
    """Where one stands in the queue."""

    before: int  # others that are served first
    seconds: float | None  # that it will take, as far as one can tell


@dataclass(eq=False)
class Ticket:
    """One that waits, or is served."""

    owner: Hashable
    slots: int
    call: Callable[[bool], None]  # told True when it is served, False if it leaves before
    since: float = field(default_factory=time.monotonic)  # when it was served last


class FairQueue:
    """So many slots, and those who wait for them.  Everything but `enter` is called from any thread."""

    def __init__(self, slots: int) -> None:
        self.slots = self.free = slots
        self._waiting: OrderedDict[Hashable, deque[Ticket]] = OrderedDict()  # who is served next stands first
        self._most: dict[Hashable, int] = {}  # that an owner who waits may have served at once
        self._served: set[Ticket] = set()
        self._running: Counter[Hashable] = Counter()
        self._resting = 0  # that have let others pass
        self._taken: float | None = None  # seconds that one is served, on an average
        self._order: dict[Ticket, int] = {}
        self._looked = 0.0
        self._lock = threading.Lock()

    def enter(self, owner: Hashable, slots: int, at_once: int, waiting: int) -> tuple[Ticket, asyncio.Future[bool]]:
        """Ask for slots: the ticket, and whether it is served, as soon as that is known.

        An owner has at most so many tickets served at once.  InputError, in one line, where so many others of its own
        wait, or too many of all.
        """
        loop = asyncio.get_running_loop()
        called = loop.create_future()
        ticket = Ticket(owner, slots, lambda served: _tell(loop, called, served))
        with self._lock:
            own = self._waiting.get(owner, ())
            if len(own) >= waiting:
                raise InputError(f"busy: {len(own)} searches of yours wait already; stop one or wait")
            if sum(map(len, self._waiting.values())) >= LONGEST:
                raise InputError(f"busy: {LONGEST:,} searches wait already; ask again in a while")
            self._most[owner] = at_once
            self._wait(ticket)
        return ticket, called

    def leave(self, ticket: Ticket) -> None:
        """Wait no longer; nothing happens to one that is served already."""
        with self._lock:
            if ticket in self._waiting.get(ticket.owner, ()):
                self._remove(ticket)
                self._serve()
                ticket.call(False)

    def give_back(self, ticket: Ticket) -> None:
        """Who was served needs its slots no longer."""
        with self._lock:
            if ticket in self._served:
                self._end(ticket)
                self._serve()

    def let_pass(self, ticket: Ticket, stopped: Callable[[], bool], tell: Callable[[Standing], None]) -> None:
        """Called now and then by long work: if it was served for a while and others wait, it waits for its next turn,
        or until it is stopped.  `tell` is told where it stands."""
        with self._lock:
            tired = time.monotonic() - ticket.since > QUANTUM
            if not tired or not self._waiting or ticket not in self._served or self._resting >= MOST_RESTING:
                return
            called = threading.Event()
            ticket.call = lambda served: called.set()
            self._most.setdefault(ticket.owner, self._running[ticket.owner])
            self._end(ticket)
            self._resting += 1
            self._wait(ticket)
        while not called.wait(QUANTUM):
            if stopped():
                self.leave(ticket)
            else:
                tell(self.standing(ticket))
        with self._lock:
            self._resting -= 1

    def standing(self, ticket: Ticket) -> Standing:
        """How many are served before, and how long that may take."""
        with self._lock:
            now = time.monotonic()
            if ticket not in self._order or now - self._looked > LOOK:
                self._order, self._looked = self._in_order(), now
            before = self._order.get(ticket, 0)
            if self._taken is None:
                return Standing(before, None)
            ages = [now - one.since for one in self._served]
            taken = max(self._taken, sum(ages) / len(ages) if ages else 0.0)
            return Standing(before, max(0.1, (before + 1) * taken / self.slots))

    def _in_order(self) -> dict[Ticket, int]:
        """How many stand before each, if nobody else comes."""
        order: dict[Ticket, int] = {}
        rounds = [list(tickets) for tickets in self._waiting.values()]
        for number in range(max(map(len, rounds), default=0)):
            for tickets in rounds:
                if number < len(tickets):
                    order[tickets[number]] = len(order)
        return order

    def _wait(self, ticket: Ticket) -> None:
        self._waiting.setdefault(ticket.owner, deque()).append(ticket)
        self._serve()

    def _serve(self) -> None:
        """Call who stands first, while there is room.  Nobody passes one that needs more, or its turn would never
        come."""
        while (ticket := self._next()) and ticket.slots <= self.free:
            self._remove(ticket)
            if ticket.owner in self._waiting:
                self._waiting.move_to_end(ticket.owner)
            self.free -= ticket.slots
            self._running[ticket.owner] += 1
            self._served.add(ticket)
            ticket.since = time.monotonic()
            ticket.call(True)

    def _next(self) -> Ticket | None:
        """The first whose owner may have one more served."""
        for owner, tickets in self._waiting.items():
            if self._running[owner] < self._most[owner]:
                return tickets[0]
        return None

    def _remove(self, ticket: Ticket) -> None:
        own = self._waiting[ticket.owner]
        own.remove(ticket)
        if not own:
            del self._waiting[ticket.owner], self._most[ticket.owner]

    def _end(self, ticket: Ticket) -> None:
        """Take the slots of one back, and remember how long it had them."""
        self._served.remove(ticket)
        taken = time.monotonic() - ticket.since
        self._taken = taken if self._taken is None else (1 - LATEST) * self._taken + LATEST * taken
        self.free += ticket.slots
        self._running[ticket.owner] -= 1
        if not self._running[ticket.owner]:
            del self._running[ticket.owner]


def _tell(loop: asyncio.AbstractEventLoop, called: asyncio.Future[bool], served: bool) -> None:
    loop.call_soon_threadsafe(called.set_result, served)
