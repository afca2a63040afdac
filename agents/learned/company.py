"""The others at the table: a teacher that moves in every seat at first, and who holds a seat in some parties.

Teacher and opponents are agents by their specs (agents/registry.py), earlier selves come from a pool (pool.py); all
decide in batches. Their decisions enter the rollout like any other, since values and returns form one stream whoever
moves; but the policy learns from a teacher's decisions by imitation and from an opponent's or a snapshot's not at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from agents.base import AgentError, BatchAgent
from agents.registry import make_agent
from piquet_env.batch import PiquetBatch
from piquet_env.rules.variants import Rules

from .pool import Pool

NO_SEAT = -1

Rows = npt.NDArray[np.int64]


class Company:
    """Who moves in place of the policy in N parties.

    teacher:   spec of the agent to imitate, "" for none
    lessons:   decisions that it takes before the policy moves itself
    opponents: specs, each of which holds one seat in its part of the parties
    share:     of the parties that have an opponent; the seat alternates from one to the next
    pool:      snapshots of the policy, of which some hold a seat in parties without an opponent
    pool_share: of the parties in which one does
    `seats` (int8[N]) is the seat that an opponent or a snapshot holds in each row, -1 for none.
    Raises AgentError for an agent that cannot be made or does not decide in batches.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules,
        *,
        teacher: str = "",
        lessons: int = 0,
        opponents: Sequence[str] = (),
        share: float = 0.0,
        pool: Pool | None = None,
        pool_share: float = 0.0,
    ) -> None:
        self.teacher = batched_agent(teacher, rules) if teacher else None
        self.lessons = lessons if teacher else 0
        opponent_agents = [batched_agent(spec, rules) for spec in opponents]
        self.seats = np.full(num_envs, NO_SEAT, dtype=np.int8)
        self._opponents: list[tuple[BatchAgent, Rows]] = []
        if opponents:
            held = spread(num_envs, share)
            self.seats[held] = np.arange(len(held)) // len(opponents) % 2
            self._opponents = _shared_out(held, opponent_agents)
        self.pool = pool
        free = np.flatnonzero(self.seats == NO_SEAT)
        of_free = min(pool_share * num_envs / max(len(free), 1), 1.0) if pool is not None else 0.0
        self._pool_rows = free[spread(len(free), of_free)]
        self._guests: list[tuple[BatchAgent, Rows]] = []

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """Let other snapshots take their seats; nobody does as long as there is none."""
        if self.pool is None:
            return
        agents = self.pool.draw(rng)
        self._guests = _shared_out(self._pool_rows, agents)
        seats = np.arange(len(self._pool_rows)) // max(len(agents), 1) % 2
        self.seats[self._pool_rows] = seats if agents else NO_SEAT

    def is_lesson(self, decisions: int) -> bool:
        """Whether the teacher moves, after so many decisions."""
        return decisions < self.lessons

    def teach(self, batch: PiquetBatch, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return the teacher's action in every row."""
        assert self.teacher is not None
        return self.teacher.act_batch(batch.buffers.observation, batch.buffers.action_mask, rng)

    def move(
        self, batch: PiquetBatch, actions: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Put the others' actions in the place of the policy's; return where the policy's own stand, bool[N]."""
        theirs = batch.buffers.to_act == self.seats
        for opponent, rows in (*self._opponents, *self._guests):
            asked = rows[theirs[rows]]
            if len(asked):
                observations, masks = batch.buffers.observation[asked], batch.buffers.action_mask[asked]
                actions[asked] = opponent.act_batch(observations, masks, rng)
        return ~theirs


def spread(rows: int, share: float) -> Rows:
    """Return a share of the rows, spread over all of them."""
    return np.flatnonzero(np.diff(np.floor(np.arange(rows + 1) * share)))


def _shared_out(rows: Rows, agents: Sequence[BatchAgent]) -> list[tuple[BatchAgent, Rows]]:
    """Return the agents with the rows in which each sits, in turns."""
    return [(agent, rows[number :: len(agents)]) for number, agent in enumerate(agents)]


def batched_agent(spec: str, rules: Rules) -> BatchAgent:
    """Return the agent of a spec; AgentError if it does not decide in batches."""
    agent = make_agent(spec, rules)
    if not isinstance(agent, BatchAgent):
        raise AgentError(f"{spec} cannot sit at the table in training: it does not decide in batches")
    return agent
