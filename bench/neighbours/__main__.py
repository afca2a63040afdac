"""Measure one neighbour's game: what `bench.neighbours` starts in an interpreter of its own."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.measure import Plan

from . import LIBRARIES, measure_here


def main(arguments: list[str] | None = None) -> int:
    """Measure, and write the results as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.neighbours", description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("game", help="; ".join(f"{name}: {', '.join(it.GAMES)}" for name, it in LIBRARIES.items()))
    parser.add_argument("--repetitions", type=int, default=3, help="(3)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a repetition (0.5)")
    parser.add_argument("--largest", type=int, default=65536, help="batch size (65536)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of on standard output")
    options = parser.parse_args(arguments)
    if options.game not in LIBRARIES[options.library].GAMES:
        games = ", ".join(LIBRARIES[options.library].GAMES)
        parser.error(f"{options.library} has no game {options.game!r} here; it has {games}")
    results = measure_here(options.library, options.game, Plan(options.repetitions, options.seconds, options.largest))
    text = json.dumps([result.as_dict() for result in results], indent=1, ensure_ascii=False) + "\n"
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
