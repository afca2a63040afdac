"""Play the cross-tables of the package's own agents and write results/strength.json and docs/strength.md.

    python -m agents.strength --jobs 2 --store runs/strength

Every frozen opponent of the benchmark suite meets every other in every set, on the boards of the test block. Only the
part of docs/strength.md between its two markers is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .arena import MatchResult
from .evaluation.identity import identity
from .evaluation.progress import Progress
from .evaluation.strength_page import replace_tables, set_dict, tables_page
from .evaluation.suite_blocks import BLOCKS, load_block
from .evaluation.suite_sets import SETS, boards_of, match_facts, pairs_of, planned, play_suite_match, read_suite
from .files import write_atomically
from .suite import Parser, positive
from .workers import Workers


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = Parser("agents.strength", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--block", default="test", choices=BLOCKS, help="whose boards (test)")
    add("--slow", type=positive, help="parties, or deals, with agents for which few are listed (as listed)")
    add("--most", type=positive, help="parties, or deals, of a match at most (as listed)")
    add("--jobs", type=positive, default=1, help="processes (1); the result is the same with any number")
    add("--store", type=Path, metavar="DIR", help="keep played pairs here, and use those that are here")
    add("--output", type=Path, default=Path("results/strength.json"), metavar="FILE.json", help="replaced if it exists")
    add("--page", type=Path, default=Path("docs/strength.md"), metavar="FILE.md", help="the page with the tables")
    options = parser.parse_args(argv)
    try:
        page = options.page.read_text(encoding="utf-8")
        replace_tables(page, "")
        if not options.output.parent.is_dir():
            raise ValueError(f"{options.output} cannot be written: there is no folder {options.output.parent}")
        sets = play_all(options)
        write_atomically(options.output, (json.dumps(describe(options, sets), indent=2) + "\n").encode())
        write_atomically(options.page, replace_tables(page, tables_page(read_suite(), options.block, sets)).encode())
    except KeyboardInterrupt:
        parser.exit(130, "agents.strength: interrupted; with --store the same command goes on from there\n")
    except (ValueError, OSError) as error:  # AgentError among them
        parser.error(" ".join(str(error).split()))
    print(tables_page(read_suite(), options.block, sets))
    return 0


def play_all(options: argparse.Namespace) -> dict[str, list[MatchResult]]:
    """Play every pair of agents in every set; return the matches by set, in the order of `pairs_of`."""
    suite, block = read_suite(), load_block(options.block)
    plan = [
        (found, first, second, planned(parties_of(first.parties, second.parties, options), boards_of(found, block)))
        for found in SETS.values()
        for first, second in pairs_of(suite)
    ]
    sets: dict[str, list[MatchResult]] = {name: [] for name in SETS}
    with Progress(sum(parties for *_, parties in plan)) as progress, Workers(options.jobs) as workers:
        for found, first, second, parties in plan:
            progress.begin(f"{found.name}: {first.spec} v {second.spec}")
            match = play_suite_match(
                first.spec,
                second.spec,
                found,
                block,
                suite,
                parties=parties,
                workers=workers,
                store=options.store,
                progress=progress.show,
            )
            progress.end(parties)
            sets[found.name].append(match)
    return sets


def parties_of(first: int, second: int, options: argparse.Namespace) -> int:
    """Return how many parties are asked for between two opponents that are listed with so many."""
    listed = min(first, second)
    if options.slow is not None and listed < max(opponent.parties for opponent in read_suite().opponents):
        listed = options.slow
    return min(listed, options.most or listed)


def describe(options: argparse.Namespace, sets: dict[str, list[MatchResult]]) -> dict[str, Any]:
    """Return the document that is written as JSON."""
    suite, block = read_suite(), load_block(options.block)
    specs = [opponent.spec for opponent in suite.opponents]
    facts = match_facts(specs[0], specs[0], SETS["partie"], block, suite)
    common = ("suite", "block", "block_sha256", "rules", "rules_hash", "seed", "version", "sources_hash")
    return {
        **{name: facts[name] for name in common},
        "reference": identity(suite.reference),
        "agents": [identity(spec) for spec in specs],
        "sets": {name: set_dict(SETS[name], specs, matches) for name, matches in sets.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
