"""How Numba compiles kernels and the functions that only kernels call.

A function that only kernels call is an *ingredient*: it is written into them and needs no life of its own.  Left
to itself, Numba optimises every such function and makes it executable, before it does the same again to the kernel.

A kernel is *sealed*: what it is made of is visible to nobody else.  Left to itself, Numba would leave the parts
that are not written out visible under names that tell record types by numbers, which start anew in every process:
two kernels from the cache would take each other's parts for their own, and run the wrong code.
"""

from __future__ import annotations

from llvmlite.binding import Linkage
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class Ingredient(JITCodeLibrary):
    """Code to be linked into a kernel."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


class Sealed(JITCodeLibrary):
    """A kernel with all that it is made of."""

    def _optimize_final_module(self):
        if any(name.name.startswith(".numba.unresolved$") for name in self._final_module.global_variables):
            raise TypeError(
                f"{self.name}: a recursive function has to call itself with the types that it was called with"
            )
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


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


class IngredientCompiler(CompilerBase):
    lowering: type = IngredientLowering

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if p is NativeLowering else p, why) for p, why in passes.passes]
        passes.finalize()
        return [passes]


class KernelCompiler(IngredientCompiler):
    lowering = SealedLowering
