"""Intervals and sequential tests keep their promises on settlements as Piquet pays them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents.evaluation.sprt import LOOK_PAIRS, Sprt
from agents.statistics import mean_interval
from tests.agents.evaluation.simulated import pair_population


def covered(matches: int, pairs: int, population: np.ndarray, seed: int) -> float:
    """The share of simulated matches whose interval holds the true mean."""
    truth = population.mean()
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(matches):
        _, low, high = mean_interval(population[rng.integers(len(population), size=pairs)])
        inside += low <= truth <= high
    return inside / matches


def test_the_simulated_settlements_are_bimodal() -> None:
    population = pair_population(100_000, 1)
    assert abs(population.mean()) < 3
    assert 80 < population.std() < 200
    near_zero = np.mean(np.abs(population) < 20)
    won_twice = np.mean((population > 120) & (population < 160))
    assert near_zero < 0.5
    assert won_twice > 0.02


@pytest.mark.parametrize("advantage", [0.0, 4.0])
def test_intervals_cover_the_truth(advantage: float) -> None:
    population = pair_population(200_000, 2, advantage)
    assert covered(2_000, 200, population, 3) == pytest.approx(0.95, abs=0.02)  # 4 standard errors


@pytest.mark.thorough
@pytest.mark.parametrize("advantage", [0.0, 1.0, 4.0])
def test_intervals_cover_the_truth_at_length(advantage: float) -> None:
    population = pair_population(1_000_000, 2, advantage)
    share = covered(20_000, 200, population, 3)
    print(f"advantage {advantage}: mean {population.mean():.1f}, SD {population.std():.1f}, covered {share:.4f}")
    assert share == pytest.approx(0.95, abs=0.01)


def decisions(
    sprt: Sprt, population: np.ndarray, matches: int, cap: int, seed: int
) -> tuple[dict[str | None, int], float]:
    """How often the test decides what over simulated matches, and the mean number of pairs that it takes."""
    rng = np.random.default_rng(seed)
    counts: dict[str | None, int] = {"low": 0, "high": 0, None: 0}
    taken = 0
    for _ in range(matches):
        means = population[rng.integers(len(population), size=cap)]
        stop = sprt.find_stop(means) or cap
        counts[sprt.verdict(sprt.ratio(means[:stop]))] += 1
        taken += stop
    return counts, taken / matches


def shifted(population: np.ndarray, mean: float) -> np.ndarray:
    return population - population.mean() + mean


def test_the_sequential_test_seldom_errs() -> None:
    population, sprt = pair_population(200_000, 4), Sprt(0, 40)
    for mean, wrong in ((0.0, "high"), (40.0, "low")):
        counts, _ = decisions(sprt, shifted(population, mean), 400, 4_096, 5)
        assert counts[wrong] / 400 < 0.05 + 3 * 0.011
        assert counts[None] == 0


@pytest.mark.thorough
def test_the_sequential_test_errs_as_rarely_as_it_says() -> None:
    """Errors and pairs are Wald's, with Siegmund's correction for what the last look oversteps the bound by."""
    population, sprt = pair_population(1_000_000, 4), Sprt(0, 5)
    effect = 5 / population.std()
    bound = math.log(19) + 0.583 * effect * math.sqrt(LOOK_PAIRS)
    error = 1 / (1 + math.exp(bound))
    expected = 2 * (1 - 2 * error) * bound / effect**2
    for mean, wrong in ((0.0, "high"), (5.0, "low")):
        counts, taken = decisions(sprt, shifted(population, mean), 2_000, 20_032, 5)
        print(f"mean {mean}: {counts}, {taken:.0f} pairs, {expected:.0f} expected")
        assert counts[wrong] / 2_000 == pytest.approx(error, abs=4 * math.sqrt(error / 2_000))
        assert counts[None] < 20
        assert taken == pytest.approx(expected, rel=0.05)
