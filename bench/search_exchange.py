"""Measure what the search of the exchange gives: where it differs from `heuristic`, both are tried on fresh cards.

    python -m bench.search_exchange
    python -m bench.search_exchange --positions 1000 --seed 8 --doubt 0.5

A whole match would need thousands of parties to tell so much. Here each position stands at a random number and totals
of a partie, elder's and younger's by turns, and the gain, in expected settlement points, is the mean over
fresh hands and talons, the deals being played on by `heuristic`. Where the choices agree it is zero.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from agents.base import BatchAgent
from agents.registry import make_agent
from agents.search.exchange_search import Effort, ExchangeSearch
from agents.search.rollout import EXCHANGES, Rollout
from agents.search.seen import Seen
from agents.search.solver import Solver
from agents.search.stakes import FINE_STEPS, Stakes
from agents.statistics import mean_interval
from piquet_env.rules.variants import Rules

from .search_parts import POINTS

FRESH = 600  # worlds on which two choices are compared


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument("--doubt", type=float, default=Effort().doubt)
    options = parser.parse_args(argv)
    rules = Rules()
    base = make_agent("heuristic", rules)
    assert isinstance(base, BatchAgent), "heuristic decides in batches"
    rollout = Rollout(rules, base)
    stakes = Stakes(rules, "always")
    search = ExchangeSearch(rules, rollout, Solver(), stakes, Effort(doubt=options.doubt), solves=False)
    rng = np.random.default_rng(options.seed)
    gains: list[float] = []
    differing, seconds = 0, 0.0
    while len(gains) < options.positions:
        row = random_position(rollout, len(gains) % 2, rng)
        if row is None:  # a carte blanche has been asked for, or the deal is over
            continue
        seen = Seen.of(rollout.observe(row, np.zeros(1, dtype=np.int64))[0][0], rules)
        began = time.process_time()
        chosen = search.discards(seen)
        seconds += time.process_time() - began
        usual = rollout.chosen_discards(row)
        if chosen is None or chosen == usual:
            gains.append(0.0)
            continue
        differing += 1
        worlds = search.worlds(seen, seen.mask("dealt"), int(rng.integers(1 << 40)), FRESH)
        values = search.values(seen, worlds, np.array([usual, chosen]), int(rng.integers(1 << 40)), None)
        gains.append(float((values[:, 1] - values[:, 0]).mean()) / FINE_STEPS)
    found = mean_interval(gains)
    half = 0.0 if found.high is None else found.high - found.mean
    print(f"gain an exchange {found.mean:+.2f} ± {half:.2f} settlement points; other discards in {differing}")
    print(f"of {len(gains)} positions; {1000 * seconds / len(gains):.0f} ms of processor time an exchange")
    return 0


def random_position(rollout: Rollout, role: int, rng: np.random.Generator) -> np.ndarray | None:
    """Return a row in which seat 0, in this role, is to exchange; None where the deal went otherwise."""
    number = int(rng.integers(1, Rules().deals + 1))
    first, second = rng.choice(POINTS, size=(2, number - 1)).sum(axis=1).tolist()
    hand = sum(1 << int(card) for card in rng.permutation(32)[:12])
    row = rollout.deal(hand, role, number, (int(first), int(second)), int(rng.integers(1 << 40)), 1)
    return row if rollout.run(row, role, 1)[0] == EXCHANGES else None


if __name__ == "__main__":
    sys.exit(main())
