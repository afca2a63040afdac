"""The first seconds: import and first step in a fresh interpreter, with machine code at hand and without."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from .measure import Result

GROUP = "a fresh interpreter"
_PROGRAM = """
import time
begin = time.perf_counter()
import piquet_env
imported = time.perf_counter()
environment = piquet_env.env()
environment.reset(seed=1)
environment.step(environment.unwrapped.game.legal_actions()[0])
environment.last()
stepped = time.perf_counter()
batch = piquet_env.PiquetBatch(64)
batch.step(batch.buffers.action_mask.argmax(axis=1))
print(imported - begin, stepped - imported, time.perf_counter() - stepped)
"""
_PARTS = ("import piquet_env", "reset and first step of env", "then first step of a batch")


def measure_starts(repetitions: int, *, cold: bool) -> list[Result]:
    """Measure starts with cached machine code, and (`cold`) one with none."""
    _run({})  # fills the cache
    warm = [_run({}) for _ in range(repetitions)]
    results = [
        Result(GROUP, f"{part}, cached", "seconds", tuple(run[place] for run in warm))
        for place, part in enumerate(_PARTS)
    ]
    if not cold:
        return [*results, Result(GROUP, "without cached machine code", "seconds", (), "skipped by --quick")]
    with tempfile.TemporaryDirectory() as folder:
        first = _run({"NUMBA_CACHE_DIR": folder})
    return results + [
        Result(GROUP, f"{part}, compiled anew", "seconds", (first[place],)) for place, part in enumerate(_PARTS)
    ]


def _run(environment: dict[str, str]) -> list[float]:
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(number) for number in run.stdout.split()]
