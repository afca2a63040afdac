"""Measure the speeds in one run on one processor.

    python -m bench                       all of it, the neighbours' too, in less than ten minutes
    python -m bench --quick               a rough idea of our own in less than a minute, without the cold start
    python -m bench --output speeds.json  also write the numbers
    python -m bench --chart FOLDER        also draw them (python -m bench.chart draws a file that was written)

Each number is the median of several repetitions, with the lowest and the highest beside it. Seconds are processor time;
what it is by the clock on the wall stands in the last column of numbers. Fresh interpreters, and one thread beside two,
which use a second processor, are measured by the clock on the wall alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agents.files import write_atomically

from .batches import measure_batches, measure_kernel, measure_threads
from .comparisons import compare, measure_memory
from .environments import measure_calls, measure_loops
from .measure import Plan, Result, machine, pinned
from .neighbours import measure_neighbours
from .parts import measure_parts
from .rollouts import measure_rollouts
from .start import measure_starts


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the files."""
    options = parse_arguments(arguments)
    plan = Plan(3, 0.1, largest=16384) if options.quick else Plan(5, 0.3)
    about = machine()
    results: list[Result] = []
    measurements: tuple[Callable[[Plan], list[Result]], ...] = (
        measure_kernel,
        measure_batches,
        measure_parts,
        measure_loops,
        measure_calls,
        measure_rollouts,
    )
    interrupted = False
    try:
        if not options.threads:
            with pinned(1) as processors:
                about["pinned"] = processors == 1
                for measure in measurements:
                    _say(f"measuring: {measure.__name__.removeprefix('measure_')}")
                    results += measure(plan)
                _say("measuring: starts")
                results += measure_starts(plan.repetitions, cold=not options.quick)
                if options.neighbours:
                    results += measure_neighbours(plan, _say)
        _say("measuring: threads")
        results += measure_threads(plan)
        results += measure_memory()
    except KeyboardInterrupt:
        _say("interrupted; what has been measured so far follows")
        interrupted = True
    results += compare(results)
    print_table(about, results)
    content = {"machine": about, "plan": plan._asdict(), "results": [result.as_dict() for result in results]}
    if options.output is not None:
        write_atomically(options.output, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    if options.chart is not None:
        from .chart import ChartError, draw

        try:
            draw(content, options.chart)
        except ChartError as error:  # an interrupted run may hold nothing to draw
            _say(f"no chart: {error}")
    return 130 if interrupted else 0


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options; argparse ends the program with one line for a wrong one, before anything is measured."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="short repetitions, no cold start, no neighbours")
    parser.add_argument(
        "--neighbours", action=argparse.BooleanOptionalAction, help="measure the neighbours (yes, but for --quick)"
    )
    parser.add_argument("--threads", action="store_true", help="compare one thread with two, and nothing else")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the numbers as JSON")
    parser.add_argument("--chart", type=Path, metavar="FOLDER", help="draw the charts there")
    options = parser.parse_args(arguments)
    if options.neighbours is None:
        options.neighbours = not options.quick
    if options.output is not None and not options.output.parent.is_dir():
        parser.error(f"there is no folder {options.output.parent} for --output")
    if options.chart is not None and importlib.util.find_spec("matplotlib") is None:
        parser.error("--chart needs matplotlib, which is not installed")
    if options.chart is not None and not options.chart.is_dir():
        parser.error(f"there is no folder {options.chart} for --chart")
    return options


def print_table(about: dict[str, Any], results: list[Result]) -> None:
    """Print machine and results, with rich where it is installed."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    print(f"{about['processor']}, {about['processors']} processors, load {about['load']} at the start")
    print(f"{about['system']}, {about['python']}, {versions}")
    print("pinned to one processor" if about.get("pinned") else "not pinned to one processor")
    rows = [(result.group, result.name, *_cells(result), result.note) for result in results]
    if importlib.util.find_spec("rich") is not None:
        _print_rich(rows)
        return
    group = ""
    for row in rows:
        if row[0] != group:
            group = row[0]
            print(f"\n{group}")
        print(f"  {row[1]:<62} {row[2]:>12} {row[3]:<13} {row[4]:<25} {row[5]:>12} {row[6]}".rstrip())


def _print_rich(rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", "median", "unit", "low … high", "on the wall", "", title="Speeds", title_justify="left")
    table.columns[1].justify = table.columns[4].justify = "right"
    group = ""
    for row in rows:
        if row[0] != group:
            if group:
                table.add_section()
            group = row[0]
            table.add_row(f"[bold]{group}[/bold]")
        table.add_row(*row[1:])
    Console(width=None if sys.stdout.isatty() else 180).print(table)


def _cells(result: Result) -> tuple[str, str, str, str]:
    if not result.values:
        return "–", result.unit, "", ""
    spread = f"{_number(min(result.values))} … {_number(max(result.values))}" if len(result.values) > 1 else ""
    wall = _number(statistics.median(result.wall)) if result.wall else ""
    return _number(result.median), result.unit, spread, wall


def _number(value: float) -> str:
    """Return a number in three significant figures or whole."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
