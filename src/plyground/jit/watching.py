"""Kernels as the plain Python that they are written in: interpreted, with everything that they call.

Compiled code cannot be looked into while it runs.  Its twin here can: the same bytecode, in whose place nothing is
compiled, and any function of which can be watched.  Interpreted and compiled kernels give the same results, so that a
search may go on in the one where the other has stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

Watcher = Callable[[Callable], Callable]  # from a function to what is called in its place
PACKAGE = __name__.split(".")[0] + "."


class Interpreter:
    """Makes interpreted twins of kernels and of what they call.

    watchers: by function, as its module names it; what a watcher makes of the twin is called in its place, wherever
    kernels call that function.
    """

    def __init__(self, watchers: dict[Any, Watcher] | None = None) -> None:
        self._watchers = {plain(function): watcher for function, watcher in (watchers or {}).items()}
        self._twins: dict[FunctionType, Callable] = {}

    def twin(self, function: Any) -> Callable:
        """The interpreted twin of a kernel, or of a function that kernels call."""
        original = plain(function)
        if original not in self._twins:
            names = dict(original.__globals__)
            twin = FunctionType(original.__code__, names, original.__name__, original.__defaults__)
            watcher = self._watchers.get(original)
            self._twins[original] = watcher(twin) if watcher else twin  # before what it calls: it may call itself
            for name in names_in(original.__code__):
                if name in names:
                    names[name] = self._replaced(names[name])
        return self._twins[original]

    def methods(self, value: Any) -> Any:
        """The value with methods that run interpreted: kernels call those of a search's variant, of a scoring or of a
        prover, which are made of compiled functions.  What has no such methods stays as it is, as a game does."""
        return _Methods(self, value) if has_methods(value) else value

    def _replaced(self, value: Any) -> Any:
        """What stands in the place of something that code names."""
        if isinstance(plain(value), FunctionType) and plain(value).__module__.startswith(PACKAGE):
            return self.twin(value)
        return _Members(self, value) if isinstance(value, ModuleType) and value.__name__.startswith(PACKAGE) else value


class _Members:
    """A module whose functions are interpreted."""

    def __init__(self, interpreter: Interpreter, module: ModuleType) -> None:
        self._interpreter, self._module = interpreter, module

    def __getattr__(self, name: str) -> Any:
        found = self._interpreter._replaced(getattr(self._module, name))
        setattr(self, name, found)
        return found


class _Methods:
    """An object whose methods are interpreted."""

    def __init__(self, interpreter: Interpreter, instance: Any) -> None:
        self._interpreter, self._instance = interpreter, instance

    def __getattr__(self, name: str) -> Any:
        found = getattr(type(self._instance), name, None)
        if isinstance(found, FunctionType):
            return self._interpreter.twin(found).__get__(self)
        return self._interpreter.methods(getattr(self._instance, name))


def has_methods(value: Any) -> bool:
    """Is this a tuple, but no game, with methods for kernels to call?"""
    if not hasattr(value, "_fields") or hasattr(value, "compiles"):
        return False
    return any(isinstance(getattr(type(value), name), FunctionType) for name in dir(value) if name[0] != "_")


def plain(function: Any) -> Any:
    """The Python function of a compiled one; anything else as it is."""
    return getattr(function, "py_func", function)


def names_in(code: CodeType) -> set[str]:
    """All names that code, and code within it, may look up outside of itself."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(names_in, inner))
