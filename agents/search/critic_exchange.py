"""The exchange by a critic: candidates on the same sampled cards, each valued by a critic that sees them all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent
from agents.learned.critic import Critic
from piquet_env.rules.state import DEAL_OVER
from piquet_env.rules.variants import Rules

from .exchange_search import Effort, ExchangeSearch
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

STEPS = 1 << 14  # whole numbers a unit of the critic, so that sums are the same in any order


class CriticExchange(ExchangeSearch):
    """Finds the discards of a seat by a critic, which looks at the positions right behind the draw.

    The critic says what is still to come in points when its own policy plays on, so no deal is played out, and the
    noise of the play is gone; that of the cards is met by many worlds. All else is as in `ExchangeSearch`.
    """

    def __init__(
        self, rules: Rules, base: BatchAgent, critic: Critic, solver: Solver, stakes: Stakes, effort: Effort
    ) -> None:
        super().__init__(rules, base, solver, stakes, effort)
        self._critic = critic

    def _values(
        self,
        seen: Seen,  # noqa: ARG002  (points in every deal)
        worlds: np.ndarray,
        sets: npt.NDArray[np.int64],
        seed: int,  # noqa: ARG002  (nothing is played)
        until: float | None,  # noqa: ARG002  (it takes milliseconds)
    ) -> npt.NDArray[np.float64]:
        """Return the critic's value of each set in each world, float64[W, S]; whole numbers."""
        rows = np.repeat(worlds, len(sets))
        self._rollout.exchange(rows, np.tile(sets, len(worlds)))
        assert (rows["phase"] < DEAL_OVER).all()
        values = self._critic.values(rows).astype(np.float64)
        values[rows["to_act"] != 0] *= -1  # the own seat is 0 in every world
        return np.rint(STEPS * values).reshape(len(worlds), len(sets))
