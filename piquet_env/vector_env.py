"""`PiquetVectorEnv`: the batch as a Gymnasium `VectorEnv`.

```python
envs = gymnasium.make_vec("Piquet-v0", num_envs=64, vectorization_mode="vector_entry_point", opponent="greedy")
observations, infos = envs.reset(seed=7)
while True:
    actions = choose(observations, envs.action_masks())
    observations, rewards, terminations, truncations, infos = envs.step(actions)
```

With an opponent, row i is the single-learner environment `PiquetEnv` reset with seed + i. With `opponent=None` the
caller plays both seats: row i is `raw_env` reset with seed + i, each step is one action of the seat `infos["to_act"]`.

| key of infos | value, one row an environment |
|---|---|
| `action_mask` | int8 [N, A]: legal actions; zeros where an ended partie waits for its restart |
| `seat` | int64 [N]: with an opponent, the learner's seat |
| `to_act` | int64 [N]: without one, the seat to act, of which the observation is; −1 where a partie waits |
| `rewards` | float64 [N, 2]: without one, the rewards of both seats in this step |
| `own_settlement`, `own_totals` | where a partie has ended: its settlement; its points, own first |
| `illegal` | where a partie has ended: whether by an illegal action |
| `final_obs`, `final_info` | under same-step autoreset, where a partie has ended: its last observation, these keys |

As in Gymnasium's own vector environments, `_key` is bool [N] and marks the rows that have `key`; under same-step
autoreset `own_settlement`, `own_totals` and `illegal` stand in `final_info`.
"""

from __future__ import annotations

from typing import Any

import gymnasium.vector
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from .batch import PiquetBatch
from .learner_batch import LearnerBatch
from .rewards import illegal_reward
from .rules.state import NOBODY
from .rules.variants import Rules

AUTORESET_MODES = ("next_step", "same_step")
_Mode: Any = getattr(gymnasium.vector, "AutoresetMode", None)  # from Gymnasium 1.1 on


