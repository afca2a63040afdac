"""Which precision the layers behind the first compute in, where nobody says it: the one that is faster here.

A processor that has bfloat16 may still be slower in it than in float32, so it is tried on layers of the run's shape.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

import torch

MARGIN = 1.2  # bfloat16 is rounder, so it must gain at least this much
TURNS = 3  # of each; the fastest counts
MOST_ROWS = 1024  # that are tried, so that a try is short


def best_precision(
    rows: int,
    units: int,
    *,
    has_bfloat16: Callable[[], bool] | None = None,
    measure: Callable[[str, int, int], float] | None = None,
) -> str:
    """Return `bfloat16` where the processor has it and gains by it, else `float32`.

    rows, units: of a minibatch, of which no more than `MOST_ROWS` are tried, and of a hidden layer
    has_bfloat16, measure: what is asked and what takes the time, for tests; `processor_has_bfloat16`, `time_layers`
    What was measured holds for the rest of the process.
    """
    return _compare(min(rows, MOST_ROWS), units, has_bfloat16 or processor_has_bfloat16, measure or time_layers)


@lru_cache
def _compare(rows: int, units: int, has_bfloat16: Callable[[], bool], measure: Callable[[str, int, int], float]) -> str:
    if not has_bfloat16():
        return "float32"
    turns = [(measure("float32", rows, units), measure("bfloat16", rows, units)) for _ in range(TURNS)]
    full, half = (min(seconds) for seconds in zip(*turns, strict=True))
    return "bfloat16" if full > MARGIN * half else "float32"


def processor_has_bfloat16() -> bool:
    """Return whether the processor multiplies bfloat16 in hardware."""
    tests = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(test is not None and test() for test in tests)


def time_layers(precision: str, rows: int, units: int) -> float:
    """Return the processor's seconds for two layers there and back, after a first time that is not counted."""
    layers = torch.nn.Sequential(torch.nn.Linear(units, units), torch.nn.ReLU(), torch.nn.Linear(units, units))
    given = torch.ones(rows, units, requires_grad=True)
    seconds = 0.0
    for _ in range(2):
        begun = time.thread_time()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bfloat16"):
            loss = layers(given).float().sum()
        loss.backward()
        seconds = time.thread_time() - begun
    return seconds
