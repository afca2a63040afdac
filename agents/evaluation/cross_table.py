"""The cross-table of a round robin: what each agent makes against each other, both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agents.arena import MatchResult
from agents.statistics import MeanInterval

MOST_NAME = 24  # characters of an agent's name


@dataclass(frozen=True)
class CrossTable:
    """A round robin of agents by name, in their order.

    means[i][j]:       what agent i makes a partie against agent j in settlement points; None on the diagonal, and where
                       the match has not been played
    half_widths[i][j]: half the width of its 95 % interval; None also after a single pair
    """

    agents: tuple[str, ...]
    means: list[list[float | None]]
    half_widths: list[list[float | None]]

    @property
    def averages(self) -> list[float | None]:
        """The mean of each row over the others met. It depends on the field, so it is no measure by itself."""
        rows = [[mean for mean in row if mean is not None] for row in self.means]
        return [sum(row) / len(row) if row else None for row in rows]


def pairings(count: int) -> list[tuple[int, int]]:
    """Return who meets whom in a round robin of so many agents."""
    return list(combinations(range(count), 2))


def settlement_of(match: MatchResult) -> MeanInterval:
    """Return what A makes a partie against B in settlement points."""
    return match.settlement


def cross_table(
    agents: Sequence[str],
    matches: Sequence[MatchResult],
    figure: Callable[[MatchResult], MeanInterval] = settlement_of,
) -> CrossTable:
    """Return the cross-table of the matches, which are those of `pairings` in their order, the last perhaps missing.

    figure: what A makes against B
    """
    means: list[list[float | None]] = [[None] * len(agents) for _ in agents]
    half_widths: list[list[float | None]] = [[None] * len(agents) for _ in agents]
    for (i, j), match in zip(pairings(len(agents)), matches, strict=False):
        mean, low, _ = figure(match)
        means[i][j], means[j][i] = mean, 0.0 - mean
        half_widths[i][j] = half_widths[j][i] = None if low is None else mean - low
    return CrossTable(tuple(agents), means, half_widths)


def cross_table_dict(table: CrossTable) -> dict[str, Any]:
    """Return a cross-table as JSON holds it."""
    return {
        "agents": list(table.agents),
        "means": [[_rounded(mean) for mean in row] for row in table.means],
        "half_widths": [[_rounded(width) for width in row] for row in table.half_widths],
        "averages": [_rounded(average) for average in table.averages],
    }


def format_cross_table(table: CrossTable) -> str:
    """Return a cross-table as text: a row holds what its agent makes against those of the columns."""
    names = [name if len(name) <= MOST_NAME else "…" + name[1 - MOST_NAME :] for name in table.agents]
    heads = ["", *(f"{number} {name}" for number, name in enumerate(names, 1)), "average"]
    lines = [heads]
    for number, (name, row, widths) in enumerate(zip(names, table.means, table.half_widths, strict=True), 1):
        cells = [cell_text(mean, width) for mean, width in zip(row, widths, strict=True)]
        average = table.averages[number - 1]
        lines.append([f"{number} {name}", *cells, "–" if average is None else f"{average:+.1f}"])
    widths_of = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    text = [
        "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(line, widths_of, strict=True)) for line in lines)
    ]
    return "\n".join(["settlement a partie of the row's agent against the column's", "", *text])


def cell_text(mean: float | None, half_width: float | None) -> str:
    """Return a cell: the mean and half the width of its interval."""
    if mean is None:
        return "–"
    return f"{mean:+.1f} ± {'?' if half_width is None else f'{half_width:.1f}'}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