class PiquetVectorEnv(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N parties, stepped by one compiled pass.

    num_envs:       N
    opponent:       a spec string or an agent that decides batches; None: the caller plays both seats
    rules:          preset name, text or `Rules`
    reward:         `settlement`, `win`, `deal_points` or `equity`. With an opponent the learner's own, summed until its
                    next turn; without one, of the seat that acted, in this step alone (`infos["rewards"]` has both)
    seed:           of the parties until a reset gives another
    dtype:          "float32" (entries in [0, 1]) or "int8" (whole numbers) for observations
    skip_forced:    play decisions with one legal action by itself
    autoreset_mode: "next_step" (the next partie begins in the step after the end, whose action is ignored and whose
                    reward is 0) or "same_step"; a member of Gymnasium's AutoresetMode serves as well
    threads:        threads that share the rows
    An illegal action ends its row's partie with a loss (−1 under `win`, −500 otherwise) and never raises.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponent: Any = "greedy",
        rules: Rules | str = "rubicon",
        reward: str = "settlement",
        seed: int = 0,
        dtype: str = "float32",
        skip_forced: bool = False,
        autoreset_mode: Any = "next_step",
        threads: int = 1,
    ) -> None:
        mode = _mode_name(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": _mode_of_gymnasium(mode)}
        self._same_step = mode == "same_step"
        self._parties: LearnerBatch | _BothSeats
        settings: dict[str, Any] = {
            "reward": reward,
            "seed": seed,
            "dtype": dtype,
            "skip_forced": skip_forced,
            "autoreset": mode,
            "threads": threads,
        }
        if opponent is None:
            self._parties = _BothSeats(num_envs, rules, **settings)
        else:
            self._parties = LearnerBatch(num_envs, opponent, rules, **settings)
        batch = self._parties.batch
        self.num_envs = batch.num_envs
        high, kind = (1.0, np.float32) if dtype == "float32" else (127, np.int8)
        self.single_observation_space = spaces.Box(0, high, (batch.observation_size,), kind)
        self.single_action_space = spaces.Discrete(batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._next_seed: int | None = seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin anew in every row: row i with the first partie of `seed + i`; None goes on to the next parties.

        Without a seed the first reset begins with the seed of the constructor. There are no options: ValueError.
        """
        if options:
            raise ValueError(f"a reset of the vector environment takes no options, not {sorted(options)}")
        super().reset(seed=seed)
        self._parties.reset(self._next_seed if seed is None else seed)
        self._next_seed = None
        return self._parties.observation.copy(), self._infos()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action a row; return observations, rewards, terminations, truncations (none), infos: all copies.

        actions: whole numbers [N]; those of rows that wait for their restart are ignored
        Raises ValueError for actions of a wrong shape or kind, and before the first reset.
        """
        parties = self._parties
        if self._next_seed is not None:
            raise ValueError("the environment has no parties yet; call reset() first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be whole numbers of shape ({self.num_envs},), not {actions.dtype} of {actions.shape}"
            )
        forfeits = self._illegal(actions)
        parties.step(actions, forfeits if forfeits.any() else None)
        infos = self._infos()
        if parties.terminated.any():
            self._add_ends(infos, forfeits)
        return (
            parties.observation.copy(),
            parties.rewards.astype(np.float64),
            parties.terminated.copy(),
            np.zeros(self.num_envs, dtype=bool),
            infos,
        )

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in all rows: bool [N, num_actions]."""
        return self._parties.action_mask.astype(bool)

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the environment goes on from, as arrays, numbers and text."""
        return self._parties.snapshot()

    def restore(self, snapshot: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
        """Take the place of the environment that made `snapshot`; return observations and infos."""
        self._parties.restore(snapshot)
        self._next_seed = None
        return self._parties.observation.copy(), self._infos()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _illegal(self, actions: np.ndarray) -> np.ndarray:
        """Return bool [N]: the rows in play in which the action is not legal."""
        parties = self._parties
        inside = (actions >= 0) & (actions < parties.batch.num_actions)
        legal = parties.action_mask[np.arange(self.num_envs), np.where(inside, actions, 0)] != 0
        return ~(inside & legal) & ~parties.waiting

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, dtype=bool)
        infos = {"action_mask": self._parties.action_mask.copy(), **self._parties.facts()}
        infos.update({f"_{key}": everywhere.copy() for key in list(infos)})
        return infos

    def _add_ends(self, infos: dict[str, Any], forfeits: np.ndarray) -> None:
        """Add how parties have ended, in Gymnasium's form for the mode."""
        parties = self._parties
        ended = parties.terminated
        facts = {
            "own_settlement": np.where(ended, parties.final_settlement, 0),
            "own_totals": np.where(ended[:, None], parties.final_totals, 0),
            "illegal": ended & forfeits,
        }
        marked = {f"_{key}": ended.copy() for key in facts}
        marked["_own_settlement"] &= ~forfeits
        if not self._same_step:
            infos.update(facts | marked)
            return
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(ended).tolist():
            final_obs[row] = parties.final_observation[row].copy()
        infos["final_obs"], infos["_final_obs"] = final_obs, ended.copy()
        infos["final_info"], infos["_final_info"] = facts | marked, ended.copy()


class _BothSeats:
    """N parties with both seats played by the caller, in the form of `LearnerBatch`; own means the seat that acted."""

    def __init__(self, num_envs: int, rules: Rules | str, *, autoreset: str, **settings: Any) -> None:
        self.autoreset = autoreset
        self.batch = PiquetBatch(
            num_envs,
            rules,
            autoreset="same_step" if autoreset == "same_step" else "disabled",
            keep_final_observation=True,
            **settings,
        )
        self.rewards = np.zeros(num_envs, dtype=np.float32)
        self.both_rewards = np.zeros((num_envs, 2), dtype=np.float32)
        self.terminated = np.zeros(num_envs, dtype=bool)
        self.final_observation = np.zeros_like(self.observation)
        self.final_totals = np.zeros((num_envs, 2), dtype=np.int64)
        self.final_settlement = np.zeros(num_envs, dtype=np.int64)
        self.waiting = np.zeros(num_envs, dtype=bool)
        self._rows = np.arange(num_envs)

    @property
    def observation(self) -> np.ndarray:
        """The observations of the seats to act."""
        return self.batch.buffers.observation

    @property
    def action_mask(self) -> np.ndarray:
        """Their legal actions; zeros where an ended partie waits."""
        return self.batch.buffers.action_mask

    def facts(self) -> dict[str, np.ndarray]:
        """Return what infos hold beside the mask."""
        to_act = np.where(self.waiting, NOBODY, self.batch.buffers.to_act).astype(np.int64)
        return {"to_act": to_act, "rewards": self.both_rewards.astype(np.float64)}

    def reset(self, seed: int | None) -> None:
        """Begin anew in every row; None goes on to the next partie of each row."""
        if seed is None:
            self.batch.reset_rows(self._rows)
        else:
            self.batch.reset(seed)
        self.waiting[:] = False
        self.both_rewards[:] = 0
        self.terminated[:] = False

    def step(self, actions: np.ndarray, forfeits: np.ndarray | None) -> None:
        """Play one action a row; `forfeits` as in `LearnerBatch`."""
        buffers, finals = self.batch.buffers, self.batch.finals
        restarting = np.flatnonzero(self.waiting)
        idle = self.waiting if forfeits is None else self.waiting | forfeits
        playing = np.flatnonzero(~idle) if idle.any() else self._rows
        actors = buffers.to_act.astype(np.int64)
        if len(playing) == self.batch.num_envs:
            self.batch.step(actions)
        else:
            self.batch.step(actions[playing], playing)
        self.both_rewards[:] = buffers.rewards
        ended = np.flatnonzero(buffers.terminated)
        self.both_rewards[ended] = finals.rewards[ended]
        own = actors[ended]
        assert finals.observation is not None
        self.final_observation[ended] = finals.observation[ended, own]
        self.final_totals[ended, 0] = finals.totals[ended, own]
        self.final_totals[ended, 1] = finals.totals[ended, 1 - own]
        self.final_settlement[ended] = np.where(own == 0, finals.settlement[ended], -finals.settlement[ended])
        lost = np.empty(0, dtype=np.int64)
        if forfeits is not None:
            lost = np.flatnonzero(forfeits)
            self.both_rewards[lost, actors[lost]] = illegal_reward(self.batch.reward)
            self.final_observation[lost] = self.observation[lost]
            self.final_totals[lost] = np.take_along_axis(
                self.batch.totals(lost), np.stack([actors[lost], 1 - actors[lost]], axis=1), axis=1
            )
            self.final_settlement[lost] = 0
        over = np.concatenate([ended, lost])
        again = np.concatenate([restarting, lost]) if self.autoreset == "same_step" else restarting
        if len(again):
            self.batch.reset_rows(again)
        self.terminated[:] = False
        self.terminated[over] = True
        self.rewards[:] = self.both_rewards[self._rows, np.maximum(actors, 0)]
        self.waiting[restarting] = False
        if self.autoreset == "next_step":
            self.waiting[over] = True
            self.observation[over] = self.final_observation[over]
            self.action_mask[over] = 0

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the parties go on from."""
        return {
            "batch": self.batch.snapshot(),
            "waiting": self.waiting.copy(),
            "waiting_observations": self.observation[self.waiting],
        }

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Take the place of the batch that made `snapshot`."""
        self.batch.restore(snapshot["batch"])
        self.waiting[:] = snapshot["waiting"]
        self._show_waiting(snapshot["waiting_observations"])
        self.both_rewards[:] = 0
        self.terminated[:] = False

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"waiting_observations": self.observation[self.waiting]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        observations = state.pop("waiting_observations")
        self.__dict__.update(state)
        self._show_waiting(observations)

    def _show_waiting(self, observations: np.ndarray) -> None:
        self.observation[self.waiting] = observations
        self.action_mask[self.waiting] = 0


def _mode_name(mode: Any) -> str:
    """Return the project's name of an autoreset mode; ValueError for one that is not offered."""
    name = mode if isinstance(mode, str) else str(getattr(mode, "name", mode)).lower()
    if name not in AUTORESET_MODES:
        raise ValueError(f"unknown autoreset_mode {mode!r}; it is one of {', '.join(AUTORESET_MODES)}")
    return name


def _mode_of_gymnasium(name: str) -> Any:
    """Return Gymnasium's member for a mode, or before Gymnasium 1.1, which has none, the value that it got."""
    if _Mode is None:
        return {"next_step": "NextStep", "same_step": "SameStep"}[name]
    return getattr(_Mode, name.upper())
