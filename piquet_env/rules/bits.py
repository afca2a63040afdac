"""Bits of a mask counted and found by the processor's own instructions; uncompiled, by Python's."""

from __future__ import annotations

from typing import Any

import numba
from numba.extending import intrinsic

_INT64, _BOOLEAN = numba.types.int64, numba.types.boolean


@intrinsic
def _count_ones(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return _INT64(_INT64), generate


@intrinsic
def _count_low_zeros(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(_BOOLEAN, False))

    return _INT64(_INT64), generate


def _plain_ones(bits: int) -> int:
    return int(bits).bit_count()


def _plain_low_zeros(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1


# count_ones(bits): how many bits of a mask are set; count_low_zeros(bits): the place of the lowest, where there is one
count_ones: Any = _plain_ones if numba.config.DISABLE_JIT else _count_ones
count_low_zeros: Any = _plain_low_zeros if numba.config.DISABLE_JIT else _count_low_zeros
