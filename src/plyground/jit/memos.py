"""What Numba works out again and again while it compiles, remembered or done in fewer steps; with the same results.

A first use waits for Numba's typing and lowering more than for LLVM; these few functions of it take a quarter of that.
"""

from __future__ import annotations

import operator
from functools import cache
from types import BuiltinFunctionType, NoneType
from typing import Any

import llvmlite.ir
from llvmlite.binding import ffi
from numba import types
from numba.core import ir, utils
from numba.core.analysis import compute_live_variables
from numba.core.base import BaseContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction
from numba.core.types.npytypes import Record
from numba.core.typing import context as typing_context


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
            found = self._context.resolve_function_type(function, operands, named)
            if found is None:  # which may be said later
                return None
            self.known[function, operands] = found
        return self.known[function, operands]


# --- what operators make of their operands, for which lowering asks again, and which templates may say so ---

_call_type = BaseFunction.get_call_type
_call_types: dict[tuple, Any] = {}


def call_type(function: Any, context: Any, operands: tuple, named: dict) -> Any:
    """The signature of a call, which is remembered for operators."""
    if named or function.typing_key not in MemoisedTyping.operators:
        return _call_type(function, context, operands, named)
    key = function, context, operands
    if key not in _call_types:
        _call_types[key] = _call_type(function, context, operands, named)
    return _call_types[key]


_by_specificity = utils.order_by_target_specificity
_orders: dict[tuple, list] = {}


def order_of_templates(target: Any, templates: Any, fnkey: Any = "") -> list:
    """Templates from the most to the least specific one, which only depends on the target and on them."""
    key = target, tuple(templates)
    if key not in _orders:
        _orders[key] = _by_specificity(target, templates, fnkey)
    return _orders[key]


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
    """Are these options the same?  Those that neither has set are."""
    if type(one) is not type(other):
        return _same_options(one, other)
    given = one._values.keys() | other._values.keys()
    return one._values == other._values or all(getattr(one, name) == getattr(other, name) for name in given)


# --- how long variables live, which Numba finds out after each of its steps, though it needs that after the last ---

_post_process = PostProcessor.run


def post_process(steps: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """What is done with a function after a step: lifetimes are left to whoever asks for them, and so is what lives at
    the beginning of each block."""
    function = steps.func_ir
    if function.is_generator:
        return _post_process(steps, emit_dels, extend_lifetimes)
    function.blocks = canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.block_entry_vars = {}
    function.generator_info = None
    if emit_dels:
        steps._insert_var_dels(extend_lifetimes=extend_lifetimes)
    return None


def variables_at_entry(function: Any, block: Any) -> Any:
    """The variables that live at the beginning of a block, for which Numba's object mode asks."""
    if block not in function.block_entry_vars:
        lives = function.variable_lifetime
        found = compute_live_variables(lives.cfg, function.blocks, lives.usedefs.defmap, lives.deadmaps.combined)
        function.block_entry_vars |= {one: found[offset] for offset, one in function.blocks.items()}
    return function.block_entry_vars[block]


# --- the names of record types ---

_written = Record.__repr__
_texts: dict[int, str] = {}


def written(kind: Any) -> str:
    """A record type as text, which Numba writes whenever it names one that holds it."""
    if (number := kind._code) not in _texts:  # no two types have ever had the same
        _texts[number] = _written(kind)
    return _texts[number]


# --- references within values, for which Numba takes every value apart ---

_holds: dict[Any, bool] = {}


def holds_references(context: Any, kind: Any) -> bool:
    """Is there anything in a value of this type whose references are counted?"""
    if kind not in _holds:
        _holds[kind] = context.data_model_manager[kind].contains_nrt_meminfo()
    return _holds[kind]


# --- what was declared lately, for which Numba looks in all of its modules at every function that it compiles ---

_refreshes = {kind: kind.refresh for kind in (BaseContext, typing_context.BaseContext)}
_declared: dict[int, tuple[dict, list[int]]] = {}


def declared(registries: dict) -> list[int]:
    """How many things these registries hold, of each sort."""
    return [len(getattr(one, sort)) for one, loader in registries.items() for sort in loader.registry_items]


def refresh_targets(context: Any) -> None:
    """Take in what was declared since this was done last; types are also looked at where nothing was."""
    if refresh_if_new(BaseContext, context):
        context.typing_context.refresh()


def refresh_typing(context: Any) -> None:
    """Take in what was declared since this was done last."""
    refresh_if_new(typing_context.BaseContext, context)


def refresh_if_new(kind: Any, context: Any) -> bool:
    """Has nothing been declared since this was done last, so that there is nothing to do?"""
    registries = context._registries
    before = declared(registries)
    if _declared.get(id(registries), (None, None))[1] == before:
        return True
    _refreshes[kind](context)
    _declared[id(registries)] = registries, before  # what is declared meanwhile may have been missed
    return False


# --- the sizes of LLVM's types, for each of which LLVM reads a module that holds nothing else ---

_size_of = llvmlite.ir.Type.get_abi_size
_sizes: dict[tuple[str, str], int] = {}


def size_of(kind: Any, layout: Any, context: Any = None) -> int:
    """The bytes of a type."""
    key = str(kind), str(layout)
    if context is not None or '%"' in key[0]:  # types have names, which tell nothing of what they hold
        return _size_of(kind, layout, context)
    if key not in _sizes:
        _sizes[key] = _size_of(kind, layout)
    return _sizes[key]


llvmlite.ir.Type.get_abi_size = size_of  # type: ignore[method-assign]
ffi.lib._lock._cblist.clear()  # Numba notes, for each function that it compiles, every call of LLVM and its end
BaseFunction.get_call_type = call_type  # type: ignore[assignment, method-assign]
utils.order_by_target_specificity = typing_context.order_by_target_specificity = order_of_templates
PostProcessor.run = post_process
BaseContext.refresh = refresh_targets  # type: ignore[method-assign]
typing_context.BaseContext.refresh = refresh_typing  # type: ignore[method-assign]
ir.FunctionIR.get_block_entry_vars = variables_at_entry  # type: ignore[method-assign]
ir.Inst._rec_list_vars = variables
TargetConfig.__hash__ = lambda options: hash_of_options(options.__class__)
TargetConfig.__eq__ = same_options
Record.__repr__ = written  # type: ignore[method-assign]
