"""How Numba compiles kernels and the inner functions that only kernels call.

An inner function is inlined into kernels and needs neither machine code nor an entry of its own.  Left to itself, Numba
optimises every such function and makes it executable, before it does the same again to the kernel.

A kernel's symbols are internal: nobody else sees what it is made of.  Left to itself, Numba would leave the functions
that are not inlined visible under names that tell record types by numbers, which start anew in every process: two
kernels from the cache would take each other's functions for their own, and run the wrong code.

A first use waits for all this, so whatever can be left out is.  What was left out, and what it gained, stands in
docs/speed.md.
"""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType
from typing import Any

from llvmlite import ir as llvm_ir
from llvmlite.binding import (
    Linkage,
    create_new_module_pass_manager,
    create_pass_builder,
    create_pipeline_tuning_options,
    parse_assembly,
    parse_bitcode,
)
from numba import _dynfunc, config, types
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.errors import TypingError
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from .cache import lock
from .errors import noted
from .first_use import llvm_level
from .memory import COUNTS, lists_keep_memory, plain_counts
from .memos import MemoisedTyping, holds_references
from .progress import compilations

KERNEL = "plyground.kernel"  # a name in what is kept of a kernel in the place of its bitcode
HIDDEN = Linkage.internal, Linkage.private


class UnoptimisedLibrary(JITCodeLibrary):
    """Code that is optimised where it is whole, in the kernel, and not function by function before."""

    _linking_libraries: list
    _shared_module: Any

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


class InlineLibrary(UnoptimisedLibrary):
    """Code to be linked into a kernel, without what it calls: the kernel has all of that linked once.

    It is kept as bitcode, which takes less memory than what LLVM makes of it.
    """

    _bitcode: bytes

    def finalize(self):
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if function.linkage == Linkage.external and not function.is_declaration:
                function.linkage = Linkage.linkonce_odr  # it is linked where it is called, and may be several times
        self._finalize_dynamic_globals()
        passes = create_new_module_pass_manager()  # it is made small once, not in every place that it is written out to
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.run(self._final_module, create_pass_builder(self._codegen._tm, create_pipeline_tuning_options()))
        self._bitcode = self._final_module.as_bitcode()
        self._final_module.close()
        self._finalized = True

    def own_module(self):
        """The code itself, anew."""
        return parse_bitcode(self._bitcode)

    def _get_module_for_linking(self):
        """With all that it calls, for a function that is compiled by itself."""
        if self._shared_module is None:
            self._shared_module = self.own_module()
            link_all(self._shared_module, self._linking_libraries)
        return self._shared_module


