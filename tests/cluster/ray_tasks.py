"""What actors of the tests work on: functions that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from plyground.heartbeat import expected
from plyground.spec import InputError


def squared(task: int) -> int:
    return task * task


def slowly_squared(task: int) -> int:
    time.sleep(0.1)
    return task * task


def noted(folder: str, task: int) -> int:
    """Leave a file with the number of the process that works on a task; the first process hangs whose first task is not
    one of the first three, so that it has left none."""
    process = os.getpid()
    if task >= 3 and not any(Path(folder).glob(f"*-{process}")):
        with suppress(FileExistsError), Path(folder, "hung").open("x") as hung:
            hung.write(str(process))
            hung.flush()
            os.kill(process, signal.SIGSTOP)
    Path(folder, f"{task}-{process}").touch()
    time.sleep(0.1)
    return task * task


def ended_always(task: str) -> int:
    if task.startswith("3"):
        os.kill(os.getpid(), signal.SIGKILL)
    return len(task)


@expected()
def endless(task: int) -> int:
    """What a rule does that never ends: others of its threads go on."""
    while True:
        task += 1


class Unloadable:
    """Work that no other process can load."""

    def __setstate__(self, state: dict) -> None:
        raise ModuleNotFoundError("No module named 'nowhere'")

    def __getstate__(self) -> dict:
        return {"some": "thing"}

    def __call__(self, task: int) -> int:
        return task


def measured_quickly(task: Any) -> Any:
    """What the fixture of that name does, in an actor."""
    from plyground.learn.selfplay import elo, measurement

    measurement.SIMS, elo.GAMES, elo.SIMS = 2, 4, 4
    return measurement.measured(task)


def faulty(task: int) -> int:
    raise ZeroDivisionError


def refused(task: int) -> int:
    raise InputError(f"task {task} makes no sense")
