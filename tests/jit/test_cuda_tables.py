"""Tables that rules read: a GPU's memory for constants has room for small ones alone."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite import ir

from plyground.jit import cuda as gpu


def test_large_tables_lie_in_the_memory_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba_cuda")
    from numba.cuda import types
    from numba.cuda.descriptor import cuda_target
    from numba.cuda.target import CUDATargetContext

    monkeypatch.setattr(CUDATargetContext, "make_constant_array", CUDATargetContext.make_constant_array)
    gpu._keep_large_tables_elsewhere()
    cuda_target.target_context.refresh()
    module = ir.Module()
    builder = ir.IRBuilder(ir.Function(module, ir.FunctionType(ir.VoidType(), ()), "code").append_basic_block())
    for size in (gpu.SMALL, gpu.SMALL + 1, 1):
        values = np.ones(size, np.int8)
        cuda_target.target_context.make_constant_array(builder, types.Array(types.int8, 1, "C"), values)
    assert [table.addrspace for table in module.global_values if isinstance(table, ir.GlobalVariable)] == [4, 1, 4]
