"""The figures of a run for Trackio or Weights & Biases, besides TensorBoard's.  Both have the same interface."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .. import sealed
from ..manifest import warn
from ..spec import InputError, look_up
from .run import Run

TRACKERS = {"trackio": "Trackio", "wandb": "Weights & Biases"}  # by the name of the module, which pip installs, too
PROJECT = "plyground"


@contextmanager
def tracked(run: Run, tracker: str) -> Iterator[None]:
    """Tell the figures of a run to a tracker as they come; an empty name is none.

    InputError where it is not installed, or does not begin.
    """
    if not tracker:
        yield
        return
    must_have(tracker)
    with told_to(Tracker(run, tracker), run):
        yield


def must_have(tracker: str) -> None:
    """InputError unless the tracker is known, and installed."""
    name = look_up("tracker", tracker, TRACKERS)
    if not find_spec(name):
        raise InputError(f"--track {name} needs {TRACKERS[name]}: pip install {name}")


@contextmanager
def told_to(tracker: Tracker, run: Run) -> Iterator[None]:
    run.sinks.append(tracker)
    try:
        yield
    finally:
        run.sinks.remove(tracker)
        tracker.close()


class Tracker:
    """A run as a tracker has it.  One that goes on is the same run there."""

    def __init__(self, run: Run, tracker: str) -> None:
        self._called, place = TRACKERS[tracker], str(run.folder.resolve())
        known = sealed.digest(json.dumps([place, run.config], sort_keys=True).encode())[:8]
        named = {"project": PROJECT, "name": f"{run.folder.resolve().name}-{known}", "resume": "allow"}
        if tracker == "wandb":
            named["id"] = known  # Trackio knows a run by its name
        told = {word: run.config[word] for word in ("algorithm", "game", "seed")} | run.config["options"]
        try:
            with redirect_stdout(sys.stderr):  # which belongs to what the command tells
                self._module: Any = import_module(tracker)
                self._run: Any = self._module.init(**named, config=told)
        except (Exception, SystemExit) as error:  # whatever it says if it has no account, no disk, no network
            goes_on = f"{run.folder} is there, and --resume goes on with it"
            raise InputError(f"{self._called} does not begin: {type(error).__name__}: {error}; {goes_on}") from None

    def add(self, step: int, figures: dict[str, Any]) -> None:
        """Tell figures; a tracker that fails is told no more, and the training goes on."""
        numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
        if self._run is None:
            return
        try:
            self._run.log(numbers, step=step)
        except Exception as error:
            warn(f"{self._called} is told no more: {type(error).__name__}: {error}")
            self._run = None

    def close(self) -> None:
        if self._run is not None:
            with suppress(Exception), redirect_stdout(sys.stderr):
                self._module.finish()
