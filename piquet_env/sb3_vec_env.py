"""`PiquetVecEnv`: the batch as a Stable-Baselines3 `VecEnv`, one learner's seat against a batched opponent in each row.

Works with sb3-contrib's MaskablePPO as it is: the masks of all rows come from `env_method("action_masks")` in one
array.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from .learner_batch import LearnerBatch
from .rules.variants import Rules


class PiquetVecEnv(VecEnv):
    """N parties against `opponent`, stepped by one compiled pass.

    reward_scale: factor on the rewards that the learner sees; the episode's `r` in infos is unscaled
    The other arguments are those of `LearnerBatch`. An illegal action raises ValueError: sample under the mask.
    """

    def __init__(
        self,
        num_envs: int,
        opponent: Any = "greedy",
        rules: Rules | str = "rubicon",
        *,
        reward: str = "settlement",
        reward_scale: float = 1.0,
        seed: int = 0,
        dtype: str = "float32",
        skip_forced: bool = True,
        threads: int = 1,
    ) -> None:
        self.parties = LearnerBatch(
            num_envs, opponent, rules, reward=reward, seed=seed, dtype=dtype, skip_forced=skip_forced, threads=threads
        )
        batch = self.parties.batch
        high, kind = (1.0, np.float32) if dtype == "float32" else (127, np.int8)
        self.reward_scale = reward_scale
        self.render_mode = None
        self._pending = np.zeros(num_envs, dtype=np.int64)
        self._nothing: dict[str, Any] = {}  # the info of every row where no partie has ended
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._started = time.perf_counter()
        super().__init__(
            num_envs, spaces.Box(0, high, (batch.observation_size,), kind), spaces.Discrete(batch.num_actions)
        )
        self.seed(seed)  # the first reset begins there

    def reset(self) -> np.ndarray:
        """Begin anew in every row; return the first observations, [N, observation_size]."""
        seed = self._seeds[0]
        self._reset_seeds()
        self._reset_options()
        self.parties.reset(seed)
        self._returns[:] = 0
        self._lengths[:] = 0
        return self.parties.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, one a row."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.num_envs} whole numbers, not {given.dtype} of shape {given.shape}")
        self._pending[:] = given

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play up to the learner's next turn in every row; return observations, rewards, ends, infos.

        Observations and ends are copies: Stable-Baselines3 keeps the last ones while the next step is made.
        """
        parties = self.parties
        parties.step(self._pending)
        self._returns += parties.rewards
        self._lengths += 1
        infos = [self._nothing] * self.num_envs
        for row in np.flatnonzero(parties.terminated).tolist():
            infos[row] = self._end_info(row)
        return (
            parties.observation.copy(),
            parties.rewards * np.float32(self.reward_scale),
            parties.terminated.copy(),
            infos,
        )

    def action_masks(self) -> np.ndarray:
        """Return the learner's legal actions in all rows: bool[N, num_actions]."""
        return self.parties.action_mask.astype(bool)

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the environment goes on from, as arrays, numbers and text."""
        return {"parties": self.parties.snapshot(), "returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Take the place of the environment that made `snapshot`."""
        self.parties.restore(snapshot["parties"])
        self._returns[:] = snapshot["returns"]
        self._lengths[:] = snapshot["lengths"]

    def _end_info(self, row: int) -> dict[str, Any]:
        """Return the info of a row in which a partie has ended."""
        parties = self.parties
        info = {
            "terminal_observation": parties.final_observation[row].copy(),
            "TimeLimit.truncated": False,
            "own_settlement": int(parties.final_settlement[row]),
            "own_totals": tuple(parties.final_totals[row].tolist()),
            "episode": {
                "r": float(self._returns[row]),
                "l": int(self._lengths[row]),
                "t": time.perf_counter() - self._started,
            },
        }
        self._returns[row] = 0.0
        self._lengths[row] = 0
        return info

    # -- what VecEnv asks for -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Release nothing: there are no processes."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each row; `action_masks` as one function a row."""
        rows = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [self._mask_of(row) for row in rows]
        return [getattr(self, attr_name) for _ in rows]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002  (all rows are one)
        """Set an attribute of all rows together."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """Call a method; `action_masks` gives one array with a row an environment."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[list(self._get_indices(indices))]
        method = getattr(self, method_name)
        return [method(*method_args, **method_kwargs) for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for every row: there are no wrappers inside, and episodes are recorded as a Monitor would."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Let the next reset begin with the parties of `seed + row`."""
        self._seeds = [None if seed is None else seed + row for row in range(self.num_envs)]
        return self._seeds

    def _mask_of(self, row: int) -> Callable[[], np.ndarray]:
        return lambda: self.parties.action_mask[row].astype(bool)
