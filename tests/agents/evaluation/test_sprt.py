"""The sequential test against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents.arena import play_match
from agents.evaluation.sprt import LOOK_PAIRS, Sprt


def test_the_bounds_are_walds() -> None:
    lower, upper = Sprt(0, 5).bounds
    assert upper == pytest.approx(math.log(19))
    assert lower == -upper
    lower, upper = Sprt(0, 5, alpha=0.01, beta=0.1).bounds
    assert (lower, upper) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


def test_the_ratio_of_a_worked_sample() -> None:
    """1, 2, 3, 4, 5: mean 3, variance 2.5; 5 · (4 − 0) · (6 − 4) / (2 · 2.5) = 8."""
    assert Sprt(0, 4).ratio([1, 2, 3, 4, 5]) == pytest.approx(8)
    assert Sprt(2, 4).ratio([1, 2, 3, 4, 5]) == 0
    assert Sprt(-4, 0).ratio([-1, -2, -3, -4, -5]) == pytest.approx(-8)


def test_the_ratio_is_that_of_normal_densities() -> None:
    """With the variance known, it is the difference of the two log-likelihoods."""
    values = np.random.default_rng(1).normal(3, 100, 500)
    variance = values.var(ddof=1)

    def log_likelihood(mean: float) -> float:
        return float(-((values - mean) ** 2).sum() / (2 * variance))

    assert Sprt(1, 6).ratio(values) == pytest.approx(log_likelihood(6) - log_likelihood(1))


def test_pairs_without_spread_decide_nothing() -> None:
    sprt = Sprt(0, 5)
    assert sprt.ratio([7.0]) is None
    assert sprt.ratio([0.0] * 200) is None
    assert sprt.find_stop([0.0] * 200) is None


def test_it_stops_at_the_first_look_that_decides() -> None:
    sprt = Sprt(0, 5)
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, 300, 100), rng.normal(60, 100, 900)])
    stop = sprt.find_stop(values)
    assert stop is not None
    assert stop % LOOK_PAIRS == 0
    looks = range(LOOK_PAIRS, len(values) + 1, LOOK_PAIRS)
    assert stop == next(pairs for pairs in looks if sprt.verdict(sprt.ratio(values[:pairs])) is not None)
    assert sprt.verdict(sprt.ratio(values[:stop])) == "high"
    assert sprt.find_stop(values, stop) == next(
        pairs for pairs in looks if pairs > stop and sprt.verdict(sprt.ratio(values[:pairs])) is not None
    )


@pytest.mark.parametrize(("low", "high", "alpha"), [(5, 0, 0.05), (1, 1, 0.05), (0, math.inf, 0.05), (0, 5, 0.6)])
def test_what_is_no_test_is_refused(low: float, high: float, alpha: float) -> None:
    with pytest.raises(ValueError, match=r"must lie between|needs two means"):
        Sprt(low, high, alpha=alpha)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_match_ends_where_its_test_does(jobs: int) -> None:
    sprt = Sprt(0, 40)
    whole = play_match("greedy", "greedy:elder_max=4", parties=1_024, seed=3)
    stop = sprt.find_stop(whole.pair_means)
    assert stop is not None
    assert stop < 512
    match = play_match("greedy", "greedy:elder_max=4", parties=1_024, seed=3, sprt=sprt, jobs=jobs)
    assert len(match.pair_means) == stop
    assert (match.records == whole.records[: 2 * stop]).all()
    uneven = play_match("greedy", "greedy:elder_max=4", parties=1_024, seed=3, sprt=sprt, pairs_at_once=100)
    assert (match.records == uneven.records).all()
