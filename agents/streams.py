"""Random numbers for batches of decisions: each row has a stream of its own.

A batch that drew from one generator would play otherwise in another batch size. Here row i of a call takes the next
number of the stream of its own game, so that a game is played alike in a batch of any size, alone, and in any worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from piquet_env.rules.shuffle import mix

_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # SplitMix64, as in the shuffle
_TO_DOUBLE_SHIFT = np.uint64(11)
_TO_DOUBLE = 2.0**-53


def _mix_all(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the shuffle's finaliser of each value."""
    return cast("npt.NDArray[np.uint64]", mix(cast(Any, values)))


class RowRandom(Protocol):
    """What `act_batch` draws from: `random(n)` returns one number a row, float64[n] in [0, 1).

    `Streams` and `numpy.random.Generator` both serve.
    """

    def random(self, size: int, /) -> npt.NDArray[np.float64]:
        """Return the next number of each of the `size` rows."""
        ...


class Streams:
    """Independent SplitMix64 streams, one a row, the same on every platform.

    seeds: whole numbers from 0 to 2**64 - 1, one a row
    """

    __slots__ = ("_rows", "_states")

    def __init__(self, seeds: Sequence[int] | npt.NDArray[np.uint64]) -> None:
        self._states = _mix_all(np.array(seeds, dtype=np.uint64) + _GAMMA)
        self._rows: npt.NDArray[np.int64] = np.arange(len(self._states))

    def rows(self, rows: npt.NDArray[np.int64]) -> Streams:
        """Return the streams of some rows; drawing from them moves these rows here, too."""
        part = Streams.__new__(Streams)
        part._states = self._states
        part._rows = self._rows[rows]
        return part

    def random(self, size: int, /) -> npt.NDArray[np.float64]:
        """Return the next number of each row, float64[size] in [0, 1); `size` must be the number of rows."""
        if size != len(self._rows):
            raise ValueError(f"these are the streams of {len(self._rows)} rows, so one number each, not {size}")
        states = self._states[self._rows] + _GAMMA
        self._states[self._rows] = states
        return (_mix_all(states) >> _TO_DOUBLE_SHIFT).astype(np.float64) * _TO_DOUBLE

    def save(self) -> npt.NDArray[np.uint64]:
        """Return where the streams of these rows stand, for `restore`."""
        return self._states[self._rows]

    def restore(self, saved: npt.NDArray[np.uint64]) -> None:
        """Put the streams of these rows back to where `save` found them."""
        self._states[self._rows] = saved
