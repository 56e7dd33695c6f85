"""What all sockets of a server share: the games, the slots for searches, and the trees that can be looked into."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor

from ..spec import InputError
from .catalogue import Shelf
from .jobs import Kept

SLOTS = 4  # searches at once
PATIENCE = 1.0  # seconds that a search waits for its turn
LONGEST_LINE = 64  # searches that wait
SOCKETS = 64
KEPT = 4  # agents of a socket whose trees can be looked into
KEPT_MEMORY = 4096  # megabytes of all of these together


class Slots:
    """How many more may come in.  Who waits for a turn gets it in the order of asking."""

    def __init__(self, free: int) -> None:
        self.free = free
        self._line: deque[tuple[int, asyncio.Future]] = deque()
        self._turn = threading.Lock()

    def take(self, count: int = 1) -> bool:
        with self._turn:
            if self._line or self.free < count:
                return False
            self.free -= count
            return True

    async def wait(self, count: int, seconds: float) -> bool:
        """Take slots, at once or when others give theirs back; False if that takes too long."""
        if self.take(count):
            return True
        called = asyncio.get_running_loop().create_future()
        with self._turn:
            if len(self._line) >= LONGEST_LINE:
                return False
            self._line.append((count, called))
            self._call()
        await asyncio.wait([called], timeout=seconds)
        with self._turn:
            if (count, called) in self._line:
                self._line.remove((count, called))
                self._call()
                return False
        return True

    def give_back(self, count: int = 1) -> None:
        """Called from any thread."""
        with self._turn:
            self.free += count
            self._call()

    def _call(self) -> None:
        """Let in who waits in front, while there is room."""
        while self._line and self._line[0][0] <= self.free:
            count, called = self._line.popleft()
            self.free -= count
            called.get_loop().call_soon_threadsafe(called.set_result, None)


class Hall:
    """What all sockets of a server share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.searches, self.sockets = Slots(SLOTS), Slots(SOCKETS)
        self.threads = ThreadPoolExecutor(2 * SLOTS, "search")  # a search that was given up may need a moment
        self._kept: OrderedDict[tuple[int, int], Kept] = OrderedDict()
        self._turn = threading.Lock()

    def keep(self, owner: int, think: int, kept: Kept) -> None:
        """Keep an agent; the oldest ones of this socket, and of all if memory is short, make room."""
        with self._turn:
            self._kept.pop((owner, think), None)
            self._kept[owner, think] = kept
            own = [key for key in self._kept if key[0] == owner]
            for key in own[:-KEPT]:
                del self._kept[key]
            while sum(one.megabytes for one in self._kept.values()) > KEPT_MEMORY:
                self._kept.popitem(last=False)

    def kept(self, owner: int, think: int) -> Kept:
        with self._turn:
            if (owner, think) not in self._kept:
                raise InputError(f"the tree of think {think} is not kept: the last {KEPT} are")
            return self._kept[owner, think]

    def forget(self, owner: int) -> None:
        with self._turn:
            for key in [key for key in self._kept if key[0] == owner]:
                del self._kept[key]
