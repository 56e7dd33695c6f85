"""What compiled code depends on: all that a function reaches, as a digest.

Numba writes into a kernel the functions that it calls, those that they call, the methods of the games that it is called
with, and the values of all constants that any of them names.  A digest of all these, taken from bytecode and values,
changes whenever the machine code could, and neither with a comment, a docstring or the place of a line, nor from one
process to another.
"""

from __future__ import annotations

import enum
import hashlib
import opcode
import os
import sys
from contextlib import suppress
from functools import _lru_cache_wrapper, cached_property, lru_cache
from importlib.util import find_spec
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

if TYPE_CHECKING:
    from numba import types

KNOWN = {*sys.stdlib_module_names, "numpy", "numba"}  # their versions say all about these
NUMBA = str(getattr(find_spec("numba"), "origin", ""))  # where it lies; whoever computes nothing never imports it
LIBRARIES = tuple(os.path.dirname(str(file)) + os.sep for file in (os.__file__, np.__file__, NUMBA))


class Reach:
    """A digest that grows by all that is added to it, and by all which that reaches.

    A method is reached if a class that was added has it and code that was added names it: nothing else can be called.
    """

    def __init__(self) -> None:
        self._found = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}  # a number for everything that may be met again, by its id
        self._names: set[str] = set()
        self._classes: list[type] = []
        self._methods: set[tuple[int, str]] = set()
        self.functions: list[FunctionType] = []

    def digest(self) -> str:
        """The digest of all that was added, in hexadecimal."""
        while new := self._named_methods() - self._methods:
            self._methods |= new
            for number, name in sorted(new):
                self._say(number, name)
                self.add(getattr(self._classes[number], name))
        return self._found.hexdigest()

    def add(self, value: Any) -> None:
        """Add what code names, or a method, or an argument's default."""
        value = _function_of(value)
        if isinstance(function := getattr(value, "py_func", None), FunctionType):  # compiled by a decorator
            self.add(getattr(value, "targetoptions", None))
            value = function
        if isinstance(value, (FunctionType, ModuleType, type, list, dict)):
            if id(value) in self._seen:
                self._say("again", self._seen[id(value)][0])
                return
            self._seen[id(value)] = len(self._seen), value
        if isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, ModuleType):
            self._say("module", value.__name__)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self._say("array", value.dtype, value.shape)
            self._found.update(value.tobytes())
        elif isinstance(value, dict):
            self._say("dict", len(value))
            for item in value.items():
                self.add(item)
        elif isinstance(value, (set, frozenset)):
            self._say("set", sorted(map(repr, value)))
        elif isinstance(value, (tuple, list)):
            self._say(type(value).__name__, len(value))
            if hasattr(value, "_fields"):
                self.add(type(value))
            for one in value:
                self.add(one)
        elif (text := repr(value)) and " at 0x" not in text:
            self._say(text)
        elif _is_known(module := getattr(value, "__module__", "")) and hasattr(value, "__qualname__"):
            self._say(module, value.__qualname__)
        else:
            self._say(uuid4())  # nothing tells what it is in another process

    def add_type(self, kind: types.Type) -> None:
        """Add the type of an argument."""
        from numba import types

        if isinstance(kind, types.BaseNamedTuple):
            self.add(kind.instance_class)
        if isinstance(kind, types.BaseTuple):
            self._say(type(kind).__name__, len(kind))
            for one in kind.types:
                self.add_type(one)
        elif isinstance(kind, types.Optional):
            self._say("optional")
            self.add_type(kind.type)
        elif isinstance(kind, types.Omitted):
            self.add(kind.value)
        elif isinstance(kind, types.Dispatcher):
            self.add(kind.dispatcher)
        else:
            self._say(str(kind) if " at 0x" not in str(kind) else uuid4())

    def _add_function(self, function: FunctionType) -> None:
        self._say("function", function.__module__, function.__qualname__)
        if _is_known(function.__module__):
            return
        self.functions.append(function)
        code, names = _code(function.__code__, function.__doc__)
        self._found.update(code)
        self._names |= names
        self._say(getattr(function, "instruction", ""))
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        self._add_named(function.__globals__, names, ())
        self._add_named(_closure(function), frozenset(function.__code__.co_freevars) | names, ())

    def _add_named(self, known: dict[str, Any], names: frozenset[str], within: tuple[ModuleType, ...]) -> None:
        """Add what some names stand for, and where that is a module what they stand for in it."""
        for name in sorted(names & known.keys()):
            self._say(name)
            value = known[name]
            self.add(value)
            if isinstance(value, ModuleType) and not _is_known(value.__name__) and value not in within:
                self._add_named(vars(value), names, (*within, value))

    def _add_class(self, cls: type) -> None:
        self._say("class", cls.__module__, cls.__qualname__, getattr(cls, "_fields", ()))
        if issubclass(cls, enum.Enum):
            self._say([(one.name, one.value) for one in cls])
        if not _is_known(cls.__module__):
            self._classes.append(cls)

    def _named_methods(self) -> set[tuple[int, str]]:
        found = set()
        for number, cls in enumerate(self._classes):
            own = {name for base in cls.__mro__ if not _is_known(base.__module__) for name in vars(base)}
            fields = getattr(cls, "_fields", ())
            found |= {(number, name) for name in own & self._names if name not in fields and name[:2] != "__"}
        return found

    def _say(self, *what: Any) -> None:
        self._found.update(repr(what).encode())


def _function_of(value: Any) -> Any:
    """The function that a method, a property or a cache of answers is made of; anything else as it is.

    Rules that are never compiled have such, and may be reached only since code names something else by the same word.
    """
    if isinstance(value, MethodType):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    if isinstance(value, cached_property):
        return value.func
    return value.__wrapped__ if isinstance(value, _lru_cache_wrapper) else value


def _closure(function: FunctionType) -> dict[str, Any]:
    """What the free variables of a function stand for; those that are not yet filled are left out."""
    known = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):
            known[name] = cell.cell_contents
    return known


@lru_cache(None)
def _code(code: CodeType, docstring: str | None) -> tuple[bytes, frozenset[str]]:
    """A digest of code and of the code inside it; and the names that it uses, with words that may be names."""
    raw, constants = code.co_code, list(code.co_consts)
    loads = {operation for operation, at in zip(raw[::2], raw[1::2], strict=True) if at == 0}
    if constants[:1] == [docstring] and loads.isdisjoint(opcode.hasconst):
        constants[0] = None
    found = hashlib.sha256(raw + code.co_exceptiontable)
    names = {*code.co_names, *(word for word in constants if isinstance(word, str))}
    kind = code.co_flags & 0xFF, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    words = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    found.update(repr((kind, words)).encode())
    for constant in constants:
        if isinstance(constant, CodeType):
            inside, more = _code(constant, None)
            found.update(inside)
            names |= more
        else:
            found.update(_constant(constant).encode())
    return found.digest(), frozenset(names)


def _constant(value: Any) -> str:
    """A constant of code as text; a set has no order that would last."""
    if isinstance(value, frozenset):
        return f"set {sorted(map(_constant, value))}"
    return f"tuple {[*map(_constant, value)]}" if isinstance(value, tuple) else repr(value)


def _is_known(module: str | None) -> bool:
    """Is this a module of Python, NumPy or Numba, and not one beside a user's file that has such a name?"""
    if not module or module.partition(".")[0] not in KNOWN:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return not file or file.startswith(LIBRARIES)
