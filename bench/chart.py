"""Draw the figures of a run, as PNG and SVG.

    python -m bench --output speeds.json
    python -m bench.chart speeds.json --output docs/images

Two charts: `decisions`, decisions a second against the number of games stepped together, ours and the neighbours'; and
`parts`, where the time of a decision goes.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agents.files import write_atomically

from .batches import DTYPES, RULES_ALONE, batch_series
from .measure import DECISIONS, Result
from .parts import PARTS, parts_group

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which the colour-blind tell apart. What is not a neighbour's is ours.
OURS = "#0072B2"
COLOURS = {"PGX": "#E69F00", "OpenSpiel": "#009E73", "RLCard": "#CC79A7", "PettingZoo": "#D55E00"}
PART_COLOURS = (("#0072B2", "white"), ("#E69F00", "black"), ("#56B4E9", "black"))  # of a bar and of its number
STYLES = {RULES_ALONE: ("s", "-."), batch_series("int8"): ("o", "-"), batch_series("float32"): ("^", "--")}
FORMATS = ("png", "svg")


class ChartError(ValueError):
    """Raised, with one clear sentence, for a file that holds no figures to draw."""


class Line(NamedTuple):
    """One line of the chart: its label, its colour, and the points by rising size."""

    label: str
    colour: str
    sizes: tuple[int, ...]
    rates: tuple[float, ...]


def main(arguments: list[str] | None = None) -> int:
    """Read a run's file, draw, write the files."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.chart", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="what `python -m bench --output` wrote")
    parser.add_argument("--output", type=Path, metavar="FOLDER", default=Path(), help="where to put the charts (here)")
    options = parser.parse_args(arguments)
    try:
        for path in draw(read(options.file), options.output):
            print(path)
    except (ChartError, OSError) as error:
        print(f"python -m bench.chart: {error}", file=sys.stderr)
        return 2
    return 0


def read(file: Path) -> dict[str, Any]:
    """Return a run's file; ChartError says what is wrong with it."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ChartError(f"{file} cannot be read: {error}") from None
    if not isinstance(content, dict) or not {"machine", "results"} <= set(content):
        raise ChartError(f"{file} is not what `python -m bench --output` writes")
    return content


def draw(content: dict[str, Any], folder: Path) -> list[Path]:
    """Draw what a run's file holds into `folder`; return the paths. ChartError if there is nothing to draw."""
    if not folder.is_dir():
        raise ChartError(f"there is no folder {folder}")
    try:
        results = [Result.from_dict(result) for result in content["results"]]
        machine = f"{content['machine']['processor']}, one thread; {content['machine']['python']}"
    except (KeyError, TypeError, ValueError) as error:
        raise ChartError(f"the results cannot be read: {type(error).__name__}: {error}") from None
    figures = {}
    lines = find_lines(results)
    if lines:
        figures["decisions"] = draw_decisions(lines, machine)
    parts = find_parts(results)
    if parts:
        figures["parts"] = draw_parts(parts, machine)
    if not figures:
        raise ChartError("the file holds no results that the charts show")
    return [_save(figure, folder / f"{name}.{kind}") for name, figure in figures.items() for kind in FORMATS]


def find_lines(results: Sequence[Result]) -> list[Line]:
    """Return the lines of the first chart, in the order in which they were measured."""
    found: dict[str, list[Result]] = {}
    for result in results:
        by_processor_time = bool(result.values and result.wall)  # as the axis says; what has threads is not
        if by_processor_time and result.series and result.unit == DECISIONS:
            found.setdefault(result.series, []).append(result)
    lines = []
    for series, points in found.items():
        points.sort(key=lambda point: point.size)
        colour = COLOURS.get(points[0].group, OURS)
        lines.append(
            Line(series, colour, tuple(point.size for point in points), tuple(point.median for point in points))
        )
    return lines


def find_parts(results: Sequence[Result]) -> dict[tuple[str, int], tuple[float, ...]]:
    """Return the nanoseconds of each of PARTS, by kind of observation and size; only where all are measured."""
    medians = {(result.group, result.size, result.series): result.median for result in results if result.values}
    found = {}
    for dtype in DTYPES:
        group = parts_group(dtype)
        for size in sorted({size for name, size, _ in medians if name == group}):
            if all((group, size, part) in medians for part in PARTS):
                found[dtype, size] = tuple(medians[group, size, part] for part in PARTS)
    return found


