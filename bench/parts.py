"""Time per decision by its parts: the step of the rules, the mask, the observation; found by differences.

Recorded play is run three times a repetition: by the rules alone, by the rules with masks, and by `PiquetBatch.step`.
What each adds to the one before is the cost of the mask, and that of the observation with all else that a step of the
batch does: the check of the actions, rewards, ends.
"""

from __future__ import annotations

from collections.abc import Callable

from piquet_env import PiquetBatch

from .batches import DTYPES, BatchReplay, replay_steps
from .kernel import KernelLoop, KernelReplay
from .measure import Plan, Result, Stopwatch

SIZES = (64, 1024, 16384)
PARTS = ("step of the rules", "mask", "observation and the rest")
UNIT = "nanoseconds"


def parts_group(dtype: str) -> str:
    """Return the heading of the parts for one kind of observation."""
    return f"time per decision, {dtype}"


def measure_parts(plan: Plan) -> list[Result]:
    """Measure the parts of a decision's time."""
    results = []
    for dtype in DTYPES:
        for count in SIZES:
            kernel = KernelLoop(count).record(replay_steps(count))
            batch = BatchReplay(PiquetBatch(count, seed=1, dtype=dtype))
            _one_round(kernel, batch, 0.001)  # compiles, and fills caches
            rounds = [_one_round(kernel, batch, plan.seconds) for _ in range(plan.repetitions)]
            for place, part in enumerate(PARTS):
                values = tuple(parts[place] for parts in rounds)
                name = f"N = {count:,}: {part}"
                results.append(Result(parts_group(dtype), name, UNIT, values, series=part, size=count))
    return results


def _one_round(kernel: KernelReplay, batch: BatchReplay, seconds: float) -> tuple[float, ...]:
    """Return the nanoseconds of each part, measured one after the other."""
    rules = _nanoseconds(lambda watch: kernel.play(watch, masks=False), seconds)
    with_mask = _nanoseconds(lambda watch: kernel.play(watch, masks=True), seconds)
    whole = _nanoseconds(batch.play, seconds)
    return rules, with_mask - rules, whole - with_mask


def _nanoseconds(play: Callable[[Stopwatch], int], seconds: float) -> float:
    """Return the nanoseconds of a decision."""
    watch, done = Stopwatch(), 0
    while watch.processor < seconds:
        done += play(watch)
    return 1e9 * watch.processor / done