def reached(libraries: list) -> list:
    """These libraries, and those that inlined ones of them call, each of them once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, InlineLibrary):
                waiting += library._linking_libraries
    return list(found)


def link_all(module: Any, libraries: list) -> None:
    """Link these libraries into a module, with those that inlined ones of them call."""
    for library in reached(libraries):
        if isinstance(library, InlineLibrary):
            module.link_in(library.own_module())
        else:
            module.link_in(library._get_module_for_linking(), preserve=True)


def is_kernel(library: JITCodeLibrary) -> bool:
    """Is this a kernel, compiled or loaded?  Of one that was loaded there is nothing to link."""
    if isinstance(library, KernelLibrary | InlineLibrary):
        return isinstance(library, KernelLibrary)
    return any(function.name == KERNEL for function in library._get_module_for_linking().functions)


def names_alone(module: Any) -> bytes:
    """Bitcode of what a module lets others see: the names alone, which Numba asks for before it looks them up."""
    made = llvm_ir.Module()
    names = [KERNEL, *(one.name for one in module.functions if not (one.is_declaration or one.linkage in HIDDEN))]
    for name in names:
        function = llvm_ir.Function(made, llvm_ir.FunctionType(llvm_ir.VoidType(), ()), name)
        llvm_ir.IRBuilder(function.append_basic_block()).ret_void()
    return parse_assembly(str(made)).as_bitcode()


class KernelLibrary(UnoptimisedLibrary):
    """A kernel with all that it is made of."""

    def finalize(self):
        for library in reached(self._linking_libraries):
            if is_kernel(library):
                raise TypeError(f"{self.name} calls the kernel {library.name}: let both call an inner function")
            self._reload_init.update(library._reload_init)
        link_all(self._final_module, self._linking_libraries)
        self._linking_libraries = []
        super().finalize()

    def serialize_using_object_code(self):
        """Without the bitcode, which is two thirds of it: no kernel is linked into another."""
        self._ensure_finalized()
        return self.name, "object", (self._get_compiled_object(), names_alone(self._final_module))

    def _optimize_final_module(self):
        if any(name.name.startswith(".numba.unresolved$") for name in self._final_module.global_variables):
            raise TypeError(
                f"{self.name}: a recursive function has to call itself with the types that it was called with"
            )
        for function in self._final_module.functions:
            shared = function.linkage == Linkage.linkonce_odr or function.name in COUNTS
            if shared and not function.is_declaration:
                function.linkage = Linkage.internal
        first = create_new_module_pass_manager()  # functions are inlined before LLVM looks at the whole
        first.add_always_inliner_pass()
        first.add_global_dead_code_eliminate_pass()
        first.add_sroa_pass()
        first.add_instruction_combine_pass()
        first.add_jump_threading_pass()
        passes, builder = self._codegen._module_pass_manager()
        first.run(self._final_module, builder)
        passes.run(self._final_module, builder)


class BorrowingLower(Lower):
    """Counts no references to what a function is called with: its caller keeps that for as long as the call takes.

    A tuple of arrays would be counted array by array, up and down, in every function that it is handed on to.
    """

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self._borrowed: set[str] = set()
        self._borrows = False  # is it an argument that is lowered now?

    def lower_assign(self, ty, inst):
        self._borrows = isinstance(inst.value, ir.Arg)
        if self._borrows:
            self._borrowed.add(inst.target.name)  # which is assigned nothing else: other values have names of their own
        value = super().lower_assign(ty, inst)
        self._borrows = False
        return value

    def incref(self, typ, val):
        if not self._borrows and holds_references(self.context, typ):
            super().incref(typ, val)

    def decref(self, typ, val):
        if holds_references(self.context, typ):
            super().decref(typ, val)

    def delvar(self, name):
        if name not in self._borrowed:
            super().delvar(name)


class BorrowingLowering(NativeLowering):
    @property
    def lowering_class(self):
        return BorrowingLower


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineLowering(BorrowingLowering):
    _name = "plyground_inline_lowering"

    def run_pass(self, state):
        state.library = InlineLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        with lists_keep_memory():
            super().run_pass(state)
        lowered = state["cr"]
        names = lowered.fndesc.lookup_module(), lowered.fndesc.qualname, "an inner function"
        entry = _dynfunc.make_function(*names, 0, lowered.env, (state.library,))  # callers know the function by it
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(BorrowingLowering):
    _name = "plyground_kernel_lowering"

    def run_pass(self, state):
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.library.add_ir_module(plain_counts())
        with lists_keep_memory():
            return super().run_pass(state)


class InlineCompiler(CompilerBase):
    lowering: type = InlineLowering

    def define_pipelines(self):
        self.state.typingctx = MemoisedTyping(self.state.typingctx)
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        idle = [NopythonRewrites]  # they would fuse expressions of whole arrays
        if not any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts):
            idle.append(InlineClosureLikes)
        kept = [(step, why) for step, why in passes.passes if step not in idle]
        passes.passes = [(self.lowering if step is NativeLowering else step, why) for step, why in kept]
        passes.finalize()
        return [passes]

    def compile_extra(self, func):
        made = super().compile_extra(func)
        compilations.function_done()
        forget_what_made_it()
        return made


class CalledCompiler(InlineCompiler):
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


class KernelCompiler(InlineCompiler):
    lowering = KernelLowering

    def __init__(self, *parts: Any) -> None:
        _load_without_scipy()
        super().__init__(*parts)

    def compile_extra(self, func):
        try:
            with compilations.one(func.__name__, lock.functions), _sooner():
                return super().compile_extra(func)
        except BaseException:
            lock.release()
            raise


@cache
def _load_without_scipy() -> None:
    """Load what Numba knows of arrays, which would import SciPy only to see whether it is there.

    That takes a quarter of a second.  What multiplies matrices asks for SciPy again, when it is compiled.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    asked, linalg.ensure_blas = linalg.ensure_blas, _find_scipy
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked


def _find_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("scipy")


@contextmanager
def _sooner() -> Iterator[None]:
    """Set what is the process's for one kernel: Numba's lock lets a single thread compile at a time."""
    with global_compiler_lock:
        usual, collecting, wanted = config.OPT, gc.isenabled(), llvm_level.get()
        frozen = gc.get_freeze_count()
        if wanted is not None:
            config.OPT = type(usual)(min(usual, wanted))
        gc.disable()  # the compiler makes so many objects that the garbage collector takes a seventh of its time
        gc.freeze()
        try:
            yield
        finally:
            config.OPT = usual
            if not frozen:
                gc.unfreeze()
            if collecting:
                gc.enable()


def forget_what_made_it() -> None:
    """Free what is left of a function that was compiled: cycles of objects, 100 MB of them in a large kernel.

    The garbage collector looks once at what is new, and not again at what it keeps until the kernel is made, which
    takes a fiftieth of the compiler's time.  Of a function that is compiled by itself it takes care as usual.
    """
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
