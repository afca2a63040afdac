"""`random`: every legal action with the same probability."""

from __future__ import annotations

import numpy as np

from .base import Actions, BatchAgent, Probabilities
from .jit import jit
from .streams import RowRandom


class RandomAgent(BatchAgent):
    """Plays uniformly over the mask: with the row's number u and n legal actions, the one at place ⌊u n⌋ of them."""

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "random"

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:  # noqa: ARG002  (blind)
        """Return a legal action for each row, int64[N]; -1 for a mask of zeros."""
        actions = np.empty(len(masks), dtype=np.int64)
        choose_uniformly(masks, rng.random(len(masks)), actions)
        return actions

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:  # noqa: ARG002  (blind)
        """Return the same probability for each legal action, float64[N, num_actions]."""
        legal = masks.astype(np.float64)
        return legal / np.maximum(legal.sum(axis=1, keepdims=True), 1.0)


@jit
def choose_uniformly(masks: np.ndarray, numbers: np.ndarray, actions: np.ndarray) -> None:
    """Write into `actions` (int64[N]) a legal action for each row of `masks` (int8[N, A]), by `numbers` in [0, 1)."""
    for row in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                legal += 1
        place = int(numbers[row] * legal)
        actions[row] = -1
        for action in range(masks.shape[1]):
            if masks[row, action]:
                if place == 0:
                    actions[row] = action
                    break
                place -= 1
