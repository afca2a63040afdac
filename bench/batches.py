"""The batch: the kernel alone, `PiquetBatch` with observations and masks, one thread and two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.random_agent import choose_uniformly
from piquet_env import PiquetBatch

from .kernel import KernelLoop
from .measure import Plan, Result, pinned, processor_time, rates, timed_rates, wall_time

UNIT = "decisions/s"
SIZES = (1, 64, 1024, 8192, 16384)
THREADED_SIZE = 4096


def measure_kernel(plan: Plan) -> list[Result]:
    """Measure random legal play in compiled code, no observations."""
    results = []
    for count in (64, 1024, 8192):
        loop = KernelLoop(count)
        loop.play(300)  # so that the parties stand at different places
        steps = max(1, 65536 // count)
        values = rates(lambda loop=loop, steps=steps: loop.play(steps), plan)  # type: ignore[misc]
        results.append(Result("kernel alone, compiled random play", f"{count} parties", UNIT, values))
    return results


def measure_batches(plan: Plan) -> list[Result]:
    """Measure `PiquetBatch.step` alone: the choice of actions is not counted."""
    results = []
    for dtype in ("int8", "float32"):
        for count in SIZES:
            values = timed_rates(_steps_of(PiquetBatch(count, seed=1, dtype=dtype), processor_time), plan)
            results.append(Result("PiquetBatch.step with observation and mask", f"{dtype}, N = {count}", UNIT, values))
    return results


def measure_threads(plan: Plan) -> list[Result]:
    """Measure one thread and two on two processors."""
    group = "PiquetBatch.step, threads"
    with pinned(2) as processors:
        if processors == 1:
            return [Result(group, f"float32, N = {THREADED_SIZE}", UNIT, (), "one processor: skipped")]
        results = []
        for threads in (1, 2):
            batch = PiquetBatch(THREADED_SIZE, seed=1, threads=threads)
            name = f"float32, N = {THREADED_SIZE}, {threads} thread{'s' if threads > 1 else ''}"
            results.append(Result(group, name, UNIT, timed_rates(_steps_of(batch, wall_time), plan)))
    ratio = results[1].median / results[0].median
    results[1] = results[1]._replace(note=f"{ratio:.2f} times one thread")
    return results


def _steps_of(batch: PiquetBatch, clock: Callable[[], float]) -> Callable[[], tuple[int, float]]:
    """Return work that plays some steps and counts the seconds inside `step`, by `clock`."""
    rng = np.random.default_rng(1)
    actions = np.zeros(batch.num_envs, dtype=np.int64)
    steps = max(1, 4096 // batch.num_envs)

    def play(steps: int = steps) -> tuple[int, float]:
        seconds = 0.0
        for _ in range(steps):
            choose_uniformly(batch.buffers.action_mask, rng.random(batch.num_envs), actions)
            begin = clock()
            batch.step(actions)
            seconds += clock() - begin
        return steps * batch.num_envs, seconds

    play(300)  # so that the parties stand at different places
    return play
