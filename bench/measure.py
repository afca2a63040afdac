"""Measuring: repetitions, medians, one pinned processor, and what machine it was.

What runs in one thread is measured in seconds of that thread's own processor time, so that other work on the machine
disturbs it less; what runs in several threads or processes is measured by the clock on the wall.
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
from typing import Any, NamedTuple

processor_time = time.thread_time
wall_time = time.perf_counter
PACKAGES = ("piquet-env", "numpy", "numba", "gymnasium", "pettingzoo", "rlcard")


class Result(NamedTuple):
    """One line of the table.

    group:  heading under which it stands
    name:   what was measured
    unit:   of the values
    values: one a repetition; empty if it was skipped
    note:   why it was skipped, or how it compares
    """

    group: str
    name: str
    unit: str
    values: tuple[float, ...]
    note: str = ""

    @property
    def median(self) -> float:
        """The median of the repetitions; not a number if there are none."""
        return statistics.median(self.values) if self.values else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        if not self.values:
            return {"group": self.group, "name": self.name, "unit": self.unit, "skipped": self.note}
        return {
            "group": self.group,
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "low": min(self.values),
            "high": max(self.values),
            "repetitions": len(self.values),
            "note": self.note,
        }


class Plan(NamedTuple):
    """How long to measure: `repetitions` of at least `seconds` each."""

    repetitions: int
    seconds: float


def rates(work: Callable[[], int], plan: Plan) -> tuple[float, ...]:
    """Return units of work a second, one number a repetition. work: does some units and returns how many."""
    work()  # the first call may compile, and fills caches
    found = []
    for _ in range(plan.repetitions):
        done = 0
        begin = now = processor_time()
        while now - begin < plan.seconds:
            done += work()
            now = processor_time()
        found.append(done / (now - begin))
    return tuple(found)


def timed_rates(work: Callable[[], tuple[int, float]], plan: Plan) -> tuple[float, ...]:
    """Likewise for work that returns its units and the seconds that count, leaving out what it does beside."""
    work()
    found = []
    for _ in range(plan.repetitions):
        done, seconds = 0, 0.0
        while seconds < plan.seconds:
            units, spent = work()
            done += units
            seconds += spent
        found.append(done / seconds)
    return tuple(found)


def microseconds(work: Callable[[], object], plan: Plan, loop: int = 100) -> tuple[float, ...]:
    """Return the microseconds that one call of `work` takes, one number a repetition."""

    def many() -> int:
        for _ in range(loop):
            work()
        return loop

    return tuple(1e6 / rate for rate in rates(many, plan))


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
