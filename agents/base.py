"""`Agent`, which users derive from, and `BatchAgent`, for agents that decide many positions at once.

An agent sees a `View`, what its seat may see, and returns the id of a legal action. Constructors take keyword arguments
only. Agents are seeded through `reset`, named, and picklable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .streams import RowRandom, Streams
from .view import View

__all__ = ["Actions", "Agent", "AgentError", "BatchAgent", "Probabilities", "View", "certain", "tells_probabilities"]

Actions = npt.NDArray[np.int64]
Probabilities = npt.NDArray[np.float64]


class AgentError(ValueError):
    """Raised, with one clear sentence, for an agent that cannot be made or used."""


def check_elder_max(value: Any) -> int | None:
    """Return the most cards that elder may exchange, as an agent is told it; AgentError for what cannot be."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 11:
        raise AgentError(f"elder_max must be a whole number from 1 to 11, not {value!r}")
    return value


class Agent:
    """An agent. Derive from it, and write `act`.

    name: how tables call it; the name of the class unless it says otherwise
    rng:  a NumPy generator, seeded anew by `reset`
    """

    rng: np.random.Generator

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return type(self).__name__

    def reset(self, seed: int) -> None:
        """Begin a new partie: forget the last one, and seed what is random."""
        self.rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return the id of a legal action."""
        raise NotImplementedError(f"{type(self).__name__} must define act(view)")


class BatchAgent(Agent):
    """An agent that decides rows of positions at once; `act` is the batch of one row.

    Its decisions rest on observation, mask and the row's own random numbers alone, never on what it saw before, so that
    the arena may play many parties at once with one such agent. Before its first `reset` it plays as after `reset(0)`.
    """

    _stream: Streams | None = None

    def reset(self, seed: int) -> None:
        """Seed the stream that `act` draws from."""
        self._stream = Streams([seed])

    def act(self, view: View) -> int:
        """Return the id of a legal action."""
        if self._stream is None:
            self._stream = Streams([0])
        return int(self.act_batch(view.observation[None, :], view.action_mask[None, :], self._stream)[0])

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        """Return a legal action for each row, int64[N].

        observations: float32[N, observation_size], or the int8 form
        masks:        int8[N, num_actions], at least one 1 a row
        rng:          `random(N)` gives each row its next number; a row's decision may use no other row's
        """
        raise NotImplementedError(f"{type(self).__name__} must define act_batch(observations, masks, rng)")

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:  # noqa: ARG002  (optional)
        """Return with what probability each action is taken, float64[N, num_actions]; optional.

        observations, masks: as for `act_batch`
        Each row sums to 1 over its legal actions and is 0 elsewhere; where no action is legal it is all zeros. Must be
        what `act_batch` does, and draws nothing. Raises AgentError for an agent that cannot tell.
        """
        raise AgentError(f"{self.name} does not tell its probabilities: it does not define probabilities()")


def tells_probabilities(agent: Agent) -> bool:
    """Return whether an agent defines `probabilities`."""
    return isinstance(agent, BatchAgent) and type(agent).probabilities is not BatchAgent.probabilities


def certain(actions: Actions, num_actions: int) -> Probabilities:
    """Return the probabilities of decisions without chance: 1 for the row's action; zeros where it is negative."""
    probabilities = np.zeros((len(actions), num_actions), dtype=np.float64)
    decided = np.flatnonzero(actions >= 0)
    probabilities[decided, actions[decided]] = 1.0
    return probabilities
