"""Play agents against each other in duplicate parties and print one table.

    python evaluate.py greedy random
    python evaluate.py policy:runs/x/policy.safetensors greedy random --parties 2000 --jobs 2 --output results/x.json
    python evaluate.py my_agent.py:MyAgent greedy --rules "rubicon sinking=partial" --breakdown
    python evaluate.py my_agent.py:New my_agent.py:Old --sprt 0,5 --store runs/evaluations --jobs 2
    python evaluate.py --quick

Every agent meets every other. The same decks are played twice with the seats exchanged, and such a pair is the unit of
statistics. How agents are written is told in agents/registry.py, what the figures mean in the table's own note, and
everything else in docs/evaluation.md.

An agent that crashes, acts illegally or exceeds `--limit` loses the partie; its text and the error are written beside
the output file. Ctrl-C prints and writes what was played until then, and with `--store` the same command goes on there.
The exit code is 0, 1 where `--quick` finds the order wrong, 2 for what cannot be done, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from agents.arena import MatchInterrupted, MatchResult, decks_hash, play_match
from agents.base import AgentError
from agents.evaluation.breakdown import format_breakdown
from agents.evaluation.cross_table import cross_table, cross_table_dict, format_cross_table, pairings
from agents.evaluation.identity import identity, sources_hash, version
from agents.evaluation.progress import Progress
from agents.evaluation.sprt import Sprt
from agents.evaluation.store import MatchStore, key_of
from agents.files import write_atomically
from agents.registry import make_agent
from agents.report import format_table, results
from agents.workers import Workers
from piquet_env.rules.variants import Rules

QUICK_AGENTS = ("random", "greedy")
QUICK_PARTIES = 200
PARTIES = 400
TEST_PARTIES = 40_000  # the cap of a sequential test
FAILURES_KEPT = 10  # files a match; an agent that always fails would fill the folder
KEY_PARTIES = 128  # the decks that stand for all of a seed in a key


@dataclass(frozen=True)
class Plan:
    """What is to be played, everything on which the figures depend."""

    agents: list[str]
    rules: Rules
    parties: int
    seed: int
    sprt: Sprt | None
    limit: float | None
    identities: list[dict[str, str]]

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the figures of every match depend on, but for its agents."""
        return {
            "rules": str(self.rules),
            "rules_hash": self.rules.hash,
            "seed": self.seed,
            "decks_hash": decks_hash(self.rules, self.seed, KEY_PARTIES),
            "version": version(),
            "sources_hash": sources_hash(),
            "limit": self.limit,
        }

    @cached_property
    def key(self) -> str:
        """A digest of the whole plan: equal keys, equal figures."""
        test = None if self.sprt is None else [self.sprt.low, self.sprt.high, self.sprt.alpha, self.sprt.beta]
        return key_of({**self.facts, "agents": self.identities, "parties": self.parties, "sprt": test})


class Played(NamedTuple):
    """The matches that were played, and why not all of them: None, "interrupted", or an error's sentence."""

    matches: list[MatchResult]
    trouble: str | None


