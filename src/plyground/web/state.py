"""What all sockets of a server share: the games, the queue for searches, and the trees that can be looked into."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from .. import agents, warmup
from ..spec import InputError
from .catalogue import Catalogue
from .fair_queue import MOST_RESTING, FairQueue
from .jobs import KeptAgent
from .sessions import Sessions
from .threads import Threads
from .visitors import LOCAL, Limits

KEPT = 4  # agents of a socket whose trees can be looked into, or who wait for their next move
KEPT_MEMORY = 1024  # megabytes of all of these together
IDLE = 600.0  # seconds after which an agent waits no longer


class ServerState:
    """What all sockets of a server share."""

    def __init__(self, catalogue: Catalogue, limits: Limits = LOCAL) -> None:
        self.catalogue, self.limits = catalogue, limits
        self.warmup = warmup.WarmUp()
        self.searches, self.sessions = FairQueue(limits.slots), Sessions(limits)
        # a search that was given up may need a moment, and one that has let others pass keeps its thread
        self.threads = Threads(2 * limits.slots + MOST_RESTING, "search")
        self._kept: OrderedDict[tuple[int, int], KeptAgent] = OrderedDict()
        self._lock = threading.Lock()

    def warm_up(self, changed: Callable[[warmup.Progress], None]) -> list[warmup.Progress]:
        """Compile in the background what people will ask for: their own games first, then those there are.

        changed: told of every progress, in any thread.
        """
        self.warmup.changed = changed
        given = self.catalogue.user_games.shown.values()
        own = [warmup.Task(shown.spec, agents.usual(shown.game)) for shown in given]
        return self.warmup.begin([*own, *warmup.beforehand()])

    def keep(self, owner: int, think: int, kept: KeptAgent) -> None:
        """Keep an agent; one that played its seat before, the oldest ones of this socket, and of all if memory is
        short, make room."""
        with self._lock:
            others = [key for key in self._kept if key[0] == owner]
            gone = [key for key in others if kept.seat is not None and self._kept[key].seat == kept.seat]
            dropped = [self._kept.pop(key) for key in gone]
            if (owner, think) in self._kept:
                dropped.append(self._kept.pop((owner, think)))
            self._kept[owner, think] = kept
            own = [key for key in self._kept if key[0] == owner]
            dropped += [self._kept.pop(key) for key in own[:-KEPT]]
            while sum(one.megabytes for one in self._kept.values()) > KEPT_MEMORY:
                dropped.append(self._kept.popitem(last=False)[1])
        close(dropped)

    def kept(self, owner: int, think: int) -> KeptAgent:
        """The agent of a think that has ended, for looking into its tree."""
        with self._lock:
            if (owner, think) not in self._kept:
                raise InputError(f"the tree of think {think} is not kept: the last {KEPT} are")
            return self._kept[owner, think]

    def take(self, owner: int, seat: int | None) -> KeptAgent | None:
        """The agent that waits in a seat, for its next move.  Its tree is no longer looked into."""
        with self._lock:
            waiting = [key for key, one in self._kept.items() if key[0] == owner and one.seat == seat is not None]
            return self._kept.pop(waiting[-1]) if waiting else None

    def forget(self, owner: int) -> None:
        """The page is gone."""
        with self._lock:
            dropped = [self._kept.pop(key) for key in list(self._kept) if key[0] == owner]
        close(dropped)

    def forget_idle(self) -> None:
        """Close the agents that have waited long for their next move."""
        oldest = time.monotonic() - IDLE
        with self._lock:
            idle = [key for key, one in self._kept.items() if one.seat is not None and one.since <= oldest]
            dropped = [self._kept.pop(key) for key in idle]
        close(dropped)


def close(dropped: list[KeptAgent]) -> None:
    """Close the agents that still waited for a move; those that did not are closed already."""
    for one in dropped:
        if one.seat is not None:
            one.agent.close()
