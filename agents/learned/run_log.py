"""A run's figures as plain CSV files, and as a picture of curves.

`progress.csv` has a line an update, `strength.csv` a line a match against a bot. Both are appended to; when a run goes
on from a checkpoint, lines behind it are dropped first, so that a killed run leaves one curve and not two.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from agents.files import write_atomically

DECISIONS = "decisions"


class ProgressCSV(KVWriter):
    """Writes what Stable-Baselines3's logger is told as a line of a CSV file.

    rows: the lines that the file holds already
    The columns are those of the first line, and stay when the file is gone on with; a new name later is left out.
    """

    def __init__(self, path: Path, rows: list[dict[str, str]]) -> None:
        self.columns = list(rows[0]) if rows else []
        self.file = path.open("a", encoding="utf-8", newline="")
        self.writer = csv.writer(self.file)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:  # noqa: ARG002
        """Append a line: the number of decisions and the figures."""
        figures = {DECISIONS: step} | {name: key_values[name] for name in sorted(key_values)}
        if not self.columns:
            self.columns = list(figures)
            self.writer.writerow(self.columns)
        self.writer.writerow([_brief(figures.get(name, "")) for name in self.columns])
        self.file.flush()

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a CSV file by column; none if there is no such file. A line cut short is left out."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if None not in row.values() and row.get(DECISIONS, "").isdecimal()]


def keep_rows(path: Path, decisions: int) -> list[dict[str, str]]:
    """Drop the lines behind so many decisions from a CSV file; return those that stay."""
    rows = [row for row in read_rows(path) if int(row[DECISIONS]) <= decisions]
    if path.is_file():
        write_rows(path, rows)
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write lines that share their columns as a CSV file, whole or not at all; no lines make an empty file."""
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


def _brief(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
