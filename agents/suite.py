"""Play the benchmark suite and print the leaderboard row of an agent.

    python -m agents.suite heuristic
    python -m agents.suite policy:runs/x/policy.safetensors --block test --jobs 2 --output results/row.json
    python -m agents.suite my_agent.py:MyAgent --set exchange --quick

The agent meets every frozen opponent on the boards of a block, each twice with the seats exchanged. The sets are told
in agents/evaluation/suite_sets.py, everything else in docs/strength.md.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .arena import MatchInterrupted, MatchResult
from .evaluation.progress import Progress
from .evaluation.suite_blocks import BLOCKS, load_block
from .evaluation.suite_row import format_row, row_dict
from .evaluation.suite_sets import (
    SETS,
    Opponent,
    boards_of,
    find_set,
    planned,
    play_suite_match,
    read_suite,
    seat_agent,
)
from .files import write_atomically
from .workers import Workers

QUICK = 10  # --quick plays so many times fewer


class Parser(argparse.ArgumentParser):
    """A parser that answers a wrong argument with one line; `command` is what the line begins with."""

    def __init__(self, command: str, **options: Any) -> None:
        super().__init__(**options)
        self.command = command

    def error(self, message: str) -> NoReturn:
        """Print the message and end with exit code 2."""
        self.exit(2, f"{self.command}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = make_parser()
    options = parser.parse_args(argv)
    try:
        matches = run(options, shlex.join(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        parser.exit(130, "agents.suite: interrupted; with --store the same command goes on from there\n")
    except (ValueError, OSError) as error:  # AgentError among them
        parser.error(" ".join(str(error).split()))
    for match in matches:
        if match.failures:
            failure = match.failures[0]
            print(f"agents.suite: a partie against {match.b} was lost: {failure.error}", file=sys.stderr)
            print(f"{failure.deal}\n{failure.trace}", file=sys.stderr)
    return 0


def make_parser() -> Parser:
    """Return the command line."""
    parser = Parser("agents.suite", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("agent", metavar="AGENT", help="a spec, as evaluate.py takes it")
    add("--set", default="partie", metavar="NAME", help=f"{', '.join(SETS)} (partie)")
    add("--block", default="dev", metavar="NAME", help=f"{', '.join(BLOCKS)} (dev)")
    add("--parties", type=positive, help="parties (or single deals) against each opponent (as listed with it)")
    add("--quick", action="store_true", help="a tenth of the parties")
    add("--jobs", type=positive, default=1, help="processes (1); the result is the same with any number")
    add("--store", type=Path, metavar="DIR", help="keep played pairs here, and use those that are here")
    add("--output", type=Path, metavar="FILE.json", help="where to write the row as JSON")
    add("--force", action="store_true", help="replace an output file that exists")
    return parser


def positive(text: str) -> int:
    """Return a whole number from 1 to a million."""
    if not re.fullmatch("[0-9]{1,7}", text) or not 1 <= int(text) <= 10**6:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from 1 to 1,000,000")
    return int(text)


def run(options: argparse.Namespace, command: str) -> list[MatchResult]:
    """Play the matches, print the row and write it; return the matches."""
    check_output(options.output, options.force)
    suite, found = read_suite(), find_set(options.set)
    block = load_block(options.block)
    for spec in (options.agent, *(opponent.spec for opponent in suite.opponents)):
        seat_agent(spec, found, suite)
    boards = boards_of(found, block)
    counts = [planned(parties_of(opponent, options), boards) for opponent in suite.opponents]
    matches: list[MatchResult] = []
    interrupt: MatchInterrupted | None = None
    with Progress(sum(counts)) as progress, Workers(options.jobs) as workers:
        try:
            for opponent, parties in zip(suite.opponents, counts, strict=True):
                progress.begin(f"{options.agent} v {opponent.spec}")
                match = play_suite_match(
                    options.agent,
                    opponent.spec,
                    found,
                    block,
                    suite,
                    parties=parties,
                    workers=workers,
                    store=options.store,
                    progress=progress.show,
                )
                progress.end(parties)
                matches.append(match)
        except MatchInterrupted as ended:
            interrupt = ended
            matches += [] if ended.result is None else [ended.result]
    if matches:
        print(f"set {found.name}, block {block.name} (SHA-256 {block.sha256[:16]}), suite {suite.number}\n")
        print(format_row(options.agent, found, matches))
        if options.output is not None:
            row = row_dict(options.agent, found, block, suite, matches, complete=interrupt is None)
            row["command"] = f"python -m agents.suite {command}"
            write_atomically(options.output, (json.dumps(row, indent=2) + "\n").encode())
    if interrupt is not None:
        raise interrupt
    return matches


def parties_of(opponent: Opponent, options: argparse.Namespace) -> int:
    """Return how many parties are asked for against an opponent."""
    parties: int = options.parties or opponent.parties
    return max(2, parties // QUICK) if options.quick else parties


def check_output(output: Path | None, force: bool) -> None:
    """Raise ValueError, before anything is played, for an output file that could not or should not be written."""
    if output is None:
        return
    if not output.parent.is_dir():
        raise ValueError(f"{output} cannot be written: there is no folder {output.parent}")
    if output.exists() and not (force and output.is_file()):
        raise ValueError(f"{output} exists, and results are not overwritten: name another file, or add --force")


if __name__ == "__main__":
    sys.exit(main())