class Parser(argparse.ArgumentParser):
    """A parser that answers a wrong argument with one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and end with exit code 2."""
        self.exit(2, f"evaluate.py: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = make_parser()
    options = parser.parse_args(argv)
    try:
        plan = make_plan(options)
        check_output(options.output, options.force, plan.key)
        check_output(options.html, options.force, plan.key)
        write_html = find_html_writer() if options.html is not None else None
        played = play_all(plan, options.jobs, options.store)
    except KeyboardInterrupt:
        parser.exit(130, "evaluate.py: interrupted before anything was played\n")
    except ValueError as error:  # AgentError among them
        parser.error(" ".join(str(error).split()))
    matches = played.matches
    if matches:
        print_tables(plan, matches, options.breakdown)
        if options.output is not None or write_html is not None:
            document = describe(plan, played, sys.argv[1:] if argv is None else argv)
            if options.output is not None:
                write_atomically(options.output, (json.dumps(document, indent=2) + "\n").encode())
            if write_html is not None:
                write_atomically(options.html, write_html(document, matches).encode())
    report_failures(matches, options.output)
    if played.trouble == "interrupted":
        resumed = "" if options.store is None else "; the same command goes on from here"
        print(f"evaluate.py: interrupted; this is what was played until then{resumed}", file=sys.stderr)
        return 130
    if played.trouble is not None:
        print(f"evaluate.py: {played.trouble}", file=sys.stderr)
        return 2
    return 0 if not options.quick or are_ranked(matches) else 1


def make_parser() -> Parser:
    """Return the command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help="a name, policy:PATH, or path/to/file.py:ClassName")
    add("--parties", type=positive, help="parties of each match, rounded up to pairs (400; 40000 at most with --sprt)")
    add("--seed", type=natural, default=1, help="of decks and agents (1)")
    add("--rules", default="rubicon", help="a preset, with option=value behind it if need be (rubicon)")
    add("--jobs", type=positive, default=1, help="processes (1); the result is the same with any number")
    add(
        "--sprt",
        type=sequential_test,
        metavar="LOW,HIGH",
        help="end a match once its mean settlement is told to be LOW or HIGH (write --sprt=-5,0 for negative numbers)",
    )
    add("--limit", type=seconds, help="mean seconds that a decision may take, a partie at a time (none)")
    add("--store", type=Path, metavar="DIR", help="keep played pairs here, and use those that are here")
    add("--breakdown", action="store_true", help="print points by role, phase and class, too")
    add("--output", type=Path, metavar="FILE.json", help="where to write the figures as JSON")
    add("--html", type=Path, metavar="FILE.html", help="where to write a report with its figures")
    add("--force", action="store_true", help="replace output files that exist")
    add(
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


def seconds(text: str) -> float:
    """Return a positive number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a positive number of seconds")
    return number


def sequential_test(text: str) -> Sprt:
    """Return the test between two means that are written LOW,HIGH."""
    try:
        low, high = (float(part) for part in text.split(","))
        return Sprt(low, high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not LOW,HIGH: two means, the lower first") from None


def make_plan(options: argparse.Namespace) -> Plan:
    """Return what the arguments ask for; ValueError says what cannot be."""
    rules = Rules.of(options.rules)
    agents = options.agents or (list(QUICK_AGENTS) if options.quick else [])
    if len(agents) < 2:
        raise ValueError("name at least two agents, such as: greedy random")
    for spec in agents:
        make_agent(spec, rules)
    default = TEST_PARTIES if options.sprt is not None else QUICK_PARTIES if options.quick else PARTIES
    identities = [identity(spec) for spec in agents]
    return Plan(agents, rules, options.parties or default, options.seed, options.sprt, options.limit, identities)


def check_output(output: Path | None, force: bool, key: str) -> None:
    """Raise ValueError, before anything is played, for an output file that could not or should not be written.

    A file that exists is replaced if the run with this key wrote it.
    """
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
    if output.exists() and not force and f'"key": "{key}"'.encode() not in output.read_bytes():
        raise ValueError(f"{output} exists, and results are not overwritten: name another file, or add --force")


def find_html_writer() -> Callable[[dict[str, Any], Sequence[MatchResult]], str]:
    """Return the function that makes the report; ValueError where the figures cannot be drawn."""
    try:
        from agents.evaluation.html_report import html_report
    except ImportError:
        raise ValueError("--html draws with matplotlib: install the extra 'train'") from None
    return html_report


def play_all(plan: Plan, jobs: int, store: Path | None) -> Played:
    """Play every pair of agents."""
    pairs = pairings(len(plan.agents))
    planned = plan.parties + plan.parties % 2
    matches: list[MatchResult] = []
    with Progress(len(pairs) * planned) as progress, Workers(jobs) as workers:
        try:
            for i, j in pairs:
                progress.begin(f"{plan.agents[i]} v {plan.agents[j]}")
                match = play_match(
                    plan.agents[i],
                    plan.agents[j],
                    plan.rules,
                    parties=plan.parties,
                    seed=plan.seed,
                    sprt=plan.sprt,
                    limit=plan.limit,
                    store=open_store(plan, store, i, j),
                    workers=workers,
                    progress=progress.show,
                )
                progress.end(planned)
                matches.append(match)
        except MatchInterrupted as interrupt:
            return Played(matches + ([interrupt.result] if interrupt.result is not None else []), "interrupted")
        except KeyboardInterrupt:
            return Played(matches, "interrupted")
        except AgentError as error:
            if not matches:
                raise
            return Played(matches, str(error))
    return Played(matches, None)


def open_store(plan: Plan, store: Path | None, i: int, j: int) -> MatchStore | None:
    """Return where the pairs of a match are kept."""
    if store is None:
        return None
    return MatchStore(store, {"a": plan.identities[i], "b": plan.identities[j], **plan.facts})


def describe(plan: Plan, played: Played, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the document that is written as JSON."""
    document = results(played.matches, plan.rules, plan.seed, plan.parties, complete=played.trouble is None)
    document["key"] = plan.key
    document["sources_hash"] = sources_hash()
    document["agents"] = plan.identities
    document["command"] = shlex.join(["python", "evaluate.py", *arguments])
    if len(plan.agents) > 2:
        document["cross_table"] = cross_table_dict(cross_table(plan.agents, played.matches))
    return document


def print_tables(plan: Plan, matches: Sequence[MatchResult], breakdown: bool) -> None:
    """Print the matches, the cross-table of a round robin, and where points came from if asked for."""
    print(format_table(matches))
    if len(plan.agents) > 2:
        print(f"\n{format_cross_table(cross_table(plan.agents, matches))}")
    for match in matches if breakdown else ():
        print(f"\n{format_breakdown(match)}")


def report_failures(matches: Sequence[MatchResult], output: Path | None) -> None:
    """Say which parties were lost by a failure, and write them beside the output file."""
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
