"""Two pieces of work at once: the actor and the critic are networks of their own, so each may have a processor.

Torch itself computes with one thread in each, so results do not depend on how many processors there are.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


class SideBySide:
    """Does two pieces of work, one behind the other with one thread, at the same time with more."""

    def __init__(self, threads: int = 1) -> None:
        self._pool = ThreadPoolExecutor(1) if threads > 1 else None

    def __call__(self, first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
        """Return what both return."""
        if self._pool is None:
            return first(), second()
        job = self._pool.submit(second)
        try:
            done = first()
        finally:
            other = job.result()
        return done, other
