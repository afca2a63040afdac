"""`View`: all that an agent is handed — its observation, its mask, the rules — with names for people who write rules by hand."""

from __future__ import annotations

import numpy as np

from .observation import decode
from .rules.variants import Rules


class View:
    """What a seat that is to act may see.

    observation: float32[observation_size]
    action_mask: int8[num_actions]
    rules:       the rules of the partie
    """

    def __init__(self, observation: np.ndarray, action_mask: np.ndarray, rules: Rules) -> None:
        self.observation = observation
        self.action_mask = action_mask
        self.rules = rules

    @property
    def legal_actions(self) -> list[int]:
        """The ids of the legal actions, ascending."""
        legal: list[int] = np.flatnonzero(self.action_mask).tolist()
        return legal

    def decode(self) -> dict[str, np.ndarray]:
        """Return the named views of the observation."""
        return decode(self.observation)
