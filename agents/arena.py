"""The arena: matches of two agents over duplicate parties. It prints nothing.

A *pair* is two parties over the same decks: agent A sits in seat 0 in the first *half* and in seat 1 in the second, and
the first dealer is the same seat in both, so each agent plays both sides of the same cards. The pair is the unit of
statistics.

The seed of an agent's partie comes from the match's seed, the pair and the seat, so both halves have the same luck. The
pairs are played in blocks that are the same for any number of workers, so a result depends neither on the order of the
parties nor on who plays them. Two agents that decide alike draw every pair.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.variants import Rules

from .base import Agent, AgentError
from .boards import Boards
from .evaluation.sprt import LOOK_PAIRS, Sprt
from .pairs import Block, Failure, Players, can_batch, deck_seed, make_players
from .statistics import MeanInterval, OutcomeShares, mean_interval, outcome_shares, pair_means
from .workers import BlockStore, Task, Workers, play_block

PAIRS_AT_ONCE = 128  # the blocks of agents that play side by side
TASKS_AHEAD = 4  # a worker


@dataclass(frozen=True)
class MatchResult:
    """A match: agents by name, rules, seed, and one record a partie (PARTIE_DTYPE), in order of pairs.

    sprt: the sequential test that could end it
    Figures by agent are pairs of numbers, A's first; None where nothing was counted.
    """

    a: str
    b: str
    rules: Rules
    seed: int
    records: np.ndarray
    failures: tuple[Failure, ...] = ()
    seconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    sprt: Sprt | None = None

    @property
    def parties(self) -> int:
        """Parties played."""
        return len(self.records)

    @property
    def pair_means(self) -> npt.NDArray[np.float64]:
        """A's mean settlement of each pair."""
        return _means_of(self.records)

    @property
    def settlement(self) -> MeanInterval:
        """A's mean settlement a partie with its 95 % interval, over the means of pairs."""
        return mean_interval(self.pair_means)

    @property
    def outcomes(self) -> OutcomeShares:
        """Shares of parties that A won, drew and lost."""
        return outcome_shares(self.records["settlement"])

    @property
    def deals(self) -> int:
        """Deals ended."""
        return int(self.records["deals"].sum())

    def share_of_parties(self, name: str) -> tuple[float | None, float | None]:
        """Return the share of parties with a mark, by agent."""
        return _ratios(self.records[name].sum(axis=0), self.parties)

    def share_of_deals(self, name: str) -> tuple[float | None, float | None]:
        """Return a count a deal, by agent."""
        return _ratios(self.records[name].sum(axis=0), self.deals)

    @property
    def deal_points(self) -> tuple[float | None, float | None]:
        """Mean points a deal."""
        points = self.records["elder_points"] + self.records["younger_points"]
        return _ratios(points.sum(axis=0), self.deals)

    @property
    def elder_points(self) -> tuple[float | None, float | None]:
        """Mean points of the deals in which the agent was elder."""
        return _ratios(self.records["elder_points"].sum(axis=0), self.records["elder_deals"].sum(axis=0))

    @property
    def younger_points(self) -> tuple[float | None, float | None]:
        """Mean points of the deals in which the agent was younger."""
        return _ratios(self.records["younger_points"].sum(axis=0), self.records["elder_deals"].sum(axis=0)[::-1])

    @property
    def class_points(self) -> npt.NDArray[np.float64]:
        """Mean points a deal by agent, role of the agent in it and class of score: float64[2, 2, classes]."""
        elder = self.records["elder_deals"].sum(axis=0)
        deals = np.stack([elder, elder[::-1]], axis=1)  # each deal has one elder
        points = self.records["class_points"].sum(axis=0, dtype=np.int64)
        return np.asarray(points / np.maximum(deals, 1)[:, :, None], dtype=np.float64)

    @property
    def score_bins(self) -> npt.NDArray[np.int64]:
        """Deals by agent, role and score in bins of ten points: int64[2, 2, bins]."""
        return np.asarray(self.records["score_bins"].sum(axis=0, dtype=np.int64))

    @property
    def seconds_per_decision(self) -> tuple[float | None, float | None]:
        """Mean seconds that a decision took."""
        return _ratios(np.array(self.seconds), self.records["decisions"].sum(axis=0))

    @property
    def illegal_or_crashed(self) -> tuple[int, int]:
        """Parties lost by a crash, an illegal action or slowness."""
        first, second = self.records["failed"].sum(axis=0).tolist()
        return first, second


class MatchInterrupted(KeyboardInterrupt):
    """Raised for an interrupt in a match; `result` holds the pairs played before it, None if there are none."""

    def __init__(self, result: MatchResult | None) -> None:
        super().__init__("the match was interrupted")
        self.result = result


