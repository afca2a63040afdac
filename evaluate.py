"""Play agents against each other in duplicate parties and print one table.

    python evaluate.py greedy random
    python evaluate.py policy:runs/x/policy.safetensors greedy random --parties 2000 --jobs 2 --output results/x.json
    python evaluate.py my_agent.py:MyAgent greedy --rules "rubicon sinking=partial"
    python evaluate.py --quick

Every agent meets every other. The same decks are played twice with the seats exchanged, and such a pair is the unit of
statistics. How agents are written is told in agents/registry.py, what the figures mean in the table's own note.

An agent that crashes or acts illegally loses the partie; its text and the error are written beside the output file.
Ctrl-C prints and writes what was played until then. The exit code is 0, 1 where `--quick` finds the order wrong, 2 for
a wrong argument, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from agents.arena import MatchInterrupted, MatchResult, play_match
from agents.files import write_atomically
from agents.registry import make_agent
from agents.report import format_table, results
from piquet_env.rules.variants import Rules

QUICK_AGENTS = ("random", "greedy")
QUICK_PARTIES = 200
FAILURES_KEPT = 10  # files a match; an agent that always fails would fill the folder


class Parser(argparse.ArgumentParser):
    """A parser that answers a wrong argument with one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and end with exit code 2."""
        self.exit(2, f"evaluate.py: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = make_parser()
    options = parser.parse_args(argv)
    agents = options.agents or (list(QUICK_AGENTS) if options.quick else [])
    parties = options.parties or (QUICK_PARTIES if options.quick else 400)
    try:
        rules = Rules.of(options.rules)
        check_output(options.output, options.force)
        if len(agents) < 2:
            raise ValueError("name at least two agents, such as: greedy random")
        for spec in agents:
            make_agent(spec, rules)
        matches, complete = play_all(agents, rules, parties, options.seed, options.jobs)
    except KeyboardInterrupt:
        parser.exit(130, "evaluate.py: interrupted before anything was played\n")
    except ValueError as error:  # AgentError among them
        parser.error(" ".join(str(error).split()))
    if matches:
        print(format_table(matches))
    if options.output is not None and (matches or complete):
        document = results(matches, rules, options.seed, parties, complete=complete)
        write_atomically(options.output, (json.dumps(document, indent=2) + "\n").encode())
    report_failures(matches, options.output)
    if not complete:
        print("evaluate.py: interrupted; this is what was played until then", file=sys.stderr)
        return 130
    return 0 if not options.quick or are_ranked(matches) else 1


def make_parser() -> Parser:
    """Return the command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="a name, policy:PATH, or path/to/file.py:ClassName")
    parser.add_argument("--parties", type=positive, help="parties of each match, rounded up to pairs (400)")
    parser.add_argument("--seed", type=natural, default=1, help="of decks and agents (1)")
    parser.add_argument("--rules", default="rubicon", help="a preset, with option=value behind it if need be (rubicon)")
    parser.add_argument(
        "--jobs", type=positive, default=1, help="processes (1); the result is the same with any number"
    )
    parser.add_argument("--output", type=Path, metavar="FILE.json", help="where to write the figures as JSON")
    parser.add_argument("--force", action="store_true", help="replace an output file that exists")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="exit code 1 unless each agent clearly beats those named before it (random greedy, 200 parties)",
    )
    return parser


def positive(text: str) -> int:
    """Return a whole number from 1 to a thousand million."""
    if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from 1 to 1,000,000,000")
    return int(text)


def natural(text: str) -> int:
    """Return a whole number from 0 to 2**62 - 1: the decks' seeds lie as far above."""
    if not re.fullmatch("[0-9]{1,19}", text) or int(text) >= 2**62:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from 0 to 2**62 - 1")
    return int(text)


def check_output(output: Path | None, force: bool) -> None:
    """Raise ValueError, before anything is played, for an output file that could not or should not be written."""
    if output is None:
        return
    if not output.parent.is_dir():
        raise ValueError(f"{output} cannot be written: there is no folder {output.parent}")
    if output.exists() and not output.is_file():
        raise ValueError(f"{output} cannot be written: it is no ordinary file")
    try:
        with tempfile.TemporaryFile(dir=output.parent):
            pass
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error.strerror}") from None
    if output.exists() and not force:
        raise ValueError(f"{output} exists, and results are not overwritten: name another file, or add --force")


