"""Play the cross-tables of the package's own agents and write results/strength.json and docs/strength.md.

    python -m agents.strength --jobs 2 --store runs/strength

Every frozen opponent of the benchmark suite meets every other in every set, on the boards of the test block. The styles
of `heuristic` and `expert` meet them in parties, and every agent plays itself, to be looked at beside men. Only the
part of docs/strength.md between its two markers is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .arena import MatchResult
from .evaluation.identity import identity
from .evaluation.progress import Progress
from .evaluation.strength_page import Beside, beside_dict, replace_tables, set_dict, tables_page
from .evaluation.suite_blocks import BLOCKS, load_block
from .evaluation.suite_sets import (
    SETS,
    Opponent,
    SuiteSet,
    boards_of,
    match_facts,
    pairs_of,
    planned,
    play_suite_match,
    read_suite,
)
from .files import write_atomically
from .heuristic.styles import STYLES
from .suite import Parser, positive
from .workers import Workers

# Who is not of the suite and meets its opponents in parties; and which of these look ahead.
OTHERS = (*(f"heuristic:style={style}" for style in STYLES if style != "plain"), "expert")
SLOW = ("expert",)


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
        sets, beside = play_all(options)
        tables = tables_page(read_suite(), options.block, sets, beside)
        write_atomically(options.output, (json.dumps(describe(options, sets, beside), indent=2) + "\n").encode())
        write_atomically(options.page, replace_tables(page, tables).encode())
    except KeyboardInterrupt:
        parser.exit(130, "agents.strength: interrupted; with --store the same command goes on from there\n")
    except (ValueError, OSError) as error:  # AgentError among them
        parser.error(" ".join(str(error).split()))
    print(tables)
    return 0


class Game(NamedTuple):
    """A match that is to be played: where, by whom, how many parties or deals."""

    found: SuiteSet
    a: str
    b: str
    parties: int


def games_of_sets(options: argparse.Namespace) -> list[Game]:
    """Return the matches of the suite's opponents in every set."""
    block = load_block(options.block)
    return [
        Game(found, first.spec, second.spec, planned(parties_of(first, second, options), boards_of(found, block)))
        for found in SETS.values()
        for first, second in pairs_of(read_suite())
    ]


def games_beside(options: argparse.Namespace) -> list[Game]:
    """Return the matches of the other agents, and of every agent against itself."""
    opponents, partie = read_suite().opponents, SETS["partie"]
    boards = boards_of(partie, load_block(options.block))
    listed = {opponent.parties for opponent in opponents}
    others = [Opponent(spec, min(listed) if spec in SLOW else max(listed)) for spec in OTHERS]
    met = [
        Game(partie, other.spec, opponent.spec, planned(parties_of(other, opponent, options), boards))
        for other in others
        for opponent in opponents
    ]
    alone = [*opponents, *(other for other in others if other.spec in SLOW)]
    return met + [Game(partie, it.spec, it.spec, planned(parties_of(it, it, options), boards)) for it in alone]


def play_all(options: argparse.Namespace) -> tuple[dict[str, list[MatchResult]], Beside]:
    """Play everything; return the matches of the sets, each in the order of `pairs_of`, and what is played beside."""
    suite, block = read_suite(), load_block(options.block)
    of_sets, beside = games_of_sets(options), games_beside(options)
    played = []
    with Progress(sum(game.parties for game in of_sets + beside)) as progress, Workers(options.jobs) as workers:
        for game in of_sets + beside:
            progress.begin(f"{game.found.name}: {game.a} v {game.b}")
            match = play_suite_match(
                game.a,
                game.b,
                game.found,
                block,
                suite,
                parties=game.parties,
                workers=workers,
                store=options.store,
                progress=progress.show,
            )
            progress.end(game.parties)
            played.append(match)
    sets: dict[str, list[MatchResult]] = {name: [] for name in SETS}
    others: dict[str, list[MatchResult]] = {name: [] for name in OTHERS}
    alone: dict[str, MatchResult] = {}
    for number, (game, match) in enumerate(zip(of_sets + beside, played, strict=True)):
        if number < len(of_sets):
            sets[game.found.name].append(match)
        elif game.a == game.b:
            alone[game.a] = match
        else:
            others[game.a].append(match)
    return sets, Beside(others, alone)


def parties_of(first: Opponent, second: Opponent, options: argparse.Namespace) -> int:
    """Return how many parties are asked for between two opponents."""
    listed = min(first.parties, second.parties)
    if options.slow is not None and listed < max(opponent.parties for opponent in read_suite().opponents):
        listed = options.slow
    return min(listed, options.most or listed)


def describe(options: argparse.Namespace, sets: dict[str, list[MatchResult]], beside: Beside) -> dict[str, Any]:
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
        "beside": beside_dict(beside),
    }


if __name__ == "__main__":
    sys.exit(main())
