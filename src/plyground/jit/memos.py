"""What Numba works out again and again while it compiles, remembered or done in fewer steps; with the same results.

A first use waits for Numba's typing and lowering more than for LLVM; these few functions of it take a tenth of that.
"""

from __future__ import annotations

import operator
from functools import cache
from types import BuiltinFunctionType, NoneType
from typing import Any

import llvmlite.ir
from llvmlite.binding import ffi
from numba import types
from numba.core import ir
from numba.core.targetconfig import TargetConfig
from numba.core.types.npytypes import Record


class MemoisedTyping:
    """Numba's typing context, which remembers what an operator makes of its operands.

    Numba would search the many things that `+` and `[]` can mean anew at each of their uses.
    """

    operators = frozenset((bool, *(found for found in vars(operator).values() if callable(found))))
    known: dict[tuple, Any] = {}  # noqa: RUF012

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, operands: tuple, named: dict) -> Any:
        if named or not isinstance(function, types.Function) or function.typing_key not in self.operators:
            return self._context.resolve_function_type(function, operands, named)
        if (function, operands) not in self.known:
            self.known[function, operands] = self._context.resolve_function_type(function, operands, named)
        return self.known[function, operands]


# --- the variables of a statement ---

NO_VARIABLES = {str, int, bool, float, NoneType, BuiltinFunctionType, ir.Loc}  # of these types are most parts of one
_all_variables = ir.Inst._rec_list_vars


def variables(statement: Any, part: Any) -> list:
    """The variables in a part of a statement, for which Numba asks of each part whether it is one of many types."""
    if type(part) is not dict:
        return _all_variables(statement, part)
    found: list = []
    for value in part.values():
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind not in NO_VARIABLES:
            found += _all_variables(statement, value)
    return found


# --- the options of a compilation, which are part of many keys ---


@cache
def hash_of_options(kind: Any) -> int:
    """Numba's hash of options, which depends on their names alone."""
    return hash(tuple(sorted(kind.options)))


_same_options = TargetConfig.__eq__


def same_options(one: Any, other: Any) -> Any:
    """Are these options the same?  They mostly are set alike."""
    return (type(one) is type(other) and one._values == other._values) or _same_options(one, other)


# --- the names of record types ---

_written = Record.__repr__
_texts: dict[int, str] = {}


def written(kind: Any) -> str:
    """A record type as text, which Numba writes whenever it names one that holds it."""
    if (number := kind._code) not in _texts:  # no two types have ever had the same
        _texts[number] = _written(kind)
    return _texts[number]


# --- the sizes of LLVM's types, for each of which LLVM reads a module that holds nothing else ---

_size_of = llvmlite.ir.Type.get_abi_size
_sizes: dict[tuple[str, str], int] = {}


def size_of(kind: Any, layout: Any, context: Any = None) -> int:
    """The bytes of a type."""
    if context is not None:  # which may give names to types
        return _size_of(kind, layout, context)
    key = str(kind), str(layout)
    if key not in _sizes:
        _sizes[key] = _size_of(kind, layout)
    return _sizes[key]


llvmlite.ir.Type.get_abi_size = size_of  # type: ignore[method-assign]
ffi.lib._lock._cblist.clear()  # Numba notes, for each function that it compiles, every call of LLVM and its end
ir.Inst._rec_list_vars = variables
TargetConfig.__hash__ = lambda options: hash_of_options(options.__class__)
TargetConfig.__eq__ = same_options
Record.__repr__ = written  # type: ignore[method-assign]