def play_all(agents: Sequence[str], rules: Rules, parties: int, seed: int, jobs: int) -> tuple[list[MatchResult], bool]:
    """Play every pair of agents; return the matches, and whether they are complete or were interrupted."""
    pairings = list(itertools.combinations(agents, 2))
    progress = Progress(len(pairings) * (parties + parties % 2))
    matches: list[MatchResult] = []
    try:
        for a, b in pairings:
            progress.begin(f"{a} v {b}")
            match = play_match(a, b, rules, parties=parties, seed=seed, jobs=jobs, progress=progress.show)
            matches.append(match)
    except MatchInterrupted as interrupt:
        return matches + ([interrupt.result] if interrupt.result is not None else []), False
    except KeyboardInterrupt:
        return matches, False
    finally:
        progress.end()
    return matches, True


class Progress:
    """Tells on stderr how many parties are played and how long the rest will take; off a terminal a line a minute."""

    def __init__(self, parties: int) -> None:
        self.parties = parties
        self.done = 0  # in earlier matches
        self.here = 0
        self.label = ""
        self.shown = self.began = time.monotonic()
        self.begun_with = 0
        self.on_terminal = sys.stderr.isatty()

    def begin(self, label: str) -> None:
        """Begin a match."""
        self.done += self.here
        self.here = 0
        self.label = label

    def show(self, here: int) -> None:
        """Show that so many parties of the match are played."""
        self.here = here
        now, played = time.monotonic(), self.done + here
        if not self.begun_with:  # the first parties are no measure: kernels compile and processes start
            self.began, self.begun_with = now, played
        if played == self.begun_with or now - self.shown < (0.1 if self.on_terminal else 60):
            return
        self.shown = now
        left = (now - self.began) / (played - self.begun_with) * (self.parties - played)
        line = f"{self.label}: {played}/{self.parties} parties, {left:.0f} s left"
        print(
            f"\r\033[K{line}" if self.on_terminal else line,
            end="" if self.on_terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Clear the line."""
        if self.on_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def report_failures(matches: Sequence[MatchResult], output: Path | None) -> None:
    """Say which parties were lost by a crash or an illegal action, and write them beside the output file."""
    for number, match in enumerate(matches, 1):
        for place, failure in enumerate(match.failures[:FAILURES_KEPT], 1):
            loser = (match.a, match.b)[failure.agent]
            where = f"pair {failure.pair}, {('first', 'second')[failure.half]} half"
            if output is not None:
                stem = output.with_suffix("").name
                file = output.with_name(f"{stem}.failure-{number}-{place}.deal")
                write_atomically(file, (failure.deal.rstrip("\n") + "\n").encode())
                story = f"{loser} lost {where}: {failure.error}\n\n{failure.trace}"
                write_atomically(file.with_suffix(".txt"), story.encode(errors="backslashreplace"))
                where += f"; see {file}"
            elif place == 1:
                print(f"{failure.deal}\n{failure.trace}", file=sys.stderr)
            told = failure.error.encode(errors="backslashreplace").decode()
            print(f"evaluate.py: {loser} lost a partie ({where}): {told}", file=sys.stderr)
        if len(match.failures) > FAILURES_KEPT:
            print(f"evaluate.py: and {len(match.failures) - FAILURES_KEPT} more parties of this match", file=sys.stderr)


def are_ranked(matches: Sequence[MatchResult]) -> bool:
    """Return whether each agent clearly beats those named before it: the interval lies wholly on its side."""
    ranked = True
    for match in matches:
        high = match.settlement.high
        if high is None or high >= 0:
            print(f"evaluate.py: {match.b} does not clearly beat {match.a}", file=sys.stderr)
            ranked = False
    return ranked


if __name__ == "__main__":
    sys.exit(main())
