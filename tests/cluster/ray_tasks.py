"""What actors of the tests work on: functions that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from plyground.spec import InputError


def squared(task: int) -> int:
    return task * task


def slowly_squared(task: int) -> int:
    time.sleep(0.1)
    return task * task


def noted(folder: str, task: int) -> int:
    """Leave a file with the number of the process that works on a task."""
    Path(folder, f"{task}-{os.getpid()}").touch()
    time.sleep(0.1)
    return task * task


def stopped_at_first(folder: str, task: int) -> int:
    """Task 3 stops its process, which does not end and does not answer any more, unless it has done so before."""
    before = Path(folder) / "stopped"
    if task == 3 and not before.exists():
        before.touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return task * task


def ended_always(task: str) -> int:
    if task.startswith("3"):
        os.kill(os.getpid(), signal.SIGKILL)
    return len(task)


class Unloadable:
    """Work that no other process can load."""

    def __setstate__(self, state: dict) -> None:
        raise ModuleNotFoundError("No module named 'nowhere'")

    def __getstate__(self) -> dict:
        return {"some": "thing"}

    def __call__(self, task: int) -> int:
        return task


def faulty(task: int) -> int:
    raise ZeroDivisionError


def refused(task: int) -> int:
    raise InputError(f"task {task} makes no sense")
