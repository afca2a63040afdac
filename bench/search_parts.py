"""Measure what each part of `search` gives: duplicate single deals against one agent, the same decks for all rows.

    python -m bench.search_parts                    the parts of the play, 200 decks
    python -m bench.search_parts search:worlds=16 search:worlds=32 --decks 400 --seed 5
    python -m bench.search_parts AGENT --last       the last deal of a partie, both totals near the rubicon line

A deal is cheap and tells more than its share of a partie: one point a deal is worth some twenty settlement points a
partie. The deals stand at random numbers and totals, so that the score matters as it does in a partie. The last columns
say in how many searched decisions of the play and of the dialogue the agent departed from its base.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from agents.arena import MatchResult, play_match
from agents.base import Agent, AgentError
from agents.boards import Boards
from agents.learned.inside import NEAR
from agents.registry import make_agent
from agents.search.agent import SearchAgent
from agents.statistics import MeanInterval, mean_interval
from piquet_env.equity import CAVENDISH
from piquet_env.rules.variants import Rules

PARTS = (
    "search:leaf=solver,unlike=1",
    "search:leaf=solver",
    "search:unlike=1",
    "search",
)
POINTS = (10, 18, 28, 40)  # of an earlier deal


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", metavar="AGENT", default=list(PARTS), help="specs (the parts of the play)")
    parser.add_argument("--against", default="heuristic", metavar="AGENT", help="whom they meet (heuristic)")
    parser.add_argument("--decks", type=int, default=200, help="decks, each played both ways (200)")
    parser.add_argument("--seed", type=int, default=41, help="of the decks (41)")
    parser.add_argument("--last", action="store_true", help="last deals near the line instead of all deals")
    options = parser.parse_args(argv)
    if options.decks < 1:
        parser.error("--decks must be at least 1")
    try:
        for spec in (*options.agents, options.against):
            make_agent(spec)
    except AgentError as error:
        parser.error(str(error))
    boards = (last_deals if options.last else random_deals)(options.decks, options.seed)
    which = "last deals near the line" if options.last else "deals"
    print(f"{options.decks} decks of {which}, seed {options.seed}, against `{options.against}`:\n")
    print("| agent | points a deal | settlement a deal | ms a decision | other cards | other words |")
    print("|---|---|---|---|---|---|")
    for spec in options.agents:
        agent = make_agent(spec)
        match = play_match(agent, options.against, parties=2 * options.decks, seed=options.seed, boards=boards)
        milliseconds = 1000 * (match.seconds_per_decision[0] or 0.0)
        figures = f"{_format(points_gained(match))} | {_format(match.settlement)} | {milliseconds:.1f}"
        print(f"| `{spec}` | {figures} | {_departures(agent, 'card')} | {_departures(agent, 'word')} |", flush=True)
    return 0


def random_deals(decks: int, seed: int) -> Boards:
    """Return single deals with random decks, at a random number and totals of a partie."""
    rng = np.random.default_rng(seed)
    cards = np.array([[rng.permutation(32)] for _ in range(decks)], dtype=np.int8)
    numbers = rng.integers(1, Rules().deals + 1, decks)
    totals = np.array([rng.choice(POINTS, size=(2, number - 1)).sum(axis=1) for number in numbers], dtype=np.int64)
    return _single_deals(cards, numbers, rng.integers(0, 2, decks), totals)


def last_deals(decks: int, seed: int) -> Boards:
    """Return last deals of a partie with random decks, both totals near the rubicon line, where a point weighs most."""
    rng, rules = np.random.default_rng(seed), Rules()
    cards = np.array([[rng.permutation(32)] for _ in range(decks)], dtype=np.int8)
    totals = rng.integers(rules.rubicon_line - NEAR, rules.rubicon_line + NEAR, (decks, 2), endpoint=True)
    return _single_deals(cards, np.full(decks, rules.deals), rng.integers(0, 2, decks), totals)


def _single_deals(cards: np.ndarray, numbers: np.ndarray, dealers: np.ndarray, totals: np.ndarray) -> Boards:
    none, lengths = np.zeros((len(cards), 0), dtype=np.int16), np.zeros(len(cards), dtype=np.int64)
    return Boards(cards, numbers, dealers, totals, none, lengths, True, CAVENDISH)


def points_gained(match: MatchResult) -> MeanInterval:
    """Return the points a deal that the first agent makes more than the second, over the means of pairs."""
    points = (match.records["elder_points"] + match.records["younger_points"]).astype(np.float64)
    return mean_interval((points[:, 0] - points[:, 1]).reshape(-1, 2).mean(axis=1))


def _departures(agent: Agent, kind: str) -> str:
    """Return in how many searched decisions of a kind the agent did something else than its base."""
    if not isinstance(agent, SearchAgent) or not agent.asked[kind]:
        return "none searched"
    return f"{agent.departed[kind]} of {agent.asked[kind]}"


def _format(interval: MeanInterval) -> str:
    half = "" if interval.high is None else f" ± {interval.high - interval.mean:.2f}"
    return f"{interval.mean:+.2f}{half}"


if __name__ == "__main__":
    sys.exit(main())
