"""The decisions between two updates, with the seats that took them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from .advantages import explained_variance, generalised_advantages, normalise_by_group
from .parties import PHASES
from .reading import Inputs, join_inputs


class Minibatch(NamedTuple):
    """Some decisions of a rollout; values and returns are those of the seat that moved."""

    found: Inputs  # of the whole rollout
    rows: npt.NDArray[np.int64]  # int64[M], which rows of it these decisions are
    action_masks: torch.Tensor  # int8[M, A]
    actions: torch.Tensor  # int64[M]
    old_log_probs: torch.Tensor  # float32[M]
    advantages: torch.Tensor  # float32[M]
    returns: torch.Tensor  # float32[M]
    phases: torch.Tensor  # int64[M], by PHASES
    own: torch.Tensor  # float32[M], 1 where the actor learns from the decision, 0 where an opponent took it


class SelfPlayBuffer(MaskableRolloutBuffer):
    """T decisions in each of N parties: arrays [T, N, …]. Rewards, values and returns are seat 0's throughout."""

    observations: np.ndarray
    signs: np.ndarray
    phases: np.ndarray
    ends: np.ndarray
    own: np.ndarray

    def reset(self) -> None:
        """Forget the last rollout; its memory is used again."""
        if not hasattr(self, "signs"):
            shape = (self.buffer_size, self.n_envs)
            entries, num_actions = self.observation_space.shape, self.action_space.n  # type: ignore[attr-defined]
            self.observations = np.zeros((*shape, *(entries or ())), dtype=np.int8)
            self.action_masks = np.zeros((*shape, int(num_actions)), dtype=np.int8)
            self.actions = np.zeros(shape, dtype=np.int64)
            self.phases = np.zeros(shape, dtype=np.int64)
            self.ends = np.zeros(shape, dtype=bool)
            for name in ("rewards", "values", "log_probs", "signs", "advantages", "returns", "own"):
                setattr(self, name, np.zeros(shape, dtype=np.float32))
        self.pos, self.full = 0, False
        self._listed: list[Inputs] = []

    def note(self, found: Inputs, **arrays: np.ndarray) -> None:
        """Enter one decision a partie: what was read, and every array but advantages and returns, by name."""
        self._listed.append(found)
        for name, array in arrays.items():
            getattr(self, name)[self.pos] = array
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def estimate(self, last_values: np.ndarray) -> None:
        """Compute returns to seat 0, and advantages of the policy, normalised by phase.

        last_values: float32[N], to seat 0, of the states behind the last decisions
        """
        raw = generalised_advantages(self.rewards, self.values, last_values, self.ends, self.gamma, self.gae_lambda)
        self.returns[:] = raw + self.values
        groups = np.where(self.own > 0, self.phases, len(PHASES))
        self.advantages[:] = normalise_by_group(raw * self.signs, groups, len(PHASES))

    def explained(self) -> dict[str, float]:
        """Return the share of the variance of the returns that the critic explains, in each phase."""
        return {
            phase: explained_variance(self.values[self.phases == number], self.returns[self.phases == number])
            for number, phase in enumerate(PHASES)
        }

    def minibatches(self, size: int, rng: np.random.Generator) -> Iterator[Minibatch]:
        """Yield all decisions once, in random order, `size` at a time; a smaller rest is left out."""
        if len(self._listed) > 1:
            self._listed = [join_inputs(self._listed)]
        found = self._listed[0]
        everything = self.buffer_size * self.n_envs
        order = rng.permutation(everything)
        for start in range(0, everything - size + 1, size):
            places = order[start : start + size]
            yield Minibatch(
                found,
                places,
                self._take(self.action_masks, places),
                self._take(self.actions, places),
                self._take(self.log_probs, places),
                self._take(self.advantages, places),
                self._take(self.returns * self.signs, places),
                self._take(self.phases, places),
                self._take(self.own, places),
            )

    def observations_of(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Return the observations, with the hidden cards, of some rows of a minibatch's `found`: int8[M, entries]."""
        taken: npt.NDArray[np.int8] = self._take(self.observations, rows).numpy()
        return taken

    def _take(self, array: np.ndarray, places: np.ndarray) -> torch.Tensor:
        # (T, N, …) -> (T * N, …)
        flat: Any = array.reshape(self.buffer_size * self.n_envs, *array.shape[2:])
        return torch.from_numpy(flat.take(places, axis=0))
