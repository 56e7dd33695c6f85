"""What is remembered for Numba is what Numba would have worked out."""

from __future__ import annotations

import gc
import operator
from typing import Any, ClassVar

import numba
import numpy as np
from llvmlite import ir as llvm
from llvmlite.binding import create_target_data
from numba import from_dtype, types
from numba.core import ir
from numba.core.compiler import Flags, run_frontend
from numba.core.postproc import PostProcessor
from numba.core.registry import cpu_target

from plyground.jit import memos
from plyground.jit.compilers import forget_what_made_it
from plyground.jit.memos import MemoisedTyping
from plyground.jit.records import record


def test_the_variables_of_statements_are_those_that_numba_finds() -> None:
    def mixed(a, b, *more):  # type: ignore[no-untyped-def]
        total = {1: a, 2: (a, b)}
        for i in range(3):
            a[i] = max(b, key=more) if a is not None else [total, b[1:i]]
            print(f"{a}", -b, i, sep="")
        return a.x, total

    blocks = run_frontend(mixed).blocks.values()
    parts = [statement for block in blocks for statement in block.body]
    parts += [statement.value for statement in parts if isinstance(getattr(statement, "value", None), ir.Inst)]
    assert len(parts) > 50 and any(len(part.list_vars()) > 2 for part in parts)
    for part in parts:
        fields = part._kws if isinstance(part, ir.Expr) else part.__dict__
        assert [id(one) for one in part.list_vars()] == [id(one) for one in memos._all_variables(part, fields)]


def test_options_are_the_same_if_their_values_are() -> None:
    plain, other = Flags(), Flags()
    assert plain == other and hash(plain) == hash(other)
    other.nrt = plain.nrt  # set, to what it is anyway
    assert plain == other and hash(plain) == hash(other)
    other.nrt = not plain.nrt
    assert plain != other and plain != "options"
    assert memos._same_options(plain, Flags()) and not memos._same_options(plain, other)


def test_a_record_type_is_written_as_numba_writes_it() -> None:
    kinds = [from_dtype(record([("left", size), ("cells", np.int8, (3,))])) for size in (np.int8, np.int64)]
    texts = [repr(kind) for kind in kinds for _ in range(2)]
    assert texts == [memos._written(kind) for kind in kinds for _ in range(2)] and len(set(texts)) == 2


def test_types_of_llvm_have_the_sizes_that_llvm_tells() -> None:
    byte, word = llvm.IntType(8), llvm.IntType(64)
    kinds = [byte, word, llvm.LiteralStructType([byte, word]), llvm.ArrayType(byte, 3), word.as_pointer()]
    layout = cpu_target.target_context.target_data
    for _ in range(2):
        sizes = [kind.get_abi_size(layout) for kind in kinds]
        assert sizes == [memos._size_of(kind, layout) for kind in kinds] == [1, 8, 16, 3, 8]


def test_variables_at_the_beginning_of_blocks_are_those_that_numba_finds() -> None:
    def looped(a, b):  # type: ignore[no-untyped-def]
        total = 0
        for one in a:
            if one:
                total += one if b else len(a)
        return total

    function = run_frontend(looped)
    memos.post_process(PostProcessor(function))
    found = {block: function.get_block_entry_vars(block) for block in function.blocks.values()}
    memos._post_process(PostProcessor(function))
    assert found == function.block_entry_vars and sum(map(len, found.values())) > 5


def test_somebodys_own_kernels_in_object_mode_compile_as_before() -> None:
    @numba.jit(forceobj=True)
    def letters(words):  # type: ignore[no-untyped-def]
        total = 0
        for word in words:
            total += len(str(word))
        return total

    @numba.njit
    def digits(number):  # type: ignore[no-untyped-def]
        with numba.objmode(found="intp"):
            found = len(str(number))
        return found + 1

    assert letters((1, "ab", None)) == 7 and digits(1234) == 5


def test_what_an_operator_does_not_know_yet_is_not_remembered() -> None:
    class Context:
        answers: ClassVar[list[Any]] = [None, "found", "never asked"]

        def resolve_function_type(self, *asked: Any) -> Any:
            return self.answers.pop(0)

    own = type("Own", (types.Opaque,), {})("an operand of this test")
    cpu_target.typing_context.refresh()  # it knows operators once anything is compiled
    add = MemoisedTyping(cpu_target.typing_context).resolve_value_type(operator.add)
    asked = MemoisedTyping(Context())
    assert [asked.resolve_function_type(add, (own, own), {}) for _ in range(3)] == [None, "found", "found"]
    del MemoisedTyping.known[add, (own, own)]


def test_types_with_names_are_measured_each_time() -> None:
    layout = create_target_data("e-m:e-i64:64-f80:128-n8:16:32:64-S128")
    sizes = []
    for content in ([llvm.IntType(8)], [llvm.IntType(64)] * 3):
        context = llvm.Context()
        named = context.get_identified_type("named")
        named.set_body(*content)
        sizes.append(named.get_abi_size(layout, context))
    assert sizes == [1, 24] and not any("named" in kind for kind, _ in memos._sizes)


def test_a_function_that_is_compiled_by_itself_leaves_the_garbage_collector_alone() -> None:
    was, before = gc.isenabled(), gc.get_freeze_count()
    try:
        gc.enable()
        forget_what_made_it()
        assert gc.get_freeze_count() <= before  # fewer where something of it has gone meanwhile
    finally:
        if not was:
            gc.disable()