def play_match(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str = "rubicon",
    *,
    parties: int = 100,
    seed: int = 1,
    jobs: int = 1,
    sprt: Sprt | None = None,
    limit: float | None = None,
    pairs_at_once: int | None = None,
    boards: Boards | None = None,
    store: BlockStore | None = None,
    workers: Workers | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play duplicate parties of two agents and return what came of them.

    a, b:          agents, or their specs (see agents/registry.py)
    parties:       single parties, rounded up to whole pairs; the most of them, with `sprt`
    seed:          of decks and agents
    jobs:          worker processes; with more than one, agents must be specs or picklable
    sprt:          a sequential test that ends the match as soon as it decides
    limit:         mean seconds that an agent's decisions of a partie may take; None leaves time alone
    pairs_at_once: pairs played side by side where both agents can; a matter of speed and memory alone
    boards:        where the pairs begin, in place of decks of the seed; they must be as many as the pairs, or more
    store:         where blocks of pairs are kept as soon as they are played, and looked for before
    workers:       processes to use instead of `jobs` new ones
    progress:      called with the number of parties played so far
    Raises AgentError for an agent that cannot be made, ValueError for rules or numbers that cannot be, and
    MatchInterrupted, a KeyboardInterrupt that carries the pairs played so far.
    """
    rules = Rules.of(rules)
    if parties < 1 or jobs < 1:
        raise ValueError(f"a match needs at least one partie and one job, not {parties} and {jobs}")
    if boards is not None and len(boards) < (parties + 1) // 2:
        raise ValueError(f"{len(boards)} boards are not enough for {parties} parties, two of them on each")
    if boards is not None and boards.decks.shape[-1] != rules.pack:
        raise ValueError(f"these boards have {boards.decks.shape[-1]} cards, and the rules '{rules}' {rules.pack}")
    if workers is None:
        with Workers(jobs) as own:
            return play_match(
                a,
                b,
                rules,
                parties=parties,
                seed=seed,
                sprt=sprt,
                limit=limit,
                pairs_at_once=pairs_at_once,
                boards=boards,
                store=store,
                workers=own,
                progress=progress,
            )
    task = Task((a, b), rules, seed, limit, store, boards)
    players = make_players(task.specs, rules)
    match = _Match(task, sprt)
    try:
        for block in _play_blocks(players, task, split_pairs(players, parties, pairs_at_once), workers):
            stopped = match.add(block)
            if progress is not None:
                progress(match.parties)
            if stopped:
                break
    except KeyboardInterrupt:
        workers.kill()
        raise MatchInterrupted(match.result() if match.parties else None) from None
    except BrokenProcessPool:
        workers.close()
        raise AgentError(
            f"a worker process ended in the middle of {match.names[0]} v {match.names[1]}: "
            "an agent ended it, or memory ran out"
        ) from None
    return match.result()


def split_pairs(players: Players, parties: int, pairs_at_once: int | None = None) -> list[range]:
    """Return the blocks of a match: single pairs where parties are played singly, so that little is waited for."""
    pairs = (parties + 1) // 2
    size = (pairs_at_once or PAIRS_AT_ONCE) if can_batch(players) else 1
    return [range(start, min(start + size, pairs)) for start in range(0, pairs, size)]


def decks_hash(rules: Rules, seed: int, parties: int) -> str:
    """Return a digest of a match's decks: of each pair the cut and the first `rules.deals` deals; 16 hex digits."""
    digest = hashlib.sha256()
    for pair in range((parties + 1) // 2):
        for deal in range(rules.deals + 1):
            digest.update(deck_of(deck_seed(seed), pair, deal, rules.pack).tobytes())
    return digest.hexdigest()[:16]


class _Match:
    """A match being played: its blocks, in the order of the decks, up to where its test stops it."""

    def __init__(self, task: Task, sprt: Sprt | None) -> None:
        self.task = task
        self.names = tuple(spec if isinstance(spec, str) else spec.name for spec in task.specs)
        self.sprt = sprt
        self.blocks: list[Block] = []
        self.parties = 0
        self.stop: int | None = None
        self._means: list[float] = []  # of the pairs
        self._looked = 0

    def add(self, block: Block) -> bool:
        """Add the next block; return whether the test has come to its end."""
        self.blocks.append(block)
        self.parties += len(block.records)
        if self.sprt is not None:
            self._means += _means_of(block.records).tolist()
            self.stop = self.sprt.find_stop(self._means, self._looked)
            self._looked = len(self._means) - len(self._means) % LOOK_PAIRS
        return self.stop is not None

    def result(self) -> MatchResult:
        """Return the match as far as it has been played."""
        records = np.concatenate([block.records for block in self.blocks])
        pairs = len(records) // 2 if self.stop is None else self.stop
        failures = tuple(failure for block in self.blocks for failure in block.failures if failure.pair < pairs)
        first, second = np.sum([block.seconds for block in self.blocks], axis=0).tolist()
        a, b = self.names
        return MatchResult(
            a, b, self.task.rules, self.task.seed, records[: 2 * pairs], failures, (first, second), self.sprt
        )


def _play_blocks(players: Players, task: Task, blocks: list[range], workers: Workers) -> Iterator[Block]:
    """Yield what the blocks gave, in their order: from the store, or played here or by workers."""
    if workers.jobs == 1 or len(blocks) == 1:
        for pairs in blocks:
            yield _read(task, pairs) or play_block(players, task, pairs)
        return
    # A few blocks ahead of the one that is waited for: all at once would be millions of tasks in a long match.
    ahead: deque[Callable[[], Block]] = deque()
    remaining = iter(blocks)
    tasks = []
    try:
        while True:
            for pairs in itertools.islice(remaining, TASKS_AHEAD * workers.jobs - len(ahead)):
                stored = _read(task, pairs)
                if stored is None:
                    tasks.append(workers.submit(task, pairs))
                    ahead.append(tasks[-1].result)
                else:
                    ahead.append(lambda stored=stored: stored)  # type: ignore[misc]
            if not ahead:
                return
            yield ahead.popleft()()
    finally:
        for future in tasks:
            future.cancel()


def _read(task: Task, pairs: range) -> Block | None:
    return None if task.store is None else task.store.read(pairs)


def _means_of(records: np.ndarray) -> npt.NDArray[np.float64]:
    """Return A's mean settlement of each pair."""
    halves = records["settlement"].reshape(-1, 2)
    return pair_means(halves[:, 0], halves[:, 1])


def _ratios(counts: np.ndarray, whole: Any) -> tuple[float | None, float | None]:
    """Return counts over a whole, by agent; None where the whole is nothing."""
    wholes = np.broadcast_to(np.asarray(whole), 2)
    first, second = (float(count / by) if by else None for count, by in zip(counts, wholes, strict=True))
    return first, second
