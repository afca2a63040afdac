"""The sets of the benchmark suite, its frozen opponents, and one match of it.

| set | a board | who decides | paid |
|---|---|---|---|
| `partie` | a whole partie, from nothing to its settlement | the agent | settlement |
| `deal` | one deal at given totals | the agent | equity and points |
| `cards` | from elder's first lead, after given declarations | the agent the cards, a reference the rest | same |
| `exchange` | one deal at given totals | the agent the exchange, a reference the rest | same |

Every board is played twice with the seats exchanged. The opponents, and the reference that decides the rest for both
seats, are listed in agents/data/suite/opponents.json.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from agents.arena import MatchResult, play_match
from agents.base import Agent
from agents.boards import Boards
from agents.registry import make_agent
from agents.statistics import MeanInterval, mean_interval, pair_means
from agents.workers import Workers
from piquet_env.rules.variants import Rules

from .cross_table import pairings
from .identity import identity, sources_hash, version
from .partly import partly
from .store import MatchStore
from .suite_blocks import FOLDER, SuiteBlock

OPPONENTS = "opponents.json"
SEED = 1  # of the agents' own luck; the cards are those of the block
PAIRS_AT_ONCE = 10  # a block of the store: small enough that slow agents share one out, and lose little by an end


class SuiteSet(NamedTuple):
    """A set: its name, the boards of a block that it takes, and the part that agents decide (None: everything)."""

    name: str
    boards: str
    part: str | None = None

    @property
    def is_of_deals(self) -> bool:
        """Whether a board is a single deal."""
        return self.boards != "parties"


SETS = {
    found.name: found
    for found in (
        SuiteSet("partie", "parties"),
        SuiteSet("deal", "deals"),
        SuiteSet("cards", "plays", "cards"),
        SuiteSet("exchange", "deals", "exchange"),
    )
}


class Opponent(NamedTuple):
    """A frozen opponent, and how many parties are played against it, or single deals."""

    spec: str
    parties: int


class Suite(NamedTuple):
    """What all matches of the suite have in common."""

    number: int
    rules: Rules
    reference: str
    opponents: tuple[Opponent, ...]


@functools.cache
def read_suite(folder: Path = FOLDER) -> Suite:
    """Return the suite's opponents and reference; ValueError where the file cannot be read."""
    path = folder / OPPONENTS
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        opponents = tuple(Opponent(str(entry["spec"]), int(entry["parties"])) for entry in content["opponents"])
        return Suite(int(content["suite"]), Rules.of(content["rules"]), str(content["reference"]), opponents)
    except OSError as error:
        raise ValueError(f"the suite's opponents {path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no list of opponents") from None


def pairs_of(suite: Suite) -> list[tuple[Opponent, Opponent]]:
    """Return who meets whom in the cross-table of the opponents."""
    return [(suite.opponents[i], suite.opponents[j]) for i, j in pairings(len(suite.opponents))]


def find_set(name: str) -> SuiteSet:
    """Return a set by name; ValueError for another name."""
    if name not in SETS:
        raise ValueError(f"unknown set {name!r}; the sets are {', '.join(SETS)}")
    return SETS[name]


def boards_of(found: SuiteSet, block: SuiteBlock) -> Boards:
    """Return the boards of a set in a block."""
    boards: Boards = getattr(block, found.boards)
    return boards


def seat_agent(spec: str, found: SuiteSet, suite: Suite) -> Agent | str:
    """Return the agent of a spec as it plays a set; AgentError for one that cannot be made."""
    if found.part is not None:
        return partly(spec, suite.reference, found.part, suite.rules)
    make_agent(spec, suite.rules)
    return spec


def match_facts(a: str, b: str, found: SuiteSet, block: SuiteBlock, suite: Suite) -> dict[str, Any]:
    """Return everything on which the figures of a match depend."""
    return {
        "a": identity(a),
        "b": identity(b),
        "suite": suite.number,
        "set": found.name,
        "block": block.name,
        "block_sha256": block.sha256,
        "reference": None if found.part is None else identity(suite.reference),
        "rules": str(suite.rules),
        "rules_hash": suite.rules.hash,
        "seed": SEED,
        "version": version(),
        "sources_hash": sources_hash(),
    }


def play_suite_match(
    a: str,
    b: str,
    found: SuiteSet,
    block: SuiteBlock,
    suite: Suite,
    *,
    parties: int,
    workers: Workers,
    store: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play a match of a set.

    a, b:    specs
    parties: single parties (or deals), rounded up to pairs; at most two a board
    store:   where played pairs are kept, and looked for before
    Raises what `agents.arena.play_match` raises.
    """
    boards = boards_of(found, block)
    players = seat_agent(a, found, suite), seat_agent(b, found, suite)
    return play_match(
        *players,
        suite.rules,
        parties=planned(parties, boards),
        seed=SEED,
        pairs_at_once=PAIRS_AT_ONCE,
        boards=boards,
        store=None if store is None else MatchStore(store, match_facts(a, b, found, block, suite)),
        workers=workers,
        progress=progress,
    )


def planned(parties: int, boards: Boards) -> int:
    """Return how many parties are played: an even number, at most two a board."""
    return min(parties + parties % 2, 2 * len(boards))


def points_of(match: MatchResult) -> MeanInterval:
    """Return by how many points a deal A is ahead of B, with its interval over pairs, in a match of single deals.

    A deal that was lost by a failure counts what it costs, as in the settlement.
    """
    records = match.records
    points = (records["elder_points"] + records["younger_points"]).astype(float)
    ahead = points[:, 0] - points[:, 1]
    failed = records["failed"].any(axis=1)
    ahead[failed] = records["settlement"][failed]
    halves = ahead.reshape(-1, 2)
    return mean_interval(pair_means(halves[:, 0], halves[:, 1]))
