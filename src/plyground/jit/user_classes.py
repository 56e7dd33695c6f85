"""Game classes from outside the package, and why none of them ever meets a stale kernel.

Numba keeps compiled kernels by the types of their arguments.  So a class from outside is renamed after a
digest of everything its rules reach, and found under that name in this module: a kernel compiled for
other rules is a kernel for another type, and can never be loaded for these.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np


def settle(cls: Any) -> None:
    """Give a class from outside its name here."""
    cls.__name__ = cls.__qualname__ = f"{cls.__name__}_{digest(cls)}"
    cls.__module__ = __name__
    for rule in methods(cls).values():
        _settle(rule)
    globals()[cls.__name__] = cls


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


def __getattr__(name: str) -> Any:
    """A stand-in for a class of another process, which Numba names in the index of its cache."""
    if "_" not in name or name.startswith("_"):
        raise AttributeError(name)
    globals()[name] = type(name, (tuple,), {"_fields": (), "__module__": __name__})
    return globals()[name]


def digest(cls: type) -> str:
    """A digest of the rules and of all that they reach: functions, constants, modules beside the file."""
    found = hashlib.sha256()
    seen: set[int] = set()
    for name, rule in sorted(methods(cls).items()):
        found.update(name.encode())
        _add(found, rule, seen)
    return found.hexdigest()[:16]


def _add(found: Any, value: Any, seen: set[int]) -> None:
    """Digest a value that rules name, with all that it names in turn; `seen` ends the circles."""
    value = getattr(value, "py_func", value)  # a function that its author has compiled
    if isinstance(value, (FunctionType, ModuleType, type)):
        if id(value) in seen:
            return
        seen.add(id(value))
    if isinstance(value, FunctionType):
        names = _add_code(found, value.__code__)
        found.update(repr((value.__defaults__, value.__kwdefaults__)).encode())
        for word in sorted(names & value.__globals__.keys()):
            found.update(word.encode())
            _add(found, value.__globals__[word], seen)
        for cell in value.__closure__ or ():
            _add(found, cell.cell_contents, seen)
    elif isinstance(value, (ModuleType, type)):
        file = getattr(value if isinstance(value, ModuleType) else sys.modules.get(value.__module__), "__file__", None)
        found.update(value.__name__.encode())
        if file and not _is_installed(file):
            for word, inside in sorted(vars(value).items()):
                if not word.startswith("__"):
                    found.update(word.encode())
                    _add(found, inside, seen)
    elif isinstance(value, np.ndarray):
        found.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    else:
        found.update(repr(value).encode())


def _add_code(found: Any, code: CodeType) -> set[str]:
    """Digest code and the code inside it; return the names that it uses."""
    found.update(code.co_code + repr((code.co_names, code.co_varnames)).encode())
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _add_code(found, constant)
        else:
            found.update(repr(constant).encode())
    return names


def _is_installed(file: str) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in Path(file).parts) or file.startswith(
        sys.base_prefix
    )
