"""Imported by every Python process that finds it on its path: writes down which kernels are compiled or loaded there.

A line a kernel goes into the file that LOADS names: "timed" or "ready", the process, and the kernel.  It is timed if an
agent thinks, or plays a whole game, and is not being made ready.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import FrameType, ModuleType
from typing import Any

CACHE = "plyground.jit.cache"


def functions(frame: FrameType | None) -> Iterator[str]:
    """The names of the functions that are running, the innermost first."""
    while frame:
        yield frame.f_code.co_name
        frame = frame.f_back


def write_down_loads(cache: Any) -> None:
    """Let the cache of kernels tell whenever it is asked for one."""
    load = cache.KernelCache.load_overload

    def load_overload(self: Any, *args: Any) -> Any:
        running = set(functions(sys._getframe()))
        timed = running & {"think", "play_alone"} and not running & {"ready", "_make_ready"}
        with open(os.environ["LOADS"], "a") as file:
            print("timed" if timed else "ready", os.getpid(), self._function.__name__, file=file)
        return load(self, *args)

    cache.KernelCache.load_overload = load_overload


class Finder(MetaPathFinder):
    """Finds the cache of kernels as others do, and has it tell."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != CACHE:
            return None
        sys.meta_path.remove(self)
        found = find_spec(name)
        assert found and found.loader
        run = found.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            write_down_loads(module)

        found.loader.exec_module = exec_module  # type: ignore[method-assign]
        return found


if "LOADS" in os.environ:
    sys.meta_path.insert(0, Finder())
