"""A sequential test of two hypotheses about a mean: the match stops as soon as one of them is clearly the better.

The generalised sequential probability ratio test over duplicate pairs, in the normal approximation with estimated
variance that chess engines are tested with (fishtest). With N pairs of mean m and variance v, the log-likelihood ratio
of "the mean is `high`" to "the mean is `low`" is N (high − low) (2 m − low − high) / (2 v). The test accepts `high`
when the ratio comes to log((1 − beta) / alpha), and `low` when it falls to log(beta / (1 − alpha)).

It is looked at after every `LOOK_PAIRS` pairs in the order of the decks, so that the end does not depend on which pairs
were played first. Stopping chooses the data, so the mean of a match that stopped is biased away from the middle between
the two; for a figure to publish, play a match of fixed length with another seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LOOK_PAIRS = 64
ERROR = 0.05  # alpha and beta


@dataclass(frozen=True)
class Sprt:
    """The test: the two means in settlement points a partie, and the probabilities of deciding wrongly.

    alpha: of accepting `high` where the mean is `low`; beta: of accepting `low` where it is `high`
    Raises ValueError for numbers that make no test.
    """

    low: float
    high: float
    alpha: float = ERROR
    beta: float = ERROR

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"a sequential test needs two means, the lower first, not {self.low:g} and {self.high:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta must lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `low` and `high` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pair_means: npt.ArrayLike) -> float | None:
        """Return the log-likelihood ratio of some pairs; None for fewer than two, or where all are equal.

        Pairs without any spread say nothing of the variance: such a match goes on to its cap.
        """
        values = np.asarray(pair_means, dtype=np.float64)
        if len(values) < 2 or (variance := float(values.var(ddof=1))) == 0:
            return None
        between = 2 * float(values.mean()) - self.low - self.high
        return len(values) * (self.high - self.low) * between / (2 * variance)

    def verdict(self, ratio: float | None) -> str | None:
        """Return what a ratio decides: "low", "high" or None."""
        lower, upper = self.bounds
        if ratio is None or lower < ratio < upper:
            return None
        return "high" if ratio > 0 else "low"

    def find_stop(self, pair_means: npt.ArrayLike, looked: int = 0) -> int | None:
        """Return after how many pairs the test decides; None if it does not yet.

        looked: pairs at which it has been looked before, a multiple of LOOK_PAIRS
        """
        values = np.asarray(pair_means, dtype=np.float64)
        for pairs in range(looked + LOOK_PAIRS, len(values) + 1, LOOK_PAIRS):
            if self.verdict(self.ratio(values[:pairs])) is not None:
                return pairs
        return None
