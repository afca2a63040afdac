"""Parties that begin inside a partie, so that a learner of equity meets every number of the deal and all totals.

Whole parties come to the last deal with totals near the rubicon line once in six deals at most, and it is there that a
point is worth most. So in a share of the rows every partie begins further on: one half of these where another row
stands, at totals a little beside its own, the other half in the last deal with both totals near the line.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.batch import PiquetBatch
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

from .company import spread

NEAR = 40  # points on either side of the line
ASIDE = 15  # points on either side of another row's totals

Rows = npt.NDArray[np.int64]


class InsideStarts:
    """Says where the next parties of some rows begin.

    num_envs: rows of the batch; share: of them that begin inside, spread over all
    seed:     of what is drawn
    `drawn` counts the draws, from which together with the seed the random numbers follow.
    Raises ValueError for rules without a last deal and a line.
    """

    def __init__(self, num_envs: int, rules: Rules, share: float, seed: int) -> None:
        if share and rules.form != "rubicon":
            raise ValueError("parties begin inside a partie only under rules with a rubicon, not in au cent")
        self.rows = spread(num_envs, share)
        self.drawn = 0
        self._is_inside = np.zeros(num_envs, dtype=bool)
        self._is_inside[self.rows] = True
        self._rules, self._seed = rules, seed

    def forget(self, batch: PiquetBatch) -> None:
        """Let the next parties of all its rows begin as any other."""
        _begin_at_nothing(batch, self.rows)

    def begin(self, batch: PiquetBatch) -> None:
        """Say it for all rows, before they are reset; the draws begin anew."""
        self.drawn = 0
        self._draw(batch, self.rows)

    def go_on(self, batch: PiquetBatch) -> None:
        """Say it anew for the rows whose parties have just ended, and the next have begun."""
        if len(self.rows):
            ended = np.flatnonzero(batch.buffers.terminated & self._is_inside)
            if len(ended):
                self._draw(batch, ended)

    def take_over(self, batch: PiquetBatch, drawn: int) -> None:
        """Go on behind so many draws with a restored batch, in which perhaps other rows began inside."""
        self.drawn = drawn
        _begin_at_nothing(batch, np.flatnonzero(~self._is_inside))

    def _draw(self, batch: PiquetBatch, rows: Rows) -> None:
        rng = np.random.default_rng((self._seed, self.drawn))
        self.drawn += 1
        line, last, count = self._rules.rubicon_line, self._rules.deals, len(rows)
        totals = rng.integers(max(line - NEAR, 0), line + NEAR, (count, 2), endpoint=True)
        numbers, dealers = np.full(count, last), rng.integers(0, 2, count)
        is_beside, beside = rng.random(count) < 0.5, rng.integers(-ASIDE, ASIDE, (count, 2), endpoint=True)
        states = batch.states(np.arange(batch.num_envs))
        met = np.flatnonzero((states["deal_number"] > 1) & (states["deal_number"] <= last))
        if len(met):
            place = met[rng.integers(len(met), size=count)]
            totals = np.where(is_beside[:, None], np.maximum(states["totals"][place] + beside, 0), totals)
            numbers = np.where(is_beside, states["deal_number"][place], numbers)
            dealers = np.where(is_beside, states["dealer"][place], dealers)
        batch.set_starts(rows, totals=totals, deal_numbers=numbers, dealers=dealers)


def _begin_at_nothing(batch: PiquetBatch, rows: Rows) -> None:
    """Let the next parties of some rows begin with their first deal."""
    nothing = np.zeros(len(rows), dtype=np.int64)
    totals = np.zeros((len(rows), 2), dtype=np.int64)
    batch.set_starts(rows, totals=totals, deal_numbers=nothing + 1, dealers=nothing + NOBODY)
