"""The exchange by a critic: candidates on the same sampled cards, each valued by a critic that sees them all."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from piquet_env.rules.variants import Rules

from .exchange_search import Effort, ExchangeSearch
from .rollout import Rollout
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

STEPS = 1 << 14  # whole numbers a unit of the critic, so that sums are the same in any order
EFFORT = Effort(rounds=((16, 64), (6, 128), (3, 256)), doubt=1.0)


class Critic(Protocol):
    """Whoever says what states with all cards known are worth, such as `agents.learned.critic.Critic`."""

    def values(self, states: np.ndarray, /) -> npt.NDArray[np.float32]:
        """Return the value of each state, STATE_DTYPE[N], to the seat to act: float32[N], in any unit of points."""
        ...


class CriticExchange(ExchangeSearch):
    """Finds the discards of a seat by a critic, which looks at the positions right behind the draw.

    The critic says what is still to come in points when its own policy plays on, so no deal is played out, and the
    noise of the play is gone; that of the cards is met by many worlds. All else is as in `ExchangeSearch`.
    """

    def __init__(self, rules: Rules, rollout: Rollout, critic: Critic, solver: Solver, stakes: Stakes) -> None:
        super().__init__(rules, rollout, solver, stakes, EFFORT, solves=False)
        self._critic = critic

    def _worth_of(self, seen: Seen, rows: np.ndarray, seed: int) -> npt.NDArray[np.float64]:  # noqa: ARG002  (no chance)
        """Return the critic's value of each row to the own seat, which is 0 in every world; whole numbers."""
        values = self._critic.values(rows).astype(np.float64)
        return np.rint(STEPS * np.where(rows["to_act"] == 0, values, -values))
