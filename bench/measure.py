"""Measuring: repetitions, medians, one pinned processor, and what machine it was.

Every speed is taken twice at once: in seconds of this process's own processor time, which other work on the machine
disturbs less and which the tables show, and in seconds of the clock on the wall, which stands beside it. What runs in
several threads or in fresh interpreters is measured by the clock on the wall alone.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

DECISIONS = "decisions/s"
DECISIONS_OF_A_PARTIE = 230  # by random play, about
PACKAGES = (
    *("piquet-env", "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib"),
    *("rlcard", "pygame-ce", "open_spiel", "shimmy", "pgx", "jax", "jaxlib"),
)


class Result(NamedTuple):
    """One line of the table.

    group:  heading under which it stands
    name:   what was measured
    unit:   of the values
    values: one a repetition; empty if it was skipped
    note:   why it was skipped, or how it compares
    wall:   the same by the clock on the wall, where `values` are by processor time
    series: the line of the chart, and the key by which comparisons find it; empty if it has none
    size:   how many games are stepped together; 0 where the question does not arise
    """

    group: str
    name: str
    unit: str
    values: tuple[float, ...]
    note: str = ""
    wall: tuple[float, ...] = ()
    series: str = ""
    size: int = 0

    @property
    def median(self) -> float:
        """The median of the repetitions; not a number if there are none."""
        return statistics.median(self.values) if self.values else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        about: dict[str, Any] = {"group": self.group, "name": self.name, "unit": self.unit}
        if self.series:
            about |= {"series": self.series, "size": self.size}
        if not self.values:
            return about | {"skipped": self.note}
        about |= {"median": self.median, "low": min(self.values), "high": max(self.values), "note": self.note}
        if self.wall:
            about["wall_median"] = statistics.median(self.wall)
        return about | {"values": list(self.values), "wall_values": list(self.wall)}

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Result:
        """Return the result that `as_dict` made `content` of; KeyError, TypeError or ValueError for anything else."""
        return Result(
            str(content["group"]),
            str(content["name"]),
            str(content["unit"]),
            tuple(float(value) for value in content.get("values", ())),
            str(content.get("note", content.get("skipped", ""))),
            tuple(float(value) for value in content.get("wall_values", ())),
            str(content.get("series", "")),
            int(content.get("size", 0)),
        )


class Plan(NamedTuple):
    """How long to measure: `repetitions` of at least `seconds` each, and of the batches only those up to `largest`."""

    repetitions: int
    seconds: float
    largest: int = 65536


class Speeds(NamedTuple):
    """Units of work a second, one number a repetition: by processor time and by the clock on the wall."""

    processor: tuple[float, ...]
    wall: tuple[float, ...]


class Stopwatch:
    """Adds up the seconds spent inside its `with` blocks."""

    def __init__(self) -> None:
        self.processor = self.wall = 0.0
        self._begin = (0.0, 0.0)

    def __enter__(self) -> None:
        self._begin = (time.process_time(), time.perf_counter())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        processor, wall = self._begin
        self.processor += time.process_time() - processor
        self.wall += time.perf_counter() - wall


def speeds(work: Callable[[], int], plan: Plan) -> Speeds:
    """Return how fast `work` is. work: does some units and returns how many, in a millisecond or more."""

    def watched(watch: Stopwatch) -> int:
        with watch:
            return work()

    return timed_speeds(watched, plan)


def timed_speeds(work: Callable[[Stopwatch], int], plan: Plan) -> Speeds:
    """Likewise for work that itself starts the watch, and leaves out what it does beside."""
    work(Stopwatch())  # the first call may compile, and fills caches
    processor, wall = [], []
    for _ in range(plan.repetitions):
        done, watch = 0, Stopwatch()
        while watch.processor < plan.seconds:
            done += work(watch)
        processor.append(done / watch.processor)
        wall.append(done / watch.wall)
    return Speeds(tuple(processor), tuple(wall))


def microseconds(work: Callable[[], object], plan: Plan, loop: int = 100) -> Speeds:
    """Return the microseconds that one call of `work` takes, one number a repetition."""

    def many() -> int:
        for _ in range(loop):
            work()
        return loop

    found = speeds(many, plan)
    return Speeds(tuple(1e6 / rate for rate in found.processor), tuple(1e6 / rate for rate in found.wall))


@contextmanager
def pinned(processors: int) -> Iterator[int]:
    """Keep this process on some processors, where the system can; give the number it is on (0: it cannot)."""
    if not hasattr(os, "sched_setaffinity"):
        yield 0
        return
    before = os.sched_getaffinity(0)
    chosen = sorted(before)[:processors]
    os.sched_setaffinity(0, chosen)
    try:
        yield len(chosen)
    finally:
        os.sched_setaffinity(0, before)


def machine() -> dict[str, Any]:
    """Return what was measured on: processor, system, versions, and how busy it was."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiled": os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "versions": versions,
    }


def _processor() -> str:
    if sys.platform.startswith("linux"):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
