"""What the figures of one run say beside each other: ratios, and the bytes of a game."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Sequence

import numpy as np

from piquet_env import PiquetBatch
from piquet_env.rules.state import STATE_DTYPE

from .batches import BATCH_SIZES, DTYPES, RULES_ALONE, THREADED_SIZE, batch_series, thread_series
from .measure import Result
from .neighbours.openspiel_games import loop_series, observed_series
from .rollouts import share_series

GROUP = "beside each other"
MEMORY_GROUP = "memory"
_SIZE = 1024  # of the batch that stands for ours


def compare(results: Sequence[Result]) -> list[Result]:
    """Return the comparisons between the medians of a run; what lacks a figure is left out."""
    medians = {(result.series, result.size): result.median for result in results if result.series and result.values}

    def median(series: str, size: int) -> float:
        return medians.get((series, size), math.nan)

    int8 = batch_series("int8")
    lines = [
        (
            f"int8, N = {_SIZE:,}, over OpenSpiel's skat by set_from",
            median(int8, _SIZE) / median(observed_series("skat"), 1),
            "times",
            "aim: at least 15",
        ),
        (
            f"rules alone, N = {_SIZE:,}, over OpenSpiel's skat in C++",
            median(RULES_ALONE, _SIZE) / median(loop_series("skat"), 1),
            "times",
            "aim: at least 10",
        ),
        *(_slowest(dtype, medians) for dtype in DTYPES),
        ("int8, N = 1", median(int8, 1), "decisions/s", "aim: at least 300,000"),
        (
            "cost of a decision, int8: N = 16,384 over N = 64",
            median(int8, 64) / median(int8, 16384),
            "times",
            "aim: at most 1.25",
        ),
        *(
            (
                f"two threads over one, {dtype}, N = {THREADED_SIZE:,}",
                median(thread_series(dtype, 2), THREADED_SIZE) / median(thread_series(dtype, 1), THREADED_SIZE),
                "times",
                "aim: at least 1.6 where two processors are free",
            )
            for dtype in DTYPES
        ),
        ("share of PiquetVecEnv in rollouts", median(share_series("greedy"), 1024), "%", "aim: below 15"),
    ]
    return [Result(GROUP, name, unit, (value,), note) for name, value, unit, note in lines if not math.isnan(value)]


def _slowest(dtype: str, medians: dict[tuple[str, int], float]) -> tuple[str, float, str, str]:
    """Return the lowest of the speeds at N from 64 to 8,192."""
    found = [medians.get((batch_series(dtype), size), math.nan) for size in BATCH_SIZES if 64 <= size <= 8192]
    slowest = math.nan if any(map(math.isnan, found)) else min(found)
    aim = "aim: at least 3 million" if dtype == "int8" else "aim: at least 2 million"
    return f"{dtype}, the slowest N from 64 to 8,192", slowest, "decisions/s", aim


def measure_memory() -> list[Result]:
    """Measure the bytes that a batch holds for each game, all that it allocates over N, and how fast memory is."""
    results = [_measure_writing("in the nearest caches", 2**19), _measure_writing("beyond the caches", 2**28)]
    for dtype in DTYPES:
        PiquetBatch(1, dtype=dtype)  # compiles, which holds memory of its own
        tracemalloc.start()
        batch = PiquetBatch(_SIZE, dtype=dtype)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        buffers = batch.buffers
        parts = (
            f"of these the state {STATE_DTYPE.itemsize:,}, the observation {buffers.observation[0].nbytes:,}, "
            f"the mask {buffers.action_mask[0].nbytes:,}"
        )
        results.append(Result(MEMORY_GROUP, f"PiquetBatch, {dtype}", "bytes a game", (held / _SIZE,), parts))
    return results


def _measure_writing(words: str, size: int) -> Result:
    """Measure how many bytes are written in a second when `size` bytes are filled again and again."""
    room = np.zeros(size, dtype=np.int8)
    times = max(1, 2**28 // size)
    values = []
    for repetition in range(6):
        begin = time.perf_counter()
        for _ in range(times):
            room.fill(repetition)
        values.append(times * size / (time.perf_counter() - begin) / 1e9)
    return Result(MEMORY_GROUP, f"writing {size / 2**20:g} MiB, {words}", "GB/s", tuple(values[1:]))
