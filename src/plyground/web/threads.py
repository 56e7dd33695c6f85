"""Threads in which requests and searches run, and whose end nobody has to wait for: rules of somebody's own game may
never answer."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor


class Threads(ThreadPoolExecutor):
    """At most so many threads."""

    def __init__(self, most: int, name: str) -> None:
        self._begun: list[threading.Thread] = []
        super().__init__(most, name, initializer=lambda: self._begun.append(threading.current_thread()))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Begin nothing more; what has begun goes on, and is not waited for, though asyncio asks for it."""
        super().shutdown(wait=False, cancel_futures=True)

    def end(self, seconds: float) -> bool:
        """Begin nothing more; has everything ended within so many seconds?"""
        self.shutdown()
        until = time.monotonic() + seconds
        for thread in self._begun:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._begun)
