"""How far a run is and how long the rest will take: a bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any, TextIO

SECONDS_BETWEEN = 0.1
SECONDS_BACK = 30.0


class Progress:
    """Tells on stderr how many parties are played and how long the rest will take. A context manager.

    parties: of the whole run
    With `rich` installed it draws a bar, else it writes one line over itself.
    """

    def __init__(self, parties: int, stream: TextIO | None = None) -> None:
        self.parties = parties
        self.stream = sys.stderr if stream is None else stream
        self.line = ""
        self._label = ""
        self._before = self._here = 0  # played in earlier matches, and in this one
        self._shown = 0.0
        self._seen: deque[tuple[float, int]] = deque()  # moments, and what had been played
        self._bar = _rich_bar(self.stream) if self.stream.isatty() else None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=self.parties)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self.stream.isatty():
            print("\r\033[K", end="", file=self.stream, flush=True)

    def begin(self, label: str) -> None:
        """Begin a match."""
        self._before, self._here, self._label = self._before + self._here, 0, label

    def end(self, parties: int) -> None:
        """End a match that was planned for so many parties; a test may have stopped it earlier."""
        self.parties -= parties - self._here

    def show(self, here: int) -> None:
        """Show that so many parties of the match are played."""
        self._here = here
        now, played = time.monotonic(), self._before + here
        self._seen.append((now, played))
        # The speed is that of the last while: at first kernels compile, and pairs that are kept are only read.
        while len(self._seen) > 2 and now - self._seen[1][0] > SECONDS_BACK:
            self._seen.popleft()
        if not self.stream.isatty() or now - self._shown < SECONDS_BETWEEN:
            return
        self._shown = now
        then, before = self._seen[0]
        left = (
            "" if played == before else f", {_clock((now - then) / (played - before) * (self.parties - played))} left"
        )
        self.line = f"{self._label}: {played}/{self.parties} parties{left}"
        if self._bar is not None:
            self._bar.update(self._task, completed=played, total=self.parties, description=self.line)
        else:
            print(f"\r\033[K{self.line}", end="", file=self.stream, flush=True)


def _rich_bar(stream: TextIO) -> Any:
    """Return a bar of rich's, None where it is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars
    except ImportError:
        return None
    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    return Bars(*columns, console=Console(file=stream), transient=True)


def _clock(seconds: float) -> str:
    """Return a time as people say it: 12 s, 3:05 min, 2:07 h."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes}:{rest:02} min"
    return f"{minutes // 60}:{minutes % 60:02} h"
