"""`LearnerBatch`: one learner's seat in each of N parties, the other seat played by a batched opponent.

The Gymnasium and the Stable-Baselines3 vector environments stand on it. Row i plays as the single-learner environment
`PiquetEnv` reset with seed + i does: seats change from partie to partie, rewards are the learner's own, summed until
its next turn, and the opponent draws from a stream of its own in each partie.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import PiquetBatch
from .opponents import opponent_seed, resolve_opponent
from .rewards import illegal_reward
from .rules.errors import IllegalActionError
from .rules.variants import Rules

AUTORESET_MODES = ("same_step", "next_step")


class LearnerBatch:
    """N parties against one opponent.

    opponent:  a spec string or an agent object; it must decide batches (`act_batch`)
    autoreset: "same_step" (the next partie begins in the step that ends one) or "next_step" (in the step after, whose
               action is ignored)
    The other arguments are those of `PiquetBatch`. After `reset` and `step`:
    observation:  float32 or int8 [N, observation_size], the learner's
    action_mask:  int8 [N, num_actions], the learner's; zeros where an ended partie waits
    rewards:      float32 [N], the learner's since its last turn
    terminated:   bool [N]; under "same_step" the observation is then the first of the next partie
    final_observation: [N, observation_size], the learner's last observation where terminated
    final_totals, final_settlement: int64 [N, 2] (the learner's first), [N], where terminated
    seats:        int64 [N], the learner's seat in the partie being played
    waiting:      bool [N], rows in which the next partie begins with the next step (only under "next_step")
    """

    def __init__(
        self,
        num_envs: int,
        opponent: Any = "greedy",
        rules: Rules | str = "rubicon",
        *,
        reward: str = "settlement",
        seed: int = 0,
        dtype: str = "float32",
        skip_forced: bool = False,
        autoreset: str = "same_step",
        threads: int = 1,
    ) -> None:
        if autoreset not in AUTORESET_MODES:
            raise ValueError(f"unknown autoreset {autoreset!r}; it is one of {', '.join(AUTORESET_MODES)}")
        self.autoreset = autoreset
        self.batch = PiquetBatch(
            num_envs,
            rules,
            reward=reward,
            seed=seed,
            dtype=dtype,
            skip_forced=skip_forced,
            autoreset="same_step" if autoreset == "same_step" else "disabled",
            threads=threads,
            keep_final_observation=True,
        )
        self.opponent = resolve_opponent(opponent, self.batch.rules)
        if not self.opponent.is_batched:
            raise ValueError(
                f"the opponent {opponent!r} does not decide batches: it has no act_batch(observations, masks, rng)"
            )
        self.num_envs = num_envs
        self.rewards = np.zeros(num_envs, dtype=np.float32)
        self.terminated = np.zeros(num_envs, dtype=bool)
        self.final_observation = np.zeros_like(self.observation)
        self.final_totals = np.zeros((num_envs, 2), dtype=np.int64)
        self.final_settlement = np.zeros(num_envs, dtype=np.int64)
        self.seats = np.zeros(num_envs, dtype=np.int64)
        self.waiting = np.zeros(num_envs, dtype=bool)
        self._fresh = np.zeros(num_envs, dtype=bool)  # a partie has begun in this step, and the learner has yet to act
        self._carried = np.zeros(num_envs, dtype=np.float32)  # paid in such a partie: for the learner's first step
        self._rows = np.arange(num_envs)
        self._streams = self.opponent.streams(np.zeros(num_envs, dtype=np.uint64))
        self.reset(seed)

    @property
    def observation(self) -> np.ndarray:
        """The learner's observations: float32 or int8 [N, observation_size]."""
        return self.batch.buffers.observation

    @property
    def action_mask(self) -> np.ndarray:
        """The learner's legal actions: int8 [N, num_actions]; zeros where an ended partie waits."""
        return self.batch.buffers.action_mask

    def reset(self, seed: int | None = None) -> None:
        """Begin anew in every row; None goes on to the next partie of each row."""
        if seed is None:
            self.batch.reset_rows(self._rows)
        else:
            self.batch.reset(seed)
        self.rewards[:] = 0
        self.terminated[:] = False
        self._begin(self._rows)
        self._let_opponent_play()

    def step(self, actions: np.ndarray, forfeits: np.ndarray | None = None) -> None:
        """Play the learner's actions, one a row, and then the opponent's up to the learner's next turn in every row.

        forfeits: bool [N], rows whose partie the learner loses at once, as by an illegal action; their actions are
                  ignored
        Raises ValueError, naming the rows, for actions that are not legal; nothing changes. Raises IllegalActionError
        or RuntimeError if the opponent fails; only `reset` helps then.
        """
        restarting = np.flatnonzero(self.waiting)
        idle = self.waiting if forfeits is None else self.waiting | forfeits
        playing = np.flatnonzero(~idle) if idle.any() else self._rows
        if len(playing) == self.num_envs:
            self.batch.step(actions)
        else:
            self.batch.step(np.asarray(actions)[playing], playing)
        self.rewards[:] = self._carried
        self._carried[:] = 0
        self.terminated[:] = False
        self._fresh[:] = False
        self._collect(playing)
        if len(restarting):
            self.rewards[restarting] = 0
            self.batch.reset_rows(restarting)
            self._begin(restarting)
        if forfeits is not None:
            self._forfeit(np.flatnonzero(forfeits & ~self.waiting & ~self._fresh))
        self._let_opponent_play()

    def facts(self) -> dict[str, np.ndarray]:
        """Return small facts by row: the learner's seat."""
        return {"seat": self.seats.copy()}

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the batch goes on from."""
        return {
            "batch": self.batch.snapshot(),
            "seats": self.seats.copy(),
            "carried": self._carried.copy(),
            "streams": self._streams.save(),
            "waiting": self.waiting.copy(),
            "waiting_observations": self.observation[self.waiting],
        }

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Take the place of the batch that made `snapshot`."""
        self.batch.restore(snapshot["batch"])
        self.seats[:] = snapshot["seats"]
        self._carried[:] = snapshot["carried"]
        self._streams.restore(snapshot["streams"])
        self.waiting[:] = snapshot["waiting"]
        self._show_waiting(snapshot["waiting_observations"])
        self.rewards[:] = 0
        self.terminated[:] = False

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"waiting_observations": self.observation[self.waiting]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        observations = state.pop("waiting_observations")
        self.__dict__.update(state)
        self._show_waiting(observations)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _begin(self, rows: np.ndarray) -> None:
        """Note that a partie has begun in some rows: the learner's seat in it, and the opponent's chance."""
        seeds, parties = self.batch.seeds_and_parties(rows)
        self.seats[rows] = parties % 2
        streams = [opponent_seed(seed, partie) for seed, partie in zip(seeds.tolist(), parties.tolist(), strict=True)]
        self._streams.rows(rows).restore(self.opponent.streams(np.array(streams, dtype=np.uint64)).save())
        self._fresh[rows] = True
        self.waiting[rows] = False
        self._carried[rows] = 0

    def _show_waiting(self, observations: np.ndarray) -> None:
        """Show the ended parties that wait, after the batch has shown all rows as it has them."""
        self.observation[self.waiting] = observations
        self.action_mask[self.waiting] = 0

    def _let_opponent_play(self) -> None:
        """Ask the opponent in every row where it is to act, until it is the learner's turn everywhere."""
        to_act = self.batch.buffers.to_act
        while True:
            rows = np.flatnonzero(to_act == 1 - self.seats)
            if len(rows) == 0:
                break
            actions = self.opponent.act_batch(self.observation[rows], self.action_mask[rows], self._streams.rows(rows))
            try:
                self.batch.step(actions, rows)
            except ValueError as error:
                raise IllegalActionError(f"the opponent {self.opponent.name} chose wrongly: {error}") from None
            self._collect(rows)
        if self.waiting.any():
            self.observation[self.waiting] = self.final_observation[self.waiting]

    def _collect(self, rows: np.ndarray) -> None:
        """Add what a step has paid, and note the parties that it has ended; the learner changes seats for the next."""
        paid = self.batch.buffers.rewards
        finals = self.batch.finals
        ended = rows[self.batch.buffers.terminated[rows]]
        # au cent: what a carte blanche has paid in the next partie already belongs to that one
        if len(ended):
            excess = paid[ended] - finals.rewards[ended]
            paid[ended] = finals.rewards[ended]
        rewards = paid[rows, self.seats[rows]]
        fresh = self._fresh[rows]
        if fresh.any():
            self._carried[rows] += np.where(fresh, rewards, 0)
            rewards[fresh] = 0
        self.rewards[rows] += rewards
        if len(ended) == 0:
            return
        seats = self.seats[ended]
        assert finals.observation is not None
        self.terminated[ended] = True
        self.final_observation[ended] = finals.observation[ended, seats]
        self.final_totals[ended, 0] = finals.totals[ended, seats]
        self.final_totals[ended, 1] = finals.totals[ended, 1 - seats]
        self.final_settlement[ended] = np.where(seats == 0, finals.settlement[ended], -finals.settlement[ended])
        if self.autoreset == "same_step":
            self._begin(ended)
            self._carried[ended] = excess[np.arange(len(ended)), self.seats[ended]]
        else:
            self.waiting[ended] = True

    def _forfeit(self, rows: np.ndarray) -> None:
        """End the parties of some rows, in which it is the learner's turn, with the loss for an illegal action."""
        if len(rows) == 0:
            return
        self.rewards[rows] += illegal_reward(self.batch.reward)
        self.terminated[rows] = True
        self.final_observation[rows] = self.observation[rows]
        self.final_totals[rows] = self.batch.totals(rows)
        swapped = rows[self.seats[rows] == 1]
        self.final_totals[swapped] = self.final_totals[swapped, ::-1]
        self.final_settlement[rows] = 0
        if self.autoreset == "same_step":
            self.batch.reset_rows(rows)
            self._begin(rows)
        else:
            self.waiting[rows] = True
            self.action_mask[rows] = 0
