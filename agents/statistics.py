"""Statistics of matches: pure functions of arrays.

The unit of a match is the duplicate pair, two parties over the same decks with the seats exchanged. The two are not
independent, so an interval is taken over the means of pairs, never over single parties.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "MeanInterval",
    "OutcomeShares",
    "mean_interval",
    "outcome_shares",
    "pair_means",
    "share",
    "student_t_quantile",
]

_Floats = npt.NDArray[np.float64]

# Nodes on (-1, 1) and their weights: exact to rounding for the smooth integrand of `_central_probability`.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


class MeanInterval(NamedTuple):
    """A mean and its confidence interval; `low` and `high` are None where one value leaves the interval unbounded."""

    mean: float
    low: float | None
    high: float | None


class OutcomeShares(NamedTuple):
    """Shares of parties won by the first agent, drawn, and won by the second; they sum to 1."""

    wins_a: float
    draws: float
    wins_b: float


def pair_means(first: npt.ArrayLike, second: npt.ArrayLike) -> _Floats:
    """Return the mean result of each duplicate pair, float64[pairs].

    first, second: results of the same agent, one a pair, in the first party and with the seats exchanged
    Raises ValueError if they are not two lists of finite numbers of the same length, at least one.
    """
    first_results, second_results = _as_sample(first), _as_sample(second)
    if len(first_results) != len(second_results):
        raise ValueError(f"a pair needs two parties; got {len(first_results)} and {len(second_results)} results")
    return (first_results + second_results) / 2


def mean_interval(values: npt.ArrayLike, confidence: float = 0.95) -> MeanInterval:
    """Return the mean of independent values with its two-sided Student t interval.

    values:     numbers, one a duplicate pair, in any unit; the result has the same unit
    confidence: probability that such an interval covers the true mean, between 0 and 1

    One value has no finite interval: its bounds are None, which JSON writes as null where it has no infinity.
    Raises ValueError if there is no value, one is not finite, or `confidence` is out of range.
    """
    sample = _as_sample(values)
    mean = float(sample.mean())
    _check_confidence(confidence)
    if len(sample) == 1:
        return MeanInterval(mean, None, None)
    standard_error = float(sample.std(ddof=1)) / math.sqrt(len(sample))
    half_width = student_t_quantile(len(sample) - 1, confidence) * standard_error
    return MeanInterval(mean, mean - half_width, mean + half_width)


@functools.lru_cache(maxsize=256)
def student_t_quantile(degrees: int, confidence: float = 0.95) -> float:
    """Return t such that a Student variable of `degrees` degrees of freedom lies within -t and t with `confidence`.

    Raises ValueError if `degrees` is below 1 or `confidence` is not between 0 and 1.
    """
    if degrees < 1:
        raise ValueError(f"degrees of freedom must be 1 or more; got {degrees}")
    _check_confidence(confidence)
    low, high = 0.0, 1.0
    while _central_probability(high, degrees) < confidence:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        if _central_probability(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return high


def share(flags: npt.ArrayLike) -> float:
    """Return the share of true entries, from 0 to 1, of an array of any shape.

    Raises ValueError if there is no entry.
    """
    entries = np.asarray(flags, dtype=np.bool_)
    if entries.size == 0:
        raise ValueError("a share needs at least one entry")
    return float(entries.mean())


def outcome_shares(settlements: npt.ArrayLike) -> OutcomeShares:
    """Return the shares of parties won, drawn and lost by the agent whose settlements are given.

    settlements: one a party (not a pair), positive for a win of the first agent, 0 for a drawn partie
    Raises ValueError if there is no party or a settlement is not finite.
    """
    results = _as_sample(settlements)
    return OutcomeShares(share(results > 0), share(results == 0), share(results < 0))


def _central_probability(bound: float, degrees: int) -> float:
    """Return the probability that a Student variable lies within `-bound` and `bound`.

    With t = sqrt(degrees) tan(angle), the density becomes a constant times cos(angle) ** (degrees - 1), which is
    smooth up to the bound and summed by Gauss's quadrature.
    """
    angle = math.atan(bound / math.sqrt(degrees))
    angles = (_NODES + 1) * (angle / 2)
    integral = float(_WEIGHTS @ np.cos(angles) ** (degrees - 1)) * angle / 2
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) * 2 / math.sqrt(math.pi)
    return constant * integral


def _as_sample(values: npt.ArrayLike) -> _Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or len(sample) == 0:
        raise ValueError(f"a sample is a list of at least one number; got shape {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError("a sample must hold finite numbers only")
    return sample


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1; got {confidence}")
