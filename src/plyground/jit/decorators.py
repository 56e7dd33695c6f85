"""Decorators for kernels and for the functions that they call, and how Numba is told of methods that kernels call.

A *kernel* is a compiled function that Python calls; an *inner* function is one that only kernels call: it is inlined
into them.  Both are compiled when they are first called, for the types of their arguments.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit, typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning, NumbaTypeSafetyWarning
from numba.extending import intrinsic, overload, overload_method, register_jitable

from . import callables
from .versions import PLAIN
from .watching import Interpreter

if not PLAIN:
    from . import compilers, templates
    from .cache import KernelCache

# these warnings name files of this package; what does not compile is refused.  The second one tells of records of two
# games of which one begins as the other
warnings.simplefilter("ignore", NumbaTypeSafetyWarning)
warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
# Numba asks of a method's receiver whether it is true, and means whether there is one: a game may have no parameters
types.BaseNamedTuple.__bool__ = lambda kind: True

TUPLES = types.NamedTuple, types.NamedUniTuple
INTERPRETER = Interpreter()  # runs kernels for games that do not compile

# error_model="numpy" leaves out the check for zero divisors
STANDALONE: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
KERNEL = INNER = RULE = CALLED = STANDALONE
if not PLAIN:
    # No door to C, and a function that only kernels call needs none to Python either, which would take a third of the
    # time to compile; and it is faster where it is inlined.
    KERNEL = STANDALONE | {"no_cfunc_wrapper": True, "pipeline_class": compilers.KernelCompiler}
    STANDALONE = STANDALONE | {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    INNER = STANDALONE | {"forceinline": True, "pipeline_class": compilers.InlineCompiler}
    RULE = INNER | {"pipeline_class": compilers.RuleCompiler}
    CALLED = INNER | {"pipeline_class": compilers.CalledCompiler}


def kernel(function: Any) -> Any:
    """Compile a function that Python calls, at its first call, and keep it for later processes."""
    made = njit(**KERNEL)(function)
    if hasattr(made, "_cache"):  # not where the compiler is switched off
        if not PLAIN:
            made._cache = KernelCache(function)
        made._compile_for_args = _unless_interpreted(function, made._compile_for_args)
    return made


def _unless_interpreted(function: FunctionType, compiled: Any) -> Any:
    """What Numba asks for machine code when a kernel is called with types that it has not met: where a game that does
    not compile is among the arguments, it is handed the kernel as it is written instead."""

    def chosen(*arguments: Any, **named: Any) -> Any:
        return interpreted if _has_interpreted(arguments) else compiled(*arguments, **named)

    @np.errstate(over="ignore")  # as compiled code does
    def interpreted(*arguments: Any) -> Any:
        return INTERPRETER.twin(function)(*map(INTERPRETER.methods, arguments))

    return chosen


def _has_interpreted(values: tuple) -> bool:
    """Is a game that does not compile among these values, or within tuples of them?"""
    for value in values:
        if hasattr(value, "compiles"):
            if not value.compiles():
                return True
        elif isinstance(value, tuple) and _has_interpreted(value):
            return True
    return False


def inner(function: Any) -> Any:
    """Compile a function that only kernels call, inlined into them."""
    return njit(**INNER)(function)


def recursive(function: Any) -> Any:
    """Compile a function that only kernels call and that is not inlined: it calls itself, or is too large for that."""
    return njit(**INNER | {"forceinline": False})(function)


def standalone(function: Any) -> Any:
    """Compile a function that only kernels call by itself, with all of LLVM's passes: they vectorise its loops."""
    return njit(**STANDALONE)(function)


def any_order(function: Any) -> Any:
    """Compile a function that only kernels call and whose sums may be taken in any order, as vectors are added up."""
    return njit(**INNER | {"forceinline": False, "fastmath": {"reassoc", "contract"}})(function)


def bound(kernel: Any, *arguments: Any, then: tuple = ()) -> Callable[..., Any]:
    """A call of a kernel with these very arguments, which is compiled here; their types are not looked at again at
    every call, which takes longer the more there are of them.

    then: examples of arguments that are still to be given.
    """
    if _has_interpreted(arguments):
        return partial(kernel, *arguments)
    return partial(kernel.compile(tuple(typeof(argument) for argument in (*arguments, *then))), *arguments)


def compile_for(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments of these types, without a call."""
    kernel.compile(tuple(typeof(argument) for argument in arguments))


def _let_kernels_call(name: str, rule: Any) -> None:
    """Compiled code may call the method of this name of any NamedTuple, written in plain Python."""

    def choose(game, *args):
        found = getattr(game.instance_class, name)
        found.__annotations__ = {}  # the compiler compares signatures with that of the documented rule
        _let_rules_call_functions(found)
        return found

    choose.__signature__ = inspect.signature(rule)  # type: ignore[attr-defined]
    choose.__name__ = choose.__qualname__ = name
    for tuple_type in TUPLES:
        overload_method(tuple_type, name, jit_options=RULE)(choose)


@intrinsic
def count_bits(context, word):
    """How many bits of a number are set, by the processor's own instruction."""
    return types.int64(types.int64), lambda context, builder, signature, values: builder.ctpop(values[0])


_callable: set[FunctionType] = set()


def _let_rules_call_method(name: str) -> None:
    """Compiled rules may call the method of this name, which is no rule, of any game that has one."""

    def choose(game, *args):
        method = getattr(game.instance_class, name)
        _let_rules_call(method)
        return lambda game, *args: method(game, *args)

    choose.__name__ = choose.__qualname__ = name
    for tuple_type in TUPLES:
        if PLAIN:  # no other game of this process may have a field of this name
            overload_method(tuple_type, name, jit_options=INNER)(choose)
        else:
            templates.register_method(tuple_type, name, choose)
    if not PLAIN:
        overload(choose, jit_options=INNER)(choose)


def _let_rules_call(function: FunctionType) -> None:
    """Let compiled code call a plain function, and those that it names."""
    if function not in _callable:
        _callable.add(function)
        if getattr(function, "instruction", "") == "ctpop":
            overload(function, jit_options=INNER)(lambda word: lambda word: count_bits(word))
        else:
            register_jitable(**CALLED)(function)
            _let_rules_call_functions(function)


def _let_rules_call_functions(rule: FunctionType) -> None:
    """Let compiled code call the plain functions that a rule names, and those that they name."""
    for word in rule.__code__.co_names:
        if isinstance(value := rule.__globals__.get(word), FunctionType):
            _let_rules_call(value)


callables.told_to(_let_kernels_call, _let_rules_call_method)
