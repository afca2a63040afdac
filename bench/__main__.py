"""Measure the speeds in one run on one processor.

    python -m bench                       all of it, in a few minutes
    python -m bench --quick               a rough idea in less than a minute, without the cold start
    python -m bench --output speeds.json  also write the numbers

Each number is the median of several repetitions, with the lowest and the highest beside it. Seconds are processor time
of the one thread that works; for fresh interpreters and for the comparison of one thread with two, which uses a second
processor, they are those of the clock on the wall.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .batches import measure_batches, measure_kernel, measure_threads
from .environments import measure_calls, measure_loops
from .measure import Plan, Result, machine, pinned
from .start import measure_starts


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="short repetitions, no cold start")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the numbers as JSON")
    options = parser.parse_args(arguments)
    if options.output is not None and not options.output.parent.is_dir():
        parser.error(f"there is no folder {options.output.parent} for --output")
    plan = Plan(3, 0.2) if options.quick else Plan(7, 1.0)
    about = machine()
    results: list[Result] = []
    measurements: tuple[Callable[[Plan], list[Result]], ...] = (
        measure_kernel,
        measure_batches,
        measure_loops,
        measure_calls,
    )
    try:
        with pinned(1) as processors:
            for measure in measurements:
                _say(f"measuring: {measure.__name__.removeprefix('measure_')}")
                results += measure(plan)
            _say("measuring: starts")
            results += measure_starts(plan.repetitions, cold=not options.quick)
        _say("measuring: threads")
        results += measure_threads(plan)
    except KeyboardInterrupt:
        _say("interrupted; what has been measured so far follows")
        processors = -1
    about["pinned"] = processors == 1
    print_table(about, results)
    if options.output is not None:
        content = {"machine": about, "plan": plan._asdict(), "results": [result.as_dict() for result in results]}
        options.output.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if processors >= 0 else 130


def print_table(about: dict[str, Any], results: list[Result]) -> None:
    """Print machine and results, with rich where it is installed."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    print(f"{about['processor']}, {about['processors']} processors, load {about['load']} at the start")
    print(f"{about['system']}, {about['python']}, {versions}")
    print("pinned to one processor" if about["pinned"] else "not pinned to one processor")
    rows = [(result.group, result.name, *_cells(result), result.note) for result in results]
    if importlib.util.find_spec("rich") is not None:
        _print_rich(rows)
        return
    group = ""
    for row in rows:
        if row[0] != group:
            group = row[0]
            print(f"\n{group}")
        print(f"  {row[1]:<52} {row[2]:>12} {row[3]:<13} {row[4]:<25} {row[5]}".rstrip())


def _print_rich(rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", "median", "unit", "low … high", "", title="Speeds", title_justify="left")
    table.columns[1].justify = "right"
    group = ""
    for row in rows:
        if row[0] != group:
            if group:
                table.add_section()
            group = row[0]
            table.add_row(f"[bold]{group}[/bold]")
        table.add_row(*row[1:])
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _cells(result: Result) -> tuple[str, str, str]:
    if not result.values:
        return "–", result.unit, ""
    spread = f"{_number(min(result.values))} … {_number(max(result.values))}" if len(result.values) > 1 else ""
    return _number(result.median), result.unit, spread


def _number(value: float) -> str:
    """Return a number in three significant figures or whole."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
