"""Slots: a bounded number of things at once."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

LONGEST_QUEUE = 64  # that wait


class Slots:
    """How many more may come in.  Who waits for a turn gets it in the order of asking."""

    def __init__(self, free: int) -> None:
        self.free = free
        self._queue: deque[tuple[int, asyncio.Future]] = deque()
        self._lock = threading.Lock()

    def take(self, count: int = 1) -> bool:
        with self._lock:
            if self._queue or self.free < count:
                return False
            self.free -= count
            return True

    async def wait(self, count: int, seconds: float) -> bool:
        """Take slots, at once or when others give theirs back; False if that takes too long."""
        if self.take(count):
            return True
        called = asyncio.get_running_loop().create_future()
        with self._lock:
            if len(self._queue) >= LONGEST_QUEUE:
                return False
            self._queue.append((count, called))
            self._admit()
        await asyncio.wait([called], timeout=seconds)
        with self._lock:
            if (count, called) in self._queue:
                self._queue.remove((count, called))
                self._admit()
                return False
        return True

    def give_back(self, count: int = 1) -> None:
        """Called from any thread."""
        with self._lock:
            self.free += count
            self._admit()

    def _admit(self) -> None:
        """Let in who waits in front, while there is room."""
        while self._queue and self._queue[0][0] <= self.free:
            count, called = self._queue.popleft()
            self.free -= count
            called.get_loop().call_soon_threadsafe(called.set_result, None)
