"""Slots: a bounded number of things at once."""

from __future__ import annotations

import threading


class Slots:
    """How many more may come in; nobody waits."""

    def __init__(self, free: int) -> None:
        self.free = free
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            if not self.free:
                return False
            self.free -= 1
            return True

    def give_back(self) -> None:
        """Called from any thread."""
        with self._lock:
            self.free += 1
