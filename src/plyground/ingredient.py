"""How Numba compiles a function that only kernels call: it is written into them and needs no life of its own.

Left to itself, Numba optimises every such function and makes it executable, before it does the same again
to the kernel which the function became a part of.
"""

from __future__ import annotations

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


class IngredientCompiler(CompilerBase):
    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(IngredientLowering if p is NativeLowering else p, why) for p, why in passes.passes]
        passes.finalize()
        return [passes]
