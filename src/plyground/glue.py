"""The Numba glue: lets compiled code call the rules of a game, and compiles kernels and what only they call."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from numba import njit, types
from numba.extending import intrinsic, overload, overload_method, register_jitable

from . import cache
from .ingredient import IngredientCompiler, KernelCompiler

cache.set_up()

# error_model="numpy" leaves out the check for zero divisors.  A function that only kernels call needs no door
# to Python, which would take a third of the time to compile, and is faster where it is written out.
KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
KERNEL |= {"pipeline_class": KernelCompiler}
INNER: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INNER |= {"no_cpython_wrapper": True, "forceinline": True, "pipeline_class": IngredientCompiler}


def kernel(function: Any) -> Any:
    """Compile a function that Python calls, at its first call, and keep it for later processes."""
    made = njit(**KERNEL)(function)
    if hasattr(made, "_cache"):  # not where the compiler is switched off
        made._cache = cache.Kept(function)
    return made


def inner(function: Any) -> Any:
    """Compile a function that only kernels call."""
    return njit(**INNER)(function)


def recursive(function: Any) -> Any:
    """Compile a function that calls itself and that only kernels call."""
    return njit(**INNER | {"forceinline": False})(function)


def let_kernels_call(name: str, rule: Any) -> None:
    """Let compiled code call the method of this name of any NamedTuple, written in plain Python."""

    def choose(game, *args):
        found = getattr(game.instance_class, name)
        found.__annotations__ = {}  # the compiler compares signatures with that of the documented rule
        _let_rules_call_functions(found)
        return found

    choose.__signature__ = inspect.signature(rule)  # type: ignore[attr-defined]
    for tuple_type in (types.NamedTuple, types.NamedUniTuple):
        overload_method(tuple_type, name, jit_options=INNER)(choose)


@intrinsic
def count_bits(context, word):
    """How many bits of a number are set, by the processor's own instruction."""
    return types.int64(types.int64), lambda context, builder, signature, values: builder.ctpop(values[0])


_callable: set[FunctionType] = set()


def _let_rules_call_functions(rule: FunctionType) -> None:
    """Let compiled code call the plain functions that a rule names, and those that they name."""
    for word in rule.__code__.co_names:
        value = rule.__globals__.get(word)
        if isinstance(value, FunctionType) and value not in _callable:
            _callable.add(value)
            if getattr(value, "instruction", "") == "ctpop":
                overload(value, jit_options=INNER)(lambda word: lambda word: count_bits(word))
            else:
                register_jitable(**INNER)(value)
                _let_rules_call_functions(value)
