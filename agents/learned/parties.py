"""`SelfPlayParties`: N parties in lock-step in which the learner moves for both seats, as a Stable-Baselines3 `VecEnv`.

A row of its observation is int8: the observation of the seat to act, then the cards hidden from it, each padded to
whole words of eight entries. Only a critic may read the second part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from piquet_env.batch import PiquetBatch
from piquet_env.observation import decode, observation_size
from piquet_env.rules.knowledge import VIEW_NAMES
from piquet_env.rules.variants import Rules

from .inside import InsideStarts
from .objective import Objective
from .reading import EXCHANGES, PLAYS, reading_of

PHASES = ("exchange", "dialogue", "play")
STAGGER = 256  # a partie has about two hundred decisions


class SelfPlayParties(VecEnv):
    """N parties; every step is one decision in each of them, whichever seat it belongs to.

    Rewards are seat 0's; an episode ends where the objective says. Forced decisions are played by the batch.
    inside: share of the rows in which parties begin inside a partie (inside.py)
    `signs` (float32[N], +1 where seat 0 is to act, -1 where seat 1) and `phases` (int8[N], by PHASES) belong to the
    decisions that the last observations ask for.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str,
        objective: Objective,
        *,
        reading: str = "suits",
        seed: int = 0,
        threads: int = 1,
        inside: float = 0.0,
    ) -> None:
        self.objective = objective
        reward = objective.batch_reward(Rules.of(rules))
        self._is_mixed = reward != objective.reward
        self.batch = PiquetBatch(
            num_envs,
            rules,
            reward=reward,
            seed=seed,
            dtype="int8",
            skip_forced=True,
            threads=threads,
            critic=True,
        )
        self.rules = self.batch.rules
        self.render_mode = None
        self.reading = reading_of(reading, self.rules.pack)
        self.num_own, self.num_all = self.reading.own_size, self.reading.row_size
        self._phase_place = _phase_place(self.rules.pack)
        self._phase_of_view = np.array([_phase_of(view) for view in VIEW_NAMES], dtype=np.int8)
        self._totals = np.zeros((num_envs, 2), dtype=np.int64)
        self._rows = np.arange(num_envs)
        self._pending = np.zeros(num_envs, dtype=np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._seed = seed
        self._inside = InsideStarts(num_envs, self.rules, inside, seed)
        self.equity_weight = 0.0
        self.deals = 0
        super().__init__(
            num_envs, spaces.Box(-128, 127, (self.num_all,), np.int8), spaces.Discrete(self.batch.num_actions)
        )

    def reset(self) -> np.ndarray:
        """Begin anew in every row, and play the rows apart by random decisions, so that all phases are met at once."""
        batch = self.batch
        self._inside.forget(batch)
        batch.reset(self._seed)  # so that what it begins beside does not come from what was played before
        self._inside.begin(batch)
        batch.reset(self._seed)
        rng = np.random.default_rng((self._seed, 1))
        behind = self._rows * STAGGER // self.num_envs
        for step in range(STAGGER):
            rows = self._rows[behind > step]
            if len(rows):
                weights = rng.random((len(rows), batch.num_actions)) * batch.buffers.action_mask[rows]
                batch.step(weights.argmax(axis=1), rows)
                self._inside.go_on(batch)
        self._totals[:] = batch.totals(self._rows)
        return self.look()

    def look(self) -> np.ndarray:
        """Return the observations as they stand: int8[N, num_all], a new array."""
        batch = self.batch
        rows = np.zeros((self.num_envs, self.num_all), dtype=np.int8)
        rows[:, : batch.observation_size] = batch.buffers.observation
        rows[:, self.num_own : self.num_own + batch.critic_observation.shape[1]] = batch.critic_observation
        return rows

    @property
    def signs(self) -> np.ndarray:
        """+1 where seat 0 is to act, -1 where seat 1: float32[N]."""
        return (1 - 2 * self.batch.buffers.to_act).astype(np.float32)

    @property
    def phases(self) -> np.ndarray:
        """The place in PHASES of the decision asked in each row: int8[N]."""
        return self._phase_of_view[self.batch.buffers.observation[:, self._phase_place].argmax(axis=1)]

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions, one a row."""
        self._pending[:] = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them; return observations, rewards to seat 0, ends of episodes, infos (empty)."""
        batch = self.batch
        batch.step(self._pending)
        self._inside.go_on(batch)
        ended = batch.deals_ended() > 0
        self.deals += int(np.count_nonzero(ended))
        rewards = self._rewards(ended)
        ends = ended if self.objective.is_by_deal else batch.buffers.terminated.copy()
        return self.look(), rewards, ends, self._infos

    def _rewards(self, ended: np.ndarray) -> np.ndarray:
        batch, objective = self.batch, self.objective
        paid = batch.buffers.rewards[:, 0]
        if not self._is_mixed:
            return objective.scaled(paid, self.rules)
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        rows = np.flatnonzero(ended)
        if len(rows):
            now = batch.totals(rows)
            over = batch.buffers.terminated[rows]
            reached = np.where(over[:, None], batch.finals.totals[rows], now)
            points = (reached - self._totals[rows]) @ np.array([1, -1])
            rewards[rows] = objective.mixed(points, paid[rows], self.equity_weight)
            self._totals[rows] = now
        return rewards

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in all rows: int8[N, num_actions], a new array."""
        return self.batch.buffers.action_mask.copy()

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the parties go on from, as arrays, numbers and text."""
        return {"batch": self.batch.snapshot(), "totals": self._totals.copy(), "inside": self._inside.drawn}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Take the place of the parties that made `snapshot`; ValueError if they differ in kind."""
        self.batch.restore(snapshot["batch"])
        self._totals[:] = snapshot["totals"]
        self._inside.take_over(self.batch, int(snapshot.get("inside", 0)))

    # -- what VecEnv asks for -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Release nothing: there are no processes."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for each row."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002  (all rows are one)
        """Set an attribute of all rows together."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """Call a method; `action_masks` gives one array with a row a partie."""
        if method_name == "action_masks":
            return self.action_masks() if indices is None else self.action_masks()[list(self._get_indices(indices))]
        method = getattr(self, method_name)
        return [method(*method_args, **method_kwargs) for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return True for a Monitor, so that none is put around it, and False for any other wrapper."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Return the seed of each row: those of the constructor stand.

        Stable-Baselines3 hands on the learner's seed, a small number, whose decks are those of evaluation.
        """
        del seed
        return [self._seed + row for row in range(self.num_envs)]


def _phase_place(pack: int) -> np.ndarray:
    """Return the places of the block `phase` in an observation."""
    return decode(np.arange(observation_size(pack)))["phase"]


def _phase_of(view: str) -> int:
    return PHASES.index("play" if view in PLAYS else "exchange" if view in EXCHANGES else "dialogue")
