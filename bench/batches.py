"""The batch over its sizes: the kernel alone, `PiquetBatch` with observations and masks, one thread and two."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from agents.random_agent import choose_uniformly
from piquet_env import PiquetBatch

from .kernel import KernelLoop
from .measure import DECISIONS, DECISIONS_OF_A_PARTIE, Plan, Result, Stopwatch, pinned, speeds, timed_speeds

SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
BATCH_SIZES = (*SIZES[:-2], 8192, *SIZES[-2:])  # the speeds of PiquetBatch are promised up to 8,192
DTYPES = ("int8", "float32")
RULES_ALONE = "rules alone, with random choice"
THREADED_SIZE = 4096
CHOOSING_SIZE = 1024


def sizes(plan: Plan, all_sizes: Sequence[int] = SIZES) -> list[int]:
    """Return the batch sizes that are measured."""
    return [size for size in all_sizes if size <= plan.largest]


def batch_series(dtype: str) -> str:
    """Return the name of the chart's line for one kind of observation."""
    return f"PiquetBatch, {dtype}"


def thread_series(dtype: str, threads: int) -> str:
    """Return the key of the measurement with some threads."""
    return f"PiquetBatch, {dtype}, by {threads}"


def measure_kernel(plan: Plan) -> list[Result]:
    """Measure random legal play in compiled code, no observations."""
    results = []
    for count in sizes(plan):
        loop = KernelLoop(count)
        steps = max(1, 65536 // count)
        found = speeds(lambda loop=loop, steps=steps: loop.play(steps), plan)  # type: ignore[misc]
        results.append(
            Result(
                "rules alone, compiled random play",
                f"N = {count:,}",
                DECISIONS,
                found.processor,
                wall=found.wall,
                series=RULES_ALONE,
                size=count,
            )
        )
    return results


def measure_batches(plan: Plan) -> list[Result]:
    """Measure `PiquetBatch.step`: alone over the sizes, and once with the choice of actions."""
    group = "PiquetBatch.step with observation and mask"
    results = []
    for dtype in DTYPES:
        for count in sizes(plan, BATCH_SIZES):
            batch = PiquetBatch(count, seed=1, dtype=dtype)
            found = timed_speeds(BatchReplay(batch).play, plan)
            name, series = f"{dtype}, N = {count:,}", batch_series(dtype)
            results.append(Result(group, name, DECISIONS, found.processor, wall=found.wall, series=series, size=count))
            if count == CHOOSING_SIZE:
                found = speeds(_choosing(batch), plan)
                note = "the whole loop"
                results.append(
                    Result(group, f"{name}, and random choice", DECISIONS, found.processor, note, wall=found.wall)
                )
    return results


def measure_threads(plan: Plan) -> list[Result]:
    """Measure one thread and two on two processors, in turn, by the clock on the wall."""
    group = "PiquetBatch.step, threads"
    results = []
    with pinned(2) as processors:
        for dtype in DTYPES:
            name = f"{dtype}, N = {THREADED_SIZE:,}"
            if processors == 1:
                results.append(Result(group, name, DECISIONS, (), "one processor: skipped"))
                continue
            replays = {
                threads: BatchReplay(PiquetBatch(THREADED_SIZE, seed=1, dtype=dtype, threads=threads))
                for threads in (1, 2)
            }
            found: dict[int, list[float]] = {threads: [] for threads in replays}
            for _ in range(plan.repetitions):
                for threads, replay in replays.items():
                    found[threads] += timed_speeds(replay.play, Plan(1, plan.seconds)).wall
            for threads, values in found.items():
                results.append(
                    Result(
                        group,
                        f"{name}, {threads} thread{'s' if threads > 1 else ''}",
                        DECISIONS,
                        tuple(values),
                        "by the clock on the wall",
                        series=thread_series(dtype, threads),
                        size=THREADED_SIZE,
                    )
                )
    return results


class BatchReplay:
    """Recorded random legal play of a batch, played again and again from one state of it.

    The actions stand ready, so what is timed is `step` alone, without a clock between two steps. The rows stand at
    different places of their parties, so a few steps of many rows hold all that happens in one.

    steps: how many to record; by default `replay_steps`
    """

    def __init__(self, batch: PiquetBatch, steps: int | None = None) -> None:
        self.batch = batch
        rng = np.random.default_rng(1)
        spread(batch, rng)
        self._start = batch.snapshot()
        self.actions = np.zeros((steps or replay_steps(batch.num_envs), batch.num_envs), dtype=np.int64)
        for actions in self.actions:
            choose_uniformly(batch.buffers.action_mask, rng.random(batch.num_envs), actions)
            batch.step(actions)

    def play(self, watch: Stopwatch) -> int:
        """Play all of it, timed by `watch`; return the number of decisions."""
        self.batch.restore(self._start)
        step = self.batch.step
        with watch:
            for actions in self.actions:
                step(actions)
        return self.actions.size


def replay_steps(count: int) -> int:
    """Return how many steps of `count` games are recorded."""
    return max(8, 16384 // count)


def spread(batch: PiquetBatch, rng: np.random.Generator) -> None:
    """Play the rows of a batch to places all over a partie, by random legal actions."""
    rows = np.arange(batch.num_envs)
    target = rows % DECISIONS_OF_A_PARTIE
    for decision in range(min(batch.num_envs, DECISIONS_OF_A_PARTIE)):
        chosen = rows[target > decision]
        actions = np.zeros(len(chosen), dtype=np.int64)
        choose_uniformly(batch.buffers.action_mask[chosen], rng.random(len(chosen)), actions)
        if len(chosen):
            batch.step(actions, chosen)


def _choosing(batch: PiquetBatch) -> Callable[[], int]:
    """Return work that chooses at random under the mask and steps, over and over."""
    rng = np.random.default_rng(2)
    actions = np.zeros(batch.num_envs, dtype=np.int64)

    def play() -> int:
        for _ in range(20):
            choose_uniformly(batch.buffers.action_mask, rng.random(batch.num_envs), actions)
            batch.step(actions)
        return 20 * batch.num_envs

    return play
