"""Playing duplicate pairs of parties in this process, and what comes of them: a `Block`.

Agents with `act_batch` play many parties in lock-step; if either has none, parties are played one at a time. An agent
that raises an exception, returns an illegal action or thinks for too long loses its partie at once, and it is kept as a
`Failure`.
"""

from __future__ import annotations

import copy
import time
import traceback
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rewards import ILLEGAL_POINTS
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

from .base import Actions, Agent, AgentError, View
from .boards import Boards
from .lockstep import TALLY_FIELDS, Lockstep, Rows
from .registry import make_agent
from .streams import Streams

Players = tuple[Agent, Agent]
Specs = tuple[Agent | str, Agent | str]

# What a partie costs that is lost by a crash or an illegal action: the environment's own reward for an illegal action,
# more than a partie lost by play costs, so that it can never pay to fail.
FAILURE_SETTLEMENT = ILLEGAL_POINTS
FREE_DECISIONS = 100  # a limit on thought is reckoned as if so many more had been made: kernels compile at the first
CRASHES = (Exception, SystemExit)  # an agent that ends the interpreter has crashed, too; Ctrl-C is the user's
EVALUATION_SEEDS = 1 << 62  # matches use the seeds from here on

# One record a partie. The first index of a field goes by agent (A, B).
PARTIE_DTYPE = np.dtype(
    [
        ("pair", np.int64),
        ("half", np.int64),
        ("settlement", np.float64),  # of agent A
        ("deals", np.int64),  # ended deals
        ("rubicon", np.bool_, (2,)),  # lost below the line
        ("failed", np.bool_, (2,)),
        ("decisions", np.int64, (2,)),
        *TALLY_FIELDS,
    ]
)


class Failure(NamedTuple):
    """A partie that an agent lost by a crash, an illegal action or slowness.

    agent: 0 for A, 1 for B
    error: what went wrong, in one line
    trace: the traceback of the agent's exception; empty where there is none
    deal:  the partie as text, to the position in which it happened
    """

    pair: int
    half: int
    agent: int
    error: str
    trace: str
    deal: str


class Block(NamedTuple):
    """What playing some pairs gave.

    records:  PARTIE_DTYPE, one a partie
    failures: by pair and half
    seconds:  float64[2], of thought by agent
    """

    records: np.ndarray
    failures: list[Failure]
    seconds: npt.NDArray[np.float64]


def make_players(specs: Specs, rules: Rules) -> Players:
    """Return the two agents, which never are one object: each keeps its own memory."""
    players = [make_agent(spec, rules) if isinstance(spec, str) else spec for spec in specs]
    for player in players:
        if not isinstance(player, Agent):
            raise AgentError(f"{player!r} is not an agent: it must derive from agents.base.Agent")
    return players[0], copy.deepcopy(players[1]) if players[1] is players[0] else players[1]


def can_batch(players: Players) -> bool:
    """Return whether both agents can play many parties side by side."""
    return all(callable(getattr(player, "act_batch", None)) for player in players)


def deck_seed(seed: int) -> int:
    """Return the seed of the decks of a match: far above the seeds that people train with."""
    return EVALUATION_SEEDS + seed


