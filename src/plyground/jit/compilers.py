"""How Numba compiles kernels and the functions that only kernels call.

A function that only kernels call is an *ingredient*: it is written into them and needs no life of its own.  Left
to itself, Numba optimises every such function and makes it executable, before it does the same again to the kernel.

A kernel is *sealed*: what it is made of is visible to nobody else.  Left to itself, Numba would leave the parts
that are not written out visible under names that tell record types by numbers, which start anew in every process:
two kernels from the cache would take each other's parts for their own, and run the wrong code.

A first use waits for all this, so whatever can be left out is.  What was left out, and what it gained, stands in
docs/speed.md.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from llvmlite.binding import Linkage, create_new_module_pass_manager
from numba import _dynfunc, config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from .first_use import llvm_level


class Part(JITCodeLibrary):
    """Code that is optimised where it is whole, in the kernel, and not function by function before."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


class Ingredient(Part):
    """Code to be linked into a kernel."""

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


class Sealed(Part):
    """A kernel with all that it is made of."""

    def _optimize_final_module(self):
        if any(name.name.startswith(".numba.unresolved$") for name in self._final_module.global_variables):
            raise TypeError(
                f"{self.name}: a recursive function has to call itself with the types that it was called with"
            )
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        first = create_new_module_pass_manager()  # parts are written out before LLVM looks at the whole
        first.add_always_inliner_pass()
        first.add_sroa_pass()
        first.add_instruction_combine_pass()
        first.add_jump_threading_pass()
        passes, builder = self._codegen._module_pass_manager()
        first.run(self._final_module, builder)
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class IngredientLowering(NativeLowering):
    _name = "ingredient_lowering"

    def run_pass(self, state):
        state.library = Ingredient(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        names = lowered.fndesc.lookup_module(), lowered.fndesc.qualname, "a part of kernels"
        entry = _dynfunc.make_function(*names, 0, lowered.env, (state.library,))  # callers know the function by it
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class SealedLowering(NativeLowering):
    _name = "sealed_lowering"

    def run_pass(self, state):
        state.library = Sealed(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


class Remembering:
    """Numba's knowledge of types, which remembers what an operator makes of its operands.

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


class IngredientCompiler(CompilerBase):
    lowering: type = IngredientLowering

    def define_pipelines(self):
        self.state.typingctx = Remembering(self.state.typingctx)
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        idle = [NopythonRewrites]  # they would fuse expressions of whole arrays
        if not any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts):
            idle.append(InlineClosureLikes)
        kept = [(step, why) for step, why in passes.passes if step not in idle]
        passes.passes = [(self.lowering if step is NativeLowering else step, why) for step, why in kept]
        passes.finalize()
        return [passes]


class KernelCompiler(IngredientCompiler):
    lowering = SealedLowering

    def compile_extra(self, func):
        with _sooner():
            return super().compile_extra(func)


@contextmanager
def _sooner() -> Iterator[None]:
    """Set what is the process's for one kernel: Numba's lock lets a single thread compile at a time."""
    with global_compiler_lock:
        usual, collecting, wanted = config.OPT, gc.isenabled(), llvm_level.get()
        if wanted is None:
            yield
            return
        config.OPT = type(usual)(min(usual, wanted))
        gc.disable()
        try:
            yield
        finally:
            config.OPT = usual
            if collecting:
                gc.enable()
