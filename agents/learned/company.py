"""The others at the table: a teacher that moves in every seat at first, and opponents that hold a seat in some parties.

Both are agents by their specs (agents/registry.py), and decide in batches. Their decisions enter the rollout like any
other, since values and returns form one stream whoever moves; but the policy learns from a teacher's decisions by
imitation and from an opponent's not at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from agents.base import AgentError, BatchAgent
from agents.registry import make_agent
from piquet_env.batch import PiquetBatch
from piquet_env.rules.variants import Rules

NO_SEAT = -1


class Company:
    """Who moves in place of the policy in N parties.

    teacher:   spec of the agent to imitate, "" for none
    lessons:   decisions that it takes before the policy moves itself
    opponents: specs, each of which holds one seat in its part of the parties
    share:     of the parties that have an opponent; the seat alternates from one to the next
    `seats` (int8[N]) is the seat that an opponent holds in each row, -1 for none.
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
    ) -> None:
        self.teacher = batched_agent(teacher, rules) if teacher else None
        self.lessons = lessons if teacher else 0
        self._opponents = [batched_agent(spec, rules) for spec in opponents]
        self.seats = np.full(num_envs, NO_SEAT, dtype=np.int8)
        self._rows: list[npt.NDArray[np.int64]] = []
        if opponents:
            held = np.flatnonzero(np.diff(np.floor(np.arange(num_envs + 1) * share)))  # spread over all rows
            order = np.arange(len(held))
            self.seats[held] = order // len(opponents) % 2
            self._rows = [held[order % len(opponents) == number] for number in range(len(opponents))]

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
        """Put the opponents' actions in the place of the policy's; return where the policy's own stand, bool[N]."""
        theirs = batch.buffers.to_act == self.seats
        for opponent, rows in zip(self._opponents, self._rows, strict=True):
            asked = rows[theirs[rows]]
            if len(asked):
                observations, masks = batch.buffers.observation[asked], batch.buffers.action_mask[asked]
                actions[asked] = opponent.act_batch(observations, masks, rng)
        return ~theirs


def batched_agent(spec: str, rules: Rules) -> BatchAgent:
    """Return the agent of a spec; AgentError if it does not decide in batches."""
    agent = make_agent(spec, rules)
    if not isinstance(agent, BatchAgent):
        raise AgentError(f"{spec} cannot sit at the table in training: it does not decide in batches")
    return agent