def draw_decisions(lines: Sequence[Line], machine: str) -> Figure:
    """Draw decisions a second against batch size, both logarithmic, every line labelled at its right end."""
    figure, axes = _new_figure(10.5, 7.0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    largest = max(max(line.sizes) for line in lines)
    for line in lines:
        if len(line.sizes) == 1:  # not batched: a point, and a thin line for the eye
            axes.axhline(line.rates[0], color=line.colour, linewidth=0.8, linestyle=(0, (1, 3)), zorder=1)
        marker, style = STYLES.get(line.label, ("D", "-"))
        axes.plot(
            line.sizes, line.rates, style, color=line.colour, marker=marker, markersize=5, linewidth=1.8, zorder=3
        )
    ticks = [4**power for power in range(9) if 4**power <= max(largest, 4)]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlim(0.8, max(largest, 2) * 1.25)
    low, high = min(min(line.rates) for line in lines), max(max(line.rates) for line in lines)
    axes.set_ylim(low / 1.6, high * 1.6)
    axes.yaxis.set_major_formatter(_format_rate)
    axes.set_xlabel("games stepped together (neighbours without batches: one, dotted on)")
    axes.set_ylabel("decisions a second of processor time")
    axes.set_title("Random legal play, observation and legal actions at every decision", loc="left", fontsize=12)
    _caption(axes, f"{machine}. “Rules alone” and OpenSpiel's C++ loop make no observations.")
    _label_lines(axes, lines)
    return figure


def _label_lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Write each line's label to the right of the plot, as near to its last point as the other labels allow."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    heights = [(math.log10(line.rates[-1]) - low) / (high - low) for line in lines]
    places = spread_labels(heights, gap=0.033)
    for line, height, place in zip(lines, heights, places, strict=True):
        axes.plot(
            (1.0, 1.03), (height, place), transform=axes.transAxes, color=line.colour, linewidth=0.6, clip_on=False
        )
        weight = "bold" if line.colour == OURS else "normal"
        axes.text(
            1.035,
            place,
            line.label,
            transform=axes.transAxes,
            color=line.colour,
            fontsize=9,
            fontweight=weight,
            verticalalignment="center",
        )


def spread_labels(heights: Sequence[float], gap: float) -> list[float]:
    """Return heights in the same order that lie at least `gap` apart, in clusters about the mean of what they label."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    clusters: list[list[int]] = []  # of neighbouring labels, from below; each cluster is centred on its mean
    for place in order:
        clusters.append([place])
        while len(clusters) > 1 and _bottom(heights, clusters[-1], gap) - _top(heights, clusters[-2], gap) < gap:
            clusters[-2:] = [clusters[-2] + clusters[-1]]
    spread = [0.0] * len(heights)
    for cluster in clusters:
        for number, place in enumerate(cluster):
            spread[place] = _bottom(heights, cluster, gap) + number * gap
    return spread


def _bottom(heights: Sequence[float], cluster: Sequence[int], gap: float) -> float:
    return sum(heights[place] for place in cluster) / len(cluster) - gap * (len(cluster) - 1) / 2


def _top(heights: Sequence[float], cluster: Sequence[int], gap: float) -> float:
    return _bottom(heights, cluster, gap) + gap * (len(cluster) - 1)


def draw_parts(parts: dict[tuple[str, int], tuple[float, ...]], machine: str) -> Figure:
    """Draw stacked bars of nanoseconds a decision."""
    figure, axes = _new_figure(8.5, 5.2)
    names = [f"{dtype}\nN = {size:,}" for dtype, size in parts]
    bottoms = [0.0] * len(names)
    highest = max(sum(times) for times in parts.values())
    for number, (part, (colour, ink)) in enumerate(zip(PARTS, PART_COLOURS, strict=True)):
        # A difference within the noise may come out below nought; there is no bar for it.
        times = [max(found[number], 0.0) for found in parts.values()]
        axes.bar(range(len(names)), times, 0.62, bottoms, color=colour, edgecolor="white", label=part)
        for place, (time, bottom) in enumerate(zip(times, bottoms, strict=True)):
            if time > 0.05 * highest:  # a thinner bar has no room for its number
                axes.text(place, bottom + time / 2, f"{time:,.0f}", ha="center", va="center", fontsize=9, color=ink)
        bottoms = [bottom + time for bottom, time in zip(bottoms, times, strict=True)]
    for place, bottom in enumerate(bottoms):
        axes.text(place, bottom + 0.015 * highest, f"{bottom:,.0f} ns", ha="center", va="bottom", fontweight="bold")
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 1.12 * max(bottoms))
    axes.set_ylabel("nanoseconds of processor time")
    axes.set_title("The time of a decision in PiquetBatch.step", loc="left", fontsize=12)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    _caption(axes, f"{machine}. Found by differences of recorded play.")
    return figure


def _new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150)
    FigureCanvasAgg(figure)  # without pyplot: no window, no global state
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, axis="y", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _caption(axes: Axes, text: str) -> None:
    """Write small print below the plot and its labels."""
    axes.annotate(
        text,
        (0, 0),
        (0, -44),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=8,
        color="#555555",
        va="top",
    )


def _format_rate(rate: float, _place: float) -> str:
    """Return a rate for the axis: 10,000 or 3 million."""
    return f"{rate / 1e6:g} million" if rate >= 1e6 else f"{rate:,.0f}"


def _save(figure: Figure, path: Path) -> Path:
    from matplotlib import rc_context

    kind = path.suffix[1:]
    buffer = io.BytesIO()
    # The same figures give the same bytes: no date, and names in the SVG that do not change from run to run.
    with rc_context({"svg.hashsalt": "piquet"}):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(buffer, format=kind, bbox_inches="tight", pad_inches=0.15, facecolor="white", metadata=metadata)
    write_atomically(path, buffer.getvalue())
    return path


if __name__ == "__main__":
    sys.exit(main())
