"""Opponents for the single-learner views: an agent object, or a spec string resolved by the agents' registry."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules.errors import IllegalActionError
from .rules.shuffle import stream_of
from .rules.variants import Rules

_OPPONENT_STREAM = 2**63 - 1  # no deal has this number


class Opponent:
    """The other side of the table: an agent, asked with what its seat may see.

    agent: an object with `reset(seed)` and `act(view)`, and perhaps `act_batch(observations, masks, rng)`
    """

    def __init__(self, agent: Any, view: Any, streams: Any, rules: Rules) -> None:
        self.agent = agent
        self.rules = rules
        self._view = view
        self._streams = streams

    @property
    def is_batched(self) -> bool:
        """Whether the agent decides many positions at once."""
        return callable(getattr(self.agent, "act_batch", None))

    @property
    def name(self) -> str:
        """How messages call the agent."""
        return str(getattr(self.agent, "name", type(self.agent).__name__))

    def reset(self, seed: int) -> None:
        """Let the agent begin a new partie; RuntimeError if it fails."""
        try:
            self.agent.reset(seed)
        except Exception as error:
            raise RuntimeError(self._failed(error)) from error

    def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
        """Return the agent's action for one position.

        Raises IllegalActionError if it is not legal, RuntimeError if the agent fails.
        """
        try:
            action = self.agent.act(self._view(observation, mask, self.rules))
        except Exception as error:
            raise RuntimeError(self._failed(error)) from error
        if isinstance(action, (int, np.integer)) and 0 <= action < len(mask) and mask[action]:
            return int(action)
        raise IllegalActionError(f"the opponent {self.name} chose action {action!r}, which is not legal for it")

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: Any) -> Any:
        """Return the agent's actions for many positions, unchecked; RuntimeError if the agent fails."""
        try:
            return self.agent.act_batch(observations, masks, rng)
        except Exception as error:
            raise RuntimeError(self._failed(error)) from error

    def streams(self, seeds: np.ndarray) -> Any:
        """Return independent random numbers for the rows of a batch, one seed a row."""
        return self._streams(seeds)

    def _failed(self, error: Exception) -> str:
        return f"the opponent {self.name} failed with {type(error).__name__}: {error}"


def opponent_seed(seed: int, partie: int) -> int:
    """Return the seed of the opponent's own chance in a partie, apart from the decks of that seed."""
    with np.errstate(over="ignore"):  # the stream is meant to wrap; only uncompiled code would warn
        return int(stream_of(seed, partie, _OPPONENT_STREAM) >> np.uint64(1))


def resolve_opponent(opponent: Any, rules: Rules) -> Opponent:
    """Return the opponent that `opponent` stands for: an agent object, or a spec string such as `greedy`.

    Raises ValueError for anything else. The import of this one function is the only one that runs upward.
    """
    from agents.registry import Streams, View, make_agent

    agent = make_agent(opponent, rules) if isinstance(opponent, str) else opponent
    if not (callable(getattr(agent, "act", None)) and callable(getattr(agent, "reset", None))):
        raise ValueError(f"an opponent is a spec string or an agent with reset() and act(), not {opponent!r}")
    return Opponent(agent, View, Streams, rules)
