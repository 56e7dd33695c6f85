"""The Numba glue: lets compiled code call the rules of a game, and compiles kernels and what only they call."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType
from typing import Any

from numba import njit, types
from numba.core.errors import NumbaTypeSafetyWarning, TypingError
from numba.core.typing.templates import _OverloadMethodTemplate, infer_getattr, make_overload_attribute_template
from numba.extending import intrinsic, overload, overload_method, register_jitable

from . import cache
from .compilers import IngredientCompiler, KernelCompiler
from .errors import noted

# these warnings name files of this package; what does not compile is refused
warnings.simplefilter("ignore", NumbaTypeSafetyWarning)

# error_model="numpy" leaves out the check for zero divisors.  A function that only kernels call needs no door
# to Python, which would take a third of the time to compile, and is faster where it is written out.
KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
KERNEL |= {"pipeline_class": KernelCompiler}
INNER: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INNER |= {"no_cpython_wrapper": True, "forceinline": True, "pipeline_class": IngredientCompiler}


class CalledCompiler(IngredientCompiler):
    """Compiles what rules call, and notes which function does not compile."""

    def compile_extra(self, func):
        try:
            return super().compile_extra(func)
        except Exception as error:
            raise noted(func, error) from None


class RuleCompiler(CalledCompiler):
    """Compiles rules, which answer numbers, or nothing."""

    def compile_extra(self, func):
        made = super().compile_extra(func)
        answer = made.signature.return_type
        if not isinstance(answer, types.Number | types.Boolean | types.NoneType):
            raise noted(func, TypingError(f"answers {answer}"))
        return made


RULE: dict[str, Any] = INNER | {"pipeline_class": RuleCompiler}
CALLED: dict[str, Any] = INNER | {"pipeline_class": CalledCompiler}


def kernel(function: Any) -> Any:
    """Compile a function that Python calls, at its first call, and keep it for later processes."""
    made = njit(**KERNEL)(function)
    if hasattr(made, "_cache"):  # not where the compiler is switched off
        made._cache = cache.KernelCache(function)
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
    choose.__name__ = choose.__qualname__ = name
    for tuple_type in (types.NamedTuple, types.NamedUniTuple):
        overload_method(tuple_type, name, jit_options=RULE)(choose)


@intrinsic
def count_bits(context, word):
    """How many bits of a number are set, by the processor's own instruction."""
    return types.int64(types.int64), lambda context, builder, signature, values: builder.ctpop(values[0])


class MethodTemplate(_OverloadMethodTemplate):
    """A method of the games that have it; in others its name may be that of a field."""

    def _resolve(self, typ, attr):
        has = isinstance(getattr(typ.instance_class, attr, None), FunctionType)
        return super()._resolve(typ, attr) if has else None


_callable: set[FunctionType | str] = set()


def let_rules_call_method(name: str) -> None:
    """Let compiled rules call the method of this name, which is no rule, of any game that has one."""

    def choose(game, *args):
        method = getattr(game.instance_class, name)
        _let_rules_call(method)
        return lambda game, *args: method(game, *args)

    if name not in _callable:
        _callable.add(name)
        choose.__name__ = choose.__qualname__ = name
        for tuple_type in (types.NamedTuple, types.NamedUniTuple):
            infer_getattr(make_overload_attribute_template(tuple_type, name, choose, base=MethodTemplate))
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
