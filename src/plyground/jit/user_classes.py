"""Game classes from outside the package, and why none of them ever meets a stale kernel.

Numba keeps compiled kernels by the types of their arguments.  So a class from outside is renamed after a
digest of everything its rules reach, and found under that name in this module: a kernel compiled for
other rules is a kernel for another type, and can never be loaded for these.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from .reach import Reach


def settle(cls: Any) -> None:
    """Give a class from outside its name here; `_home` remembers the module that it came from."""
    cls._home = cls.__module__
    cls.__name__ = cls.__qualname__ = f"{cls.__name__}_{digest(cls)}"
    cls.__module__ = __name__
    for rule in methods(cls).values():
        _settle(rule)
    globals()[cls.__name__] = cls


def name_of(cls: type) -> str:
    """What the user has called a class."""
    return cls.__name__.rpartition("_")[0] if cls.__module__ == __name__ else cls.__name__


def methods(cls: type) -> dict[str, FunctionType]:
    """The functions that a class defines itself, without those of every NamedTuple."""
    found = {name: value for name, value in vars(cls).items() if isinstance(value, FunctionType)}
    return {n: value for n, value in found.items() if not n.startswith("__") and value.__module__ != "collections"}


def inherit(cls: Any, defaults: dict[str, FunctionType]) -> None:
    """Make the methods that a game inherits from another its own, but for the defaults which that was given."""
    if any(hasattr(base, "_fields") for base in cls.__bases__) and inspect.get_annotations(cls):
        raise TypeError(f"{cls.__name__} inherits the parameters of its game and can have no others")
    for base in cls.__mro__[1:]:
        for name, method in methods(base).items():
            if name not in vars(cls) and method is not defaults.get(name):
                setattr(cls, name, method)


def _settle(function: FunctionType) -> None:
    """Let Numba find a function, and those that it names, in this module.

    Where it loads a kernel it imports the modules of all functions in it, and the module of a user's file
    has no name that lasts.
    """
    if function.__module__ != __name__ and not function.__module__.startswith("plyground."):
        function.__module__ = __name__
        for word in function.__code__.co_names:
            if isinstance(value := function.__globals__.get(word), FunctionType):
                _settle(value)


def digest(cls: type) -> str:
    """A digest of the rules and of all that they reach: functions, constants, modules beside the file."""
    reach = Reach()
    for name, rule in sorted(methods(cls).items()):
        reach.add(name)
        reach.add(rule)
    return reach.digest()[:16]
