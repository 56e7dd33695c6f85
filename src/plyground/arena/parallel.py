"""Work shared out among processes, of this machine or of others."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from types import ModuleType
from typing import Any, Protocol

from ..spec import InputError


class Elsewhere(Protocol):
    """Who works on other machines; `cluster.pool.Cluster` does."""

    def run(self, work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result, as they come."""

    def described(self) -> str:
        """Who they are."""


Jobs = int | Elsewhere  # so many processes of this machine, only this one if it is 1; or other machines


def at_most(jobs: Jobs, tasks: int) -> Jobs:
    """As many as have something to do."""
    return max(1, min(jobs, tasks)) if isinstance(jobs, int) else jobs if tasks else 1


def possible(work: Any, jobs: Jobs) -> Jobs:
    """The same; or only this process, if the work names what lives here and cannot be sent to others."""
    if jobs != 1:
        try:
            pickle.dumps(work)
        except (pickle.PicklingError, AttributeError, TypeError):
            if not isinstance(jobs, int):
                raise InputError(
                    "functions and objects stay in this process: save them in a file, and name it file.py:Class"
                ) from None
            return 1
    return jobs


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], jobs: Jobs) -> Iterator[tuple[Any, Any]]:
    """Each task with its result, as they come.

    An exception, the keyboard's too, ends the processes that work, and no others.
    """
    jobs = possible(work, jobs)
    if not isinstance(jobs, int):
        yield from jobs.run(work, tasks)
        return
    if jobs <= 1:
        for task in tasks:
            yield task, work(task)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        waiting: dict[Future, Any] = {}
        todo = iter(tasks)
        try:
            while True:
                with _script.hidden():
                    for task in islice(todo, 4 * jobs - len(waiting)):
                        waiting[pool.submit(work, task)] = task
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool:
            raise InputError("one of the processes that work was ended, perhaps for want of memory") from None
        except BaseException:
            for process in list(pool._processes.values()):
                process.terminate()
            raise


class _Script:
    """The script that this process runs, hidden as long as anybody, in whichever thread, wants it to be."""

    def __init__(self) -> None:
        self.lock, self.hiders = threading.Lock(), 0
        self.module: ModuleType | None = None

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Processes that begin meanwhile do not run it anew: it may well begin with a match."""
        with self.lock:
            if not self.hiders:
                self.module, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
            self.hiders += 1
        try:
            yield
        finally:
            with self.lock:
                self.hiders -= 1
                if not self.hiders and self.module:
                    sys.modules["__main__"], self.module = self.module, None


_script = _Script()


def end_with_parent() -> None:
    """Work for the process that began this one: leave the keyboard to it, and end when it ends, by whatever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    master = parent_process()

    def follow() -> None:
        if master is not None:
            master.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
