"""`LearnerBatch`: one learner's seat in each of N parties, the other seat played by a batched opponent.

The Gymnasium and the Stable-Baselines3 vector environments stand on it. Row i plays as the single-learner environment
`PiquetEnv` reset with seed + i does: seats change from partie to partie, rewards are the learner's own, summed until
its next turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import PiquetBatch
from .opponents import opponent_seed, resolve_opponent
from .rules.errors import IllegalActionError
from .rules.variants import Rules


class LearnerBatch:
    """N parties against one opponent.

    opponent: a spec string or an agent object; it must decide batches (`act_batch`)
    The other arguments are those of `PiquetBatch`. After `reset` and `step`:
    observation:  float32 or int8 [N, observation_size], the learner's
    action_mask:  int8 [N, num_actions], the learner's
    rewards:      float32 [N], the learner's since its last turn
    terminated:   bool [N]; the observation is then the first of the next partie
    final_observation: [N, observation_size], the learner's last observation where terminated
    final_totals, final_settlement: int64 [N, 2] (the learner's first), [N], where terminated
    seats:        int64 [N], the learner's seat in the partie being played
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
        threads: int = 1,
    ) -> None:
        self.batch = PiquetBatch(
            num_envs,
            rules,
            reward=reward,
            seed=seed,
            dtype=dtype,
            skip_forced=skip_forced,
            threads=threads,
            keep_final_observation=True,
        )
        self.opponent = resolve_opponent(opponent, self.batch.rules)
        if not self.opponent.is_batched:
            raise ValueError(
                f"the opponent {opponent!r} does not decide batches: it has no act_batch(observations, masks, rng)"
            )
        self.num_envs = num_envs
        self.observation = self.batch.buffers.observation
        self.action_mask = self.batch.buffers.action_mask
        self.rewards = np.zeros(num_envs, dtype=np.float32)
        self.terminated = np.zeros(num_envs, dtype=bool)
        self.final_observation = np.zeros_like(self.observation)
        self.final_totals = np.zeros((num_envs, 2), dtype=np.int64)
        self.final_settlement = np.zeros(num_envs, dtype=np.int64)
        self.seats = np.zeros(num_envs, dtype=np.int64)
        self._carried = np.zeros(num_envs, dtype=np.float32)  # paid in a new partie before the learner's first turn
        self._rows = np.arange(num_envs)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begin anew in every row; None goes on to the next partie of each row."""
        if seed is None:
            self.batch.reset_rows(self._rows)
            self.seats = 1 - self.seats
        else:
            self.batch.reset(seed)
            self.seats[:] = 0
            seeds = [opponent_seed(seed + row, 0) for row in range(self.num_envs)]
            self._streams = self.opponent.streams(np.array(seeds, dtype=np.uint64))
        self.rewards[:] = 0
        self._carried[:] = 0
        self.terminated[:] = False
        self._let_opponent_play()

    def step(self, actions: np.ndarray) -> None:
        """Play the learner's actions, one a row, and then the opponent's up to the learner's next turn in every row."""
        self.rewards[:] = self._carried
        self._carried[:] = 0
        self.terminated[:] = False
        self.batch.step(actions)
        self._collect(self._rows)
        self._let_opponent_play()

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the batch goes on from."""
        return {
            "batch": self.batch.snapshot(),
            "seats": self.seats.copy(),
            "carried": self._carried.copy(),
            "streams": self._streams.save(),
        }

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Take the place of the batch that made `snapshot`."""
        self.batch.restore(snapshot["batch"])
        self.seats[:] = snapshot["seats"]
        self._carried[:] = snapshot["carried"]
        self._streams.restore(snapshot["streams"])

    def _let_opponent_play(self) -> None:
        """Ask the opponent in every row where it is to act, until it is the learner's turn everywhere."""
        to_act = self.batch.buffers.to_act
        while True:
            rows = np.flatnonzero(to_act != self.seats)
            if len(rows) == 0:
                return
            observations, masks = self.observation[rows], self.action_mask[rows]
            actions = self.opponent.agent.act_batch(observations, masks, self._streams.rows(rows))
            try:
                self.batch.step(actions, rows)
            except ValueError as error:
                raise IllegalActionError(f"the opponent chose illegal actions: {error}") from None
            self._collect(rows)

    def _collect(self, rows: np.ndarray) -> None:
        """Add what a step has paid, and note the parties that it has ended; the learner changes seats for the next."""
        rewards = self.batch.buffers.rewards[rows, self.seats[rows]]
        again = self.terminated[rows]
        self.rewards[rows] += np.where(again, 0, rewards)
        self._carried[rows] += np.where(again, rewards, 0)
        ended = rows[self.batch.buffers.terminated[rows]]
        if len(ended) == 0:
            return
        finals = self.batch.finals
        seats = self.seats[ended]
        assert finals.observation is not None
        self.terminated[ended] = True
        self.final_observation[ended] = finals.observation[ended, seats]
        self.final_totals[ended, 0] = finals.totals[ended, seats]
        self.final_totals[ended, 1] = finals.totals[ended, 1 - seats]
        self.final_settlement[ended] = np.where(seats == 0, finals.settlement[ended], -finals.settlement[ended])
        self.seats[ended] = 1 - seats
