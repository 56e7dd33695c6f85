"""What lists, sets and arrays that rules make cost: their memory, and the counts of references to it.

Numba counts references by atomic instructions with fences, since its arrays may be shared between threads.  Those of a
kernel never are: it starts no threads, and the arrays that it is called with get a count of their own at every call.
And a list of Numba's gives memory back as soon as it is a quarter full, so that one which a rule pushes to and pops
from is moved again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.types import containers
from numba.cpython import listobj

KEPT = 4096  # items of a list whose memory is never given back before the list is
COUNTS = {"NRT_incref": 1, "NRT_decref": -1}
WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()


@cache
def plain_counts() -> ir.Module:
    """A module with NRT_incref and NRT_decref that are not atomic; they take the place of Numba's, which are weak."""
    module = ir.Module("plain_counts")
    destroy = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), "NRT_MemInfo_call_dtor")
    for name, change in COUNTS.items():
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), name)
        function.attributes.add("noinline")  # LLVM's pass that prunes counts knows calls by these names
        builder = ir.IRBuilder(function.append_basic_block())
        (owner,) = function.args
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, owner)):
            builder.ret_void()
        count = builder.bitcast(owner, WORD.as_pointer())
        left = builder.add(builder.load(count), WORD(change))
        builder.store(left, count)
        if change < 0:
            with cgutils.if_unlikely(builder, builder.icmp_unsigned("==", left, WORD(0))):
                builder.call(destroy, [owner])
        builder.ret_void()
    return module


def resize(self: Any, new_size: Any) -> None:
    """Numba's way to resize a list, which keeps its memory unless that is large."""
    context, builder, word = self._context, self._builder, new_size.type
    allocated = self._payload.allocated

    def allocate(items: Any) -> None:
        payload = context.get_abi_sizeof(context.get_data_type(containers.ListPayload(self._ty))) - self._itemsize
        size, overflow = cgutils.muladd_with_overflow(builder, items, word(self._itemsize), word(payload))
        with builder.if_then(overflow, likely=False):
            context.call_conv.return_user_exc(builder, MemoryError, ("cannot resize list",))
        data = context.nrt.meminfo_varsize_realloc_unchecked(builder, self._list.meminfo, size=size)
        cgutils.guard_memory_error(context, builder, data, "cannot resize list")
        self._payload.allocated = items

    large = builder.icmp_signed(">", allocated, word(KEPT))
    nearly_empty = builder.icmp_signed(">", builder.ashr(allocated, word(2)), new_size)
    with builder.if_then(builder.and_(large, nearly_empty), likely=False):
        allocate(new_size)
    with builder.if_then(builder.icmp_signed("<", allocated, new_size), likely=False):
        more = builder.add(word(8), builder.add(new_size, new_size))
        allocate(more)
        self.zfill(self.size, more)
    self._payload.size = new_size
    self.set_dirty(True)


@contextmanager
def lists_keep_memory() -> Iterator[None]:
    """What is compiled meanwhile resizes its lists so; other people's functions do it as Numba does.

    One function is compiled at a time: Numba holds a lock.
    """
    usual = listobj.ListInstance.resize
    listobj.ListInstance.resize = resize
    try:
        yield
    finally:
        listobj.ListInstance.resize = usual
