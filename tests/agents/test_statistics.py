"""Statistics of matches against closed forms, published quantiles and simulated coverage."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from agents.statistics import MeanInterval, mean_interval, outcome_shares, pair_means, share, student_t_quantile


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (100, 1.984), (1000, 1.962), (10**7, 1.960)],
)
def test_quantiles_of_the_tables(degrees: int, quantile: float) -> None:
    assert student_t_quantile(degrees) == pytest.approx(quantile, abs=5e-4)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.9, 0.95, 0.99, 0.9999])
def test_quantiles_equal_their_closed_forms(confidence: float) -> None:
    one = math.tan(math.pi * confidence / 2)
    two = confidence * math.sqrt(2 / (1 - confidence**2))
    assert student_t_quantile(1, confidence) == pytest.approx(one, rel=1e-9)
    assert student_t_quantile(2, confidence) == pytest.approx(two, rel=1e-9)
    four = student_t_quantile(4, confidence)  # P(|T| < t) = u (3 - u^2) / 2 with u = t / sqrt(4 + t^2)
    u = four / math.sqrt(4 + four**2)
    assert u * (3 - u**2) / 2 == pytest.approx(confidence, rel=1e-12)


def test_quantiles_fall_with_the_degrees_of_freedom() -> None:
    quantiles = [student_t_quantile(degrees) for degrees in range(1, 200)]
    assert quantiles == sorted(quantiles, reverse=True)


def test_interval_of_a_worked_sample() -> None:
    """1, 2, 3, 4, 5: mean 3, variance 2.5, standard error sqrt(0.5), t of four degrees of freedom 2.776445."""
    mean, low, high = mean_interval([1, 2, 3, 4, 5])
    assert mean == 3
    assert low == pytest.approx(3 - 2.776445 * math.sqrt(0.5), abs=1e-5)
    assert high == pytest.approx(3 + 2.776445 * math.sqrt(0.5), abs=1e-5)


def test_interval_of_equal_values_is_a_point() -> None:
    assert mean_interval([7, 7, 7]) == MeanInterval(7, 7, 7)


def test_one_value_has_no_interval() -> None:
    interval = mean_interval([250.0])
    assert interval == MeanInterval(250, None, None)
    assert json.loads(json.dumps(interval)) == [250, None, None]


@pytest.mark.parametrize("pairs", [2, 5, 40])
def test_interval_covers_the_mean_as_often_as_it_says(pairs: int) -> None:
    samples = np.random.default_rng(7).normal(12, 150, (4_000, pairs))
    covered = 0
    for _, low, high in map(mean_interval, samples):
        assert low is not None
        assert high is not None
        covered += low < 12 < high
    assert covered / 4_000 == pytest.approx(0.95, abs=0.0125)  # 3.6 standard errors


def test_pair_means_join_the_two_parties_of_a_pair() -> None:
    means = pair_means([300, -150, 0], [-100, -150, 221])
    assert means.dtype == np.float64
    assert means.tolist() == [100, -150, 110.5]


def test_shares() -> None:
    assert share([True, False, False, False]) == 0.25
    assert share(np.ones((3, 6), dtype=np.bool_)) == 1
    assert outcome_shares([310, -120, 0, 155]) == (0.5, 0.25, 0.25)


def test_samples_without_meaning_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one number"):
        mean_interval([])
    with pytest.raises(ValueError, match=r"got shape \(2, 2\)"):
        mean_interval(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, math.nan])
    with pytest.raises(ValueError, match="got 2 and 1 results"):
        pair_means([1, 2], [3])
    with pytest.raises(ValueError, match="at least one entry"):
        share([])
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_t_quantile(0)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1; got 1"):
        mean_interval([5.0], confidence=1)
