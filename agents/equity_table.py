"""Count how deals are scored in self-play of an agent, and write the record that equity tables are computed from.

    python -m agents.equity_table greedy --deals 1000000 --output runs/scores.npz
    python -m agents.equity_table greedy --deals 1000000 --rules "rubicon pack=36" --version v1-greedy-36 --output …

The agent plays whole Rubicon parties against itself, and every deal of them is counted; parties are added until there
are enough deals. The file depends on the agent, the seed and the number of deals alone, not on `--jobs`. Its form is
told in piquet_env/equity/scores.py. `reward="equity@FILE.npz"` uses it as it is, and a file
piquet_env/data/scores-V.npz is the version V of the package.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from piquet_env.equity import load_scores, pack_scores
from piquet_env.rules.variants import Rules

from .base import AgentError
from .evaluation.identity import version
from .evaluation.progress import Progress
from .files import write_atomically
from .lockstep import COUNT_KINDS, COUNT_SIZE, EVEN_CHANCES
from .pairs import Players, make_players, play_parties

PARTIES_AT_ONCE = 128  # a block; how many parties are played depends on it, so it stands in the file


class Parser(argparse.ArgumentParser):
    """A parser that answers a wrong argument with one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and end with exit code 2."""
        self.exit(2, f"agents.equity_table: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", metavar="AGENT", help="a spec, as evaluate.py takes it")
    parser.add_argument("--deals", type=int, default=1_000_000, help="at least so many (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="of decks and agent (1)")
    parser.add_argument("--rules", default="rubicon", help="a Rubicon form (rubicon)")
    parser.add_argument("--version", help="name of the record (that of the file)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    options = parser.parse_args(argv)
    try:
        rules = Rules.of(options.rules)
        check(options, rules)
        counts, parties = count_deals(options.agent, rules, options.deals, options.seed, options.jobs)
        deals = int(counts[0].sum())
        metadata = {
            "version": options.version or options.output.stem.removeprefix("scores-"),
            "agent": options.agent,
            "deals": deals,
            "parties": parties,
            "parties_at_once": PARTIES_AT_ONCE,
            "seed": options.seed,
            "rules": str(rules),
            "rules_hash": rules.hash,
            "pack": rules.pack,
            "package_version": version(),
        }
        write_atomically(options.output, pack_scores(counts, metadata))
        describe(options.output)
    except KeyboardInterrupt:
        parser.exit(130, "agents.equity_table: interrupted; nothing was written\n")
    except (ValueError, OSError) as error:
        parser.error(" ".join(str(error).split()))
    return 0


def check(options: argparse.Namespace, rules: Rules) -> None:
    """Raise ValueError for what cannot be, before anything is played."""
    if options.deals < 1 or options.jobs < 1 or not 0 <= options.seed < 2**62:
        raise ValueError("--deals and --jobs must be at least 1, and --seed a whole number from 0 to 2**62 - 1")
    if rules.form != "rubicon":
        raise ValueError("deals are counted in Rubicon parties: games of au cent end inside a deal")
    if options.output.suffix != ".npz" or not options.output.parent.is_dir():
        raise ValueError(f"{options.output} cannot be written: name a file that ends with .npz in a folder that exists")
    if options.output.exists() and not options.force:
        raise ValueError(f"{options.output} exists: name another file, or add --force")
    make_players((options.agent, options.agent), rules)


def count_deals(agent: str, rules: Rules, deals: int, seed: int, jobs: int) -> tuple[npt.NDArray[np.int64], int]:
    """Return the deals of self-play by their scores (see agents/lockstep.py), and in how many parties they were played.

    Raises AgentError if the agent loses a partie by a failure.
    """
    total = np.zeros((len(COUNT_KINDS), COUNT_SIZE, COUNT_SIZE), dtype=np.int64)
    blocks = parties = 0
    with Progress(deals // rules.deals + 1) as progress:
        progress.begin(f"self-play of {agent}")
        for counts in _play_blocks(agent, rules, seed, jobs):
            total += counts
            blocks += 1
            parties = blocks * PARTIES_AT_ONCE
            progress.show(parties)
            if total[0].sum() >= deals:
                break
    return total, parties


def _play_blocks(agent: str, rules: Rules, seed: int, jobs: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the counts of one block of parties after another, without end."""
    block = 0
    if jobs == 1:
        while True:
            yield count_block(agent, rules, seed, block)
            block += 1
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        while True:
            tasks = [pool.submit(count_block, agent, rules, seed, block + ahead) for ahead in range(jobs)]
            for task in tasks:
                yield task.result()
            block += jobs


def count_block(agent: str, rules: Rules, seed: int, block: int) -> npt.NDArray[np.int64]:
    """Return the counts of one block of parties of an agent against itself."""
    players = _seated(agent, rules)
    first = block * PARTIES_AT_ONCE
    halves = [(partie, 0) for partie in range(first, first + PARTIES_AT_ONCE)]
    tables = play_parties(players, rules, seed, halves, count_deals=True)
    failures = [failure for table in tables for failure in table.failures]
    if failures:
        raise AgentError(f"{agent} lost a partie of its self-play: {failures[0].error}")
    return np.asarray(np.sum([table.games.counts for table in tables], axis=0), dtype=np.int64)


@functools.lru_cache(maxsize=1)
def _seated(agent: str, rules: Rules) -> Players:
    """Return the two agents, which play one block after another."""
    return make_players((agent, agent), rules)


def describe(path: Path) -> None:
    """Print what was written, beside the even chances that Cavendish gives."""
    scores = load_scores(path)
    print(f"{path}: {scores.version}, {scores.metadata['deals']} deals of {scores.metadata['agent']}")
    for role, points, even in zip(("elder", "younger"), scores.marginals, EVEN_CHANCES, strict=True):
        mean = float(points @ np.arange(len(points)))
        print(f"{role}: {mean:.2f} points a deal, {even} or more in {100 * float(points[even:].sum()):.1f} % of deals")


if __name__ == "__main__":
    sys.exit(main())
