"""The arena: matches of two agents over duplicate parties. It prints nothing.

A *pair* is two parties over the same decks: agent A sits in seat 0 in the first *half* and in seat 1 in the second, and
the first dealer is the same seat in both, so each agent plays both sides of the same cards. The pair is the unit of
statistics.

The seed of an agent's partie comes from the match's seed, the pair and the seat, so both halves have the same luck, and
a result depends neither on the order of the parties, nor on how many are played at once, nor on the number of workers.
Two agents that decide alike draw every pair.

Agents with `act_batch` play many parties in lock-step; if either has none, parties are played one at a time. An agent
that raises an exception or returns an illegal action loses its partie at once, and it is kept as a `Failure`.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import multiprocessing
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rewards import ILLEGAL_POINTS
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

from .base import Actions, Agent, AgentError, View
from .lockstep import TALLY_FIELDS, Lockstep, Rows
from .registry import make_agent
from .statistics import MeanInterval, OutcomeShares, mean_interval, outcome_shares, pair_means
from .streams import Streams

# What a partie costs that is lost by a crash or an illegal action: the environment's own reward for an illegal action,
# more than a partie lost by play costs, so that it can never pay to fail.
FAILURE_SETTLEMENT = ILLEGAL_POINTS
CRASHES = (Exception, SystemExit)  # an agent that ends the interpreter has crashed, too; Ctrl-C is the user's
EVALUATION_SEEDS = 1 << 62  # matches use the seeds from here on

PAIRS_AT_ONCE = 128
TASKS_AHEAD = 4  # a worker

# One record a partie. Fields of two entries go by agent (A, B).
PARTIE_DTYPE = np.dtype(
    [
        ("pair", np.int64),
        ("half", np.int64),
        ("settlement", np.float64),  # of agent A
        ("deals", np.int64),  # ended deals
        ("rubicon", np.bool_, (2,)),  # lost below the line
        ("failed", np.bool_, (2,)),
        ("decisions", np.int64, (2,)),
        *[(name, np.int64, (2,)) for name in TALLY_FIELDS],
    ]
)


class Failure(NamedTuple):
    """A partie that an agent lost by a crash or an illegal action.

    agent: 0 for A, 1 for B
    error: what went wrong, in one line
    trace: the traceback of the agent's exception; empty for an illegal action
    deal:  the partie as text, to the position in which it happened
    """

    pair: int
    half: int
    agent: int
    error: str
    trace: str
    deal: str


class Block(NamedTuple):
    """What playing some pairs gave: records (PARTIE_DTYPE), failures, and seconds of thought by agent."""

    records: np.ndarray
    failures: list[Failure]
    seconds: npt.NDArray[np.float64]


@dataclass(frozen=True)
class MatchResult:
    """A match: agents by name, rules, seed, and one record a partie (PARTIE_DTYPE), in order of pairs.

    Figures by agent are pairs of numbers, A's first; None where nothing was counted.
    """

    a: str
    b: str
    rules: Rules
    seed: int
    records: np.ndarray
    failures: tuple[Failure, ...] = ()
    seconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)

    @property
    def parties(self) -> int:
        """Parties played."""
        return len(self.records)

    @property
    def settlement(self) -> MeanInterval:
        """A's mean settlement a partie with its 95 % interval, over the means of pairs."""
        halves = self.records["settlement"].reshape(-1, 2)
        return mean_interval(pair_means(halves[:, 0], halves[:, 1]))

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
    def seconds_per_decision(self) -> tuple[float | None, float | None]:
        """Mean seconds that a decision took."""
        return _ratios(np.array(self.seconds), self.records["decisions"].sum(axis=0))

    @property
    def illegal_or_crashed(self) -> tuple[int, int]:
        """Parties lost by a crash or an illegal action."""
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
    pairs_at_once: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play duplicate parties of two agents and return what came of them.

    a, b:          agents, or their specs (see agents/registry.py)
    parties:       single parties, rounded up to whole pairs
    seed:          of decks and agents
    jobs:          worker processes; with more than one, agents must be specs or picklable
    pairs_at_once: pairs played side by side where both agents can; a matter of speed and memory alone
    progress:      called with the number of parties played so far
    Raises AgentError for an agent that cannot be made, ValueError for rules or numbers that cannot be, and
    MatchInterrupted, a KeyboardInterrupt that carries the pairs played so far.
    """
    rules = Rules.of(rules)
    if parties < 1 or jobs < 1:
        raise ValueError(f"a match needs at least one partie and one job, not {parties} and {jobs}")
    players = _make_players(a, b, rules)
    names = tuple(spec if isinstance(spec, str) else spec.name for spec in (a, b))
    pairs = (parties + 1) // 2
    size = _block_size(players, pairs, jobs, pairs_at_once)
    blocks = [range(start, min(start + size, pairs)) for start in range(0, pairs, size)]
    played: list[Block] = []
    try:
        for block in _play_blocks(players, (a, b), rules, seed, blocks, jobs):
            played.append(block)
            if progress is not None:
                progress(sum(len(block.records) for block in played))
    except KeyboardInterrupt:
        raise MatchInterrupted(_join(names, rules, seed, played) if played else None) from None
    except BrokenProcessPool:
        raise AgentError(
            f"a worker process ended in the middle of {names[0]} v {names[1]}: an agent ended it, or memory ran out"
        ) from None
    return _join(names, rules, seed, played)


def decks_hash(rules: Rules, seed: int, parties: int) -> str:
    """Return a digest of a match's decks: of each pair the cut and the first `rules.deals` deals; 16 hex digits."""
    digest = hashlib.sha256()
    for pair in range((parties + 1) // 2):
        for deal in range(rules.deals + 1):
            digest.update(deck_of(deck_seed(seed), pair, deal, rules.pack).tobytes())
    return digest.hexdigest()[:16]


def deck_seed(seed: int) -> int:
    """Return the seed of the decks of a match: far above the seeds that people train with."""
    return EVALUATION_SEEDS + seed


def agent_seed(seed: int, pair: int, seat: int) -> int:
    """Return the seed with which an agent in `seat` begins the parties of a pair, from 0 to 2**63 - 1."""
    return int(np.random.SeedSequence([seed, pair, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


# -- blocks of pairs, here or in workers ------------------------------------------------------------------------------


def _make_players(a: Agent | str, b: Agent | str, rules: Rules) -> tuple[Agent, Agent]:
    """Return the two agents, which never are one object: each keeps its own memory."""
    players = [make_agent(spec, rules) if isinstance(spec, str) else spec for spec in (a, b)]
    for player in players:
        if not isinstance(player, Agent):
            raise AgentError(f"{player!r} is not an agent: it must derive from agents.base.Agent")
    return players[0], copy.deepcopy(players[1]) if players[1] is players[0] else players[1]


def _can_batch(players: tuple[Agent, Agent]) -> bool:
    return all(callable(getattr(player, "act_batch", None)) for player in players)


def _block_size(players: tuple[Agent, Agent], pairs: int, jobs: int, pairs_at_once: int | None) -> int:
    """Return how many pairs make a block: one where parties are played singly, so that little is lost or waited for."""
    if not _can_batch(players):
        return 1
    return pairs_at_once or max(1, min(PAIRS_AT_ONCE, -(-pairs // jobs)))


def _play_blocks(
    players: tuple[Agent, Agent],
    specs: tuple[Agent | str, Agent | str],
    rules: Rules,
    seed: int,
    blocks: list[range],
    jobs: int,
) -> Iterator[Block]:
    """Yield what the blocks gave, in their order."""
    if jobs == 1 or len(blocks) == 1:
        for pairs in blocks:
            yield play_pairs(players, rules, seed, pairs)
        return
    # Fresh interpreters: a fork of a process with threads, such as one that has used torch, can hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(blocks)), context, _start_worker, (specs, rules, seed))
    remaining = iter(blocks)
    # A few blocks ahead of the one that is waited for: all at once would be millions of tasks in a long match.
    tasks = deque(pool.submit(_play_in_worker, pairs) for pairs in itertools.islice(remaining, TASKS_AHEAD * jobs))
    try:
        while tasks:
            yield tasks.popleft().result()
            tasks.extend(pool.submit(_play_in_worker, pairs) for pairs in itertools.islice(remaining, 1))
    finally:
        pool.shutdown(cancel_futures=True)


_worker: tuple[tuple[Agent, Agent], Rules, int] | None = None


def _start_worker(specs: tuple[Agent | str, Agent | str], rules: Rules, seed: int) -> None:
    """Make the agents of a worker process. Interrupts are the parent's affair."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker = (_make_players(*specs, rules), rules, seed)


def _play_in_worker(pairs: range) -> Block:
    assert _worker is not None, "the pool starts its workers with _start_worker"
    return play_pairs(*_worker, pairs)


def _join(names: tuple[str, ...], rules: Rules, seed: int, blocks: list[Block]) -> MatchResult:
    records = np.concatenate([block.records for block in blocks])
    failures = tuple(failure for block in blocks for failure in block.failures)
    thought = np.sum([block.seconds for block in blocks], axis=0).tolist()
    return MatchResult(names[0], names[1], rules, seed, records, failures, (thought[0], thought[1]))


# -- the parties of a block -------------------------------------------------------------------------------------------


def play_pairs(players: tuple[Agent, Agent], rules: Rules, seed: int, pairs: range) -> Block:
    """Play both halves of some pairs in this process: in lock-step where both agents can, else one at a time."""
    halves = [(pair, half) for pair in pairs for half in range(2)]
    if _can_batch(players):
        for player in players:
            player.reset(agent_seed(seed, pairs.start, 0))
        return _Table(players, rules, seed, halves, batched=True).play()
    singles = [_Table(players, rules, seed, [half], batched=False).play() for half in halves]
    return Block(
        np.concatenate([single.records for single in singles]),
        [failure for single in singles for failure in single.failures],
        np.sum([single.seconds for single in singles], axis=0),
    )


class _Table:
    """Some parties being played side by side: the rows of a Lockstep, and whose turn it is in each."""

    def __init__(
        self,
        players: tuple[Agent, Agent],
        rules: Rules,
        seed: int,
        halves: list[tuple[int, int]],
        *,
        batched: bool,
    ) -> None:
        self.players = players
        self.batched = batched
        self.games = Lockstep(rules, deck_seed(seed), [pair for pair, _ in halves])
        self.records = np.zeros(len(halves), dtype=PARTIE_DTYPE)
        self.records["pair"] = [pair for pair, _ in halves]
        self.records["half"] = self.half = np.array([half for _, half in halves])
        self.failures: list[Failure] = []
        self.seconds = np.zeros(2)
        self.open = np.ones(len(halves), dtype=np.bool_)
        self.seeds = [[agent_seed(seed, pair, seat) for seat in range(2)] for pair, _ in halves]
        self.streams = Streams(np.array(self.seeds, dtype=np.uint64).ravel())  # row and seat at 2 * row + seat

    def play(self) -> Block:
        """Play all parties to their end."""
        if not self.batched:
            self._reset()
        while self.open.any():
            for agent in range(2):
                rows = np.flatnonzero(self.open & (self.games.to_act == self._seats(agent)))
                if len(rows):
                    self._decide(agent, rows)
        self.failures.sort(key=lambda failure: failure[:2])
        return Block(self.records, self.failures, self.seconds)

    def _seats(self, agent: int) -> Rows:
        """Return the seat of an agent, by row."""
        return self.half if agent == 0 else 1 - self.half

    def _reset(self) -> None:
        """Begin the one partie of a table that is not batched."""
        for agent, player in enumerate(self.players):
            try:
                player.reset(self.seeds[0][int(self._seats(agent)[0])])
            except CRASHES as error:  # whatever a user's agent raises loses its partie
                self._fail(0, agent, error)
                return

    def _decide(self, agent: int, rows: Rows) -> None:
        """Let an agent act in the rows that wait for it, and settle what comes to an end."""
        observations, masks = self.games.observe(rows)
        began = time.perf_counter()
        actions = self._ask(agent, rows, observations, masks)
        self.seconds[agent] += time.perf_counter() - began
        self.records["decisions"][rows, agent] += 1
        rows, actions = rows[self.open[rows]], actions[self.open[rows]]
        legal = self.games.apply(rows, actions)
        for row, action in zip(rows[~legal].tolist(), actions[~legal].tolist(), strict=True):
            self._fail(row, agent, f"action {action} is not legal")
        for row in rows[legal & (self.games.to_act[rows] == NOBODY)].tolist():
            self._settle(row)

    def _ask(self, agent: int, rows: Rows, observations: np.ndarray, masks: np.ndarray) -> Actions:
        """Return the agent's actions; rows in which it raises are lost and closed."""
        if self.batched:
            streams = self.streams.rows(2 * rows + self._seats(agent)[rows])
            saved = streams.save()
            try:
                return self._act_batch(agent, observations, masks, streams)
            except CRASHES:  # row by row it is found which parties the agent loses
                streams.restore(saved)
        actions = np.full(len(rows), -1, dtype=np.int64)
        for place, row in enumerate(rows.tolist()):
            alone = slice(place, place + 1)
            try:
                if self.batched:
                    one = self.streams.rows(2 * rows[alone] + self._seats(agent)[rows[alone]])
                    actions[place] = self._act_batch(agent, observations[alone], masks[alone], one)[0]
                else:
                    view = View(observations[place], masks[place], self.games.rules)
                    actions[place] = _whole_number(self.players[agent].act(view))
            except CRASHES as error:  # whatever a user's agent raises loses its partie
                self._fail(row, agent, error)
        return actions

    def _act_batch(self, agent: int, observations: np.ndarray, masks: np.ndarray, streams: Streams) -> Actions:
        """Return what `act_batch` says, checked: one whole number a row."""
        player: Any = self.players[agent]
        actions = np.asarray(player.act_batch(observations, masks, streams))
        if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
            raise AgentError(
                f"act_batch must return {len(masks)} whole numbers, not {actions.dtype} of shape {actions.shape}"
            )
        return actions.astype(np.int64)

    def _settle(self, row: int) -> None:
        """Enter a partie that was played to its end."""
        seat = int(self.half[row])  # A's
        settlement = self.games.settlement(row)
        self.records["settlement"][row] = settlement if seat == 0 else -settlement
        self._close(row)
        self.records["rubicon"][row] = self._by_agent(row, np.array(self.games.below_the_line(row)))

    def _fail(self, row: int, agent: int, error: BaseException | str) -> None:
        """Enter a partie that an agent lost by a crash or an illegal action."""
        trace = ""
        if not isinstance(error, str):
            error, trace = _describe(error)
        self.records["settlement"][row] = FAILURE_SETTLEMENT if agent == 0 else -FAILURE_SETTLEMENT
        self.records["failed"][row, agent] = True
        self._close(row)
        pair, half = self.records[["pair", "half"]][row].tolist()
        self.failures.append(Failure(pair, half, agent, error, trace, str(self.games.game(row))))

    def _close(self, row: int) -> None:
        """Enter the figures of the deals that ended, and stop playing the row."""
        self.open[row] = False
        tally = self.games.tallies[row]
        for name in TALLY_FIELDS:
            self.records[name][row] = self._by_agent(row, tally[name])
        self.records["deals"][row] = tally["elder_deals"].sum()

    def _by_agent(self, row: int, by_seat: np.ndarray) -> np.ndarray:
        return by_seat[::-1] if self.half[row] else by_seat


def _describe(error: BaseException) -> tuple[str, str]:
    """Return what an agent raised, in one line and with its trace; an exception that cannot be shown loses neither."""
    name = type(error).__name__
    try:
        return f"{name}: {error}", "".join(traceback.format_exception(error))
    except CRASHES:
        return f"{name}, which cannot be shown as text", ""


def _whole_number(action: Any) -> int:
    """Return an action that an agent returned; AgentError for what is no whole number."""
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        raise AgentError(f"act must return a whole number, not {action!r}")
    if not -(2**62) < action < 2**62:
        raise AgentError(f"action {action} is far outside the table of actions")
    return int(action)


def _ratios(counts: np.ndarray, whole: Any) -> tuple[float | None, float | None]:
    """Return counts over a whole, by agent; None where the whole is nothing."""
    wholes = np.broadcast_to(np.asarray(whole), 2)
    first, second = (float(count / by) if by else None for count, by in zip(counts, wholes, strict=True))
    return first, second
