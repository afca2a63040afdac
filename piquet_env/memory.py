"""`prefetch`: ask the processor for memory that is needed soon.

A batch of thousands of parties is larger than the processor's caches. The state of each row is therefore asked for one
row ahead, while the row before it is played. Results do not depend on it.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

_LINE = 64  # bytes that are fetched at once
_BYTE, _WORD, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _long(value: int) -> Any:
    return ir.Constant(_LONG, value)


def _row_address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return the address of `array[index]` as a whole number."""
    structure = context.make_array(kind)(context, builder, array)
    stride = cgutils.unpack_tuple(builder, structure.strides)[0]
    return builder.add(builder.ptrtoint(structure.data, _LONG), builder.mul(stride, index))


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any, size: Any) -> Any:  # noqa: ARG001
    signature = numba.types.void(array, numba.types.intp, numba.types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _row_address(context, builder, signature.args[0], arguments[0], arguments[1])
        pointer = _BYTE.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, _WORD, _WORD, _WORD])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        with cgutils.for_range_slice(builder, _long(0), arguments[2], _long(_LINE)) as (offset, _):
            address = builder.inttoptr(builder.add(start, offset), pointer)
            to_write, in_all_caches, data = _WORD(1), _WORD(3), _WORD(1)
            builder.call(fetch, [address, to_write, in_all_caches, data])
        return context.get_dummy_value()

    return signature, generate


def _ignore(array: np.ndarray, index: int, size: int) -> None:
    """Fetch nothing: uncompiled there is no such request."""


# prefetch(array, index, size): fetch the first `size` bytes of `array[index]`, to be read and written soon
prefetch: Any = _ignore if numba.config.DISABLE_JIT else _prefetch