def agent_seed(seed: int, pair: int, seat: int) -> int:
    """Return the seed with which an agent in `seat` begins the parties of a pair, from 0 to 2**63 - 1."""
    return int(np.random.SeedSequence([seed, pair, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def play_pairs(
    players: Players,
    rules: Rules,
    seed: int,
    pairs: range,
    limit: float | None = None,
    boards: Boards | None = None,
) -> Block:
    """Play both halves of some pairs in this process: in lock-step where both agents can, else one at a time.

    limit:  mean seconds that an agent's decisions of a partie may take
    boards: where the pairs begin; None: at nothing, with the decks of the seed
    """
    halves = [(pair, half) for pair in pairs for half in range(2)]
    tables = play_parties(players, rules, seed, halves, limit=limit, boards=boards)
    return Block(
        np.concatenate([table.records for table in tables]),
        [failure for table in tables for failure in table.failures],
        np.sum([table.seconds for table in tables], axis=0),
    )


def play_parties(
    players: Players,
    rules: Rules,
    seed: int,
    halves: list[tuple[int, int]],
    *,
    limit: float | None = None,
    boards: Boards | None = None,
    count_deals: bool = False,
) -> list[Table]:
    """Play parties, given by pair and half, and return the tables at which they were played, in their order."""
    batched = can_batch(players)
    if batched:
        for player in players:
            player.reset(agent_seed(seed, halves[0][0], 0))
    tables = []
    for sat in [halves] if batched else [[half] for half in halves]:
        table = Table(players, rules, seed, sat, batched=batched, limit=limit, boards=boards, count_deals=count_deals)
        table.play()
        tables.append(table)
    return tables


class Table:
    """Some parties being played side by side: the rows of a Lockstep, and whose turn it is in each.

    halves: (pair, half) of each; batched: whether both agents' `act_batch` is asked, else there is one partie
    games, records, failures, seconds: what is played, and what has come of it
    """

    def __init__(
        self,
        players: Players,
        rules: Rules,
        seed: int,
        halves: list[tuple[int, int]],
        *,
        batched: bool,
        limit: float | None = None,
        boards: Boards | None = None,
        count_deals: bool = False,
    ) -> None:
        self.players = players
        self.batched = batched
        self.limit = limit
        self.thought = np.zeros((len(halves), 2))  # seconds, by agent
        parties = [pair for pair, _ in halves]
        self.games = Lockstep(rules, deck_seed(seed), parties, boards=boards, count_deals=count_deals)
        self.records = np.zeros(len(halves), dtype=PARTIE_DTYPE)
        self.records["pair"] = [pair for pair, _ in halves]
        self.records["half"] = self.half = np.array([half for _, half in halves])
        self.failures: list[Failure] = []
        self.open = np.ones(len(halves), dtype=np.bool_)
        self.seeds = [[agent_seed(seed, pair, seat) for seat in range(2)] for pair, _ in halves]
        self.streams = Streams(np.array(self.seeds, dtype=np.uint64).ravel())  # row and seat at 2 * row + seat

    @property
    def seconds(self) -> npt.NDArray[np.float64]:
        """Seconds of thought, by agent."""
        return np.asarray(self.thought.sum(axis=0), dtype=np.float64)

    def play(self) -> None:
        """Play all parties to their end."""
        if not self.batched:
            self._reset()
        while self.open.any():
            for agent in range(2):
                rows = np.flatnonzero(self.open & (self.games.to_act == self._seats(agent)))
                if len(rows):
                    self._decide(agent, rows)
        self.failures.sort(key=lambda failure: failure[:2])

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
        self.thought[rows, agent] += (time.perf_counter() - began) / len(rows)
        self.records["decisions"][rows, agent] += 1
        self._check_time(agent, rows)
        rows, actions = rows[self.open[rows]], actions[self.open[rows]]
        legal = self.games.apply(rows, actions)
        for row, action in zip(rows[~legal].tolist(), actions[~legal].tolist(), strict=True):
            self._fail(row, agent, f"action {action} is not legal")
        for row in rows[legal & (self.games.to_act[rows] == NOBODY)].tolist():
            self._settle(row)

    def _check_time(self, agent: int, rows: Rows) -> None:
        """Close the parties in which an agent has thought for too long."""
        if self.limit is None:
            return
        allowed = self.limit * (self.records["decisions"][rows, agent] + FREE_DECISIONS)
        for row in rows[self.open[rows] & (self.thought[rows, agent] > allowed)].tolist():
            spent, decisions = self.thought[row, agent], self.records["decisions"][row, agent]
            self._fail(
                row,
                agent,
                f"too slow: {spent:.3g} s for {decisions} decisions; the limit is {self.limit:g} s a decision, and "
                f"{FREE_DECISIONS} decisions more",
            )

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
        return check_actions(player.act_batch(observations, masks, streams), len(masks))

    def _settle(self, row: int) -> None:
        """Enter a partie that was played to its end."""
        seat = int(self.half[row])  # A's
        settlement = self.games.settlement(row)
        self.records["settlement"][row] = settlement if seat == 0 else -settlement
        self._close(row)
        self.records["rubicon"][row] = self._by_agent(row, np.array(self.games.below_the_line(row)))

    def _fail(self, row: int, agent: int, error: BaseException | str) -> None:
        """Enter a partie that an agent lost by a crash, an illegal action or slowness."""
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
        for name, _, _ in TALLY_FIELDS:
            self.records[name][row] = self._by_agent(row, tally[name])
        self.records["deals"][row] = tally["elder_deals"].sum()

    def _by_agent(self, row: int, by_seat: np.ndarray) -> np.ndarray:
        return by_seat[::-1] if self.half[row] else by_seat


def check_actions(returned: Any, rows: int) -> Actions:
    """Return what an `act_batch` returned; AgentError for what is not one whole number a row."""
    actions = np.asarray(returned)
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise AgentError(f"act_batch must return {rows} whole numbers, not {actions.dtype} of shape {actions.shape}")
    return actions.astype(np.int64)


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
