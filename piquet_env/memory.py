"""Memory by hand: `prefetch` asks for what is needed soon, `borrow` hands on arrays uncounted, `take` shares out work.

A batch of thousands of parties is larger than the processor's caches. The state of each row is therefore asked for one
row ahead, while the row before it is played. Results do not depend on it.

Compiled code counts the references to an array up and down around each call that it is handed to, and a count is an
instruction that no other processor may interrupt: with twenty arrays they took more time than the game. A borrowed
array has no count. It is good as long as the array that it is borrowed from, which is an argument of a compiled
function and kept by its caller.

Threads that share the rows of a batch take them from common counters, a few at a time, so that one that wakes late or
is held up takes fewer. `take` is a single step in memory: no place is handed out twice.
"""

from __future__ import annotations

from threading import Lock
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


@intrinsic
def _borrow(typing_context: Any, array: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        structure = context.make_array(signature.args[0])(context, builder, arguments[0])
        structure.meminfo = cgutils.get_null_value(structure.meminfo.type)
        structure.parent = cgutils.get_null_value(structure.parent.type)
        return structure._getvalue()

    return array(array), generate


@intrinsic
def _take(typing_context: Any, array: Any, index: Any, size: Any) -> Any:  # noqa: ARG001
    signature = numba.types.int64(array, numba.types.intp, numba.types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _row_address(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", builder.inttoptr(start, _LONG.as_pointer()), arguments[2], "seq_cst")

    return signature, generate


def _keep(array: np.ndarray) -> np.ndarray:
    """Return the array: uncompiled, Python counts as it does."""
    return array


def _ignore(array: np.ndarray, index: int, size: int) -> None:
    """Fetch nothing: uncompiled there is no such request."""


_TAKING = Lock()


def _take_in_turn(array: np.ndarray, index: int, size: int) -> int:
    """Do as `take` says: uncompiled, one thread after the other."""
    with _TAKING:
        before = int(array[index, 0])
        array[index, 0] = before + size
    return before


# prefetch(array, index, size): fetch the first `size` bytes of `array[index]`, to be read and written soon
prefetch: Any = _ignore if numba.config.DISABLE_JIT else _prefetch

# borrow(array): the same array, without its count of references
borrow: Any = _keep if numba.config.DISABLE_JIT else _borrow

# take(array, index, size): add `size` to `array[index, 0]` (int64[rows, columns]) at one stroke, and return what it was
take: Any = _take_in_turn if numba.config.DISABLE_JIT else _take
