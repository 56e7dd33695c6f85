"""What is remembered for Numba is what Numba would have worked out."""

from __future__ import annotations

import numpy as np
from llvmlite import ir as llvm
from numba import from_dtype
from numba.core import ir
from numba.core.compiler import Flags, run_frontend
from numba.core.registry import cpu_target

from plyground.jit import memos
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
