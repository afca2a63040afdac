"""Advantages in a two-seat zero-sum game, from one stream of values that is always seat 0's.

The decisions of a partie follow one another whoever takes them: the winner of a trick leads again, so the same seat may
move several times in a row. The stream is therefore never negated from step to step; the whole estimate is made from
seat 0's side, and the sign is turned once, at the end, where seat 1 moved.
"""

from __future__ import annotations

import numpy as np

MOST = 10.0  # a normalised advantage is cut here


def generalised_advantages(
    rewards: np.ndarray, values: np.ndarray, last_values: np.ndarray, ends: np.ndarray, discount: float, trace: float
) -> np.ndarray:
    """Return the generalised advantages of T consecutive decisions in N parties, float32[T, N], from seat 0's side.

    rewards:     float32[T, N], what the step that follows a decision pays to seat 0
    values:      float32[T, N], the critic's value of the state of each decision, to seat 0
    last_values: float32[N], likewise of the states behind the last decisions: they stand for what is cut off
    ends:        bool[T, N], whether the step ended the episode, so that nothing behind it counts
    discount, trace: gamma and lambda
    """
    advantages = np.zeros_like(values)
    following, advantage = last_values, np.zeros_like(last_values)
    for step in range(len(values) - 1, -1, -1):
        goes_on = ~ends[step]
        surprise = rewards[step] + discount * goes_on * following - values[step]
        advantage = surprise + discount * trace * goes_on * advantage
        advantages[step] = advantage
        following = values[step]
    return advantages


def normalise_by_group(advantages: np.ndarray, groups: np.ndarray, num_groups: int) -> np.ndarray:
    """Return advantages with mean 0 and deviation 1 in each group of decisions, cut at ±10.

    advantages: float32, any shape; groups: whole numbers of the same shape
    A group of fewer than two decisions, or without any spread, has no advantages.
    """
    normalised = np.zeros_like(advantages)
    for group in range(num_groups):
        chosen = groups == group
        if np.count_nonzero(chosen) < 2:
            continue
        values = advantages[chosen]
        deviation = values.std(dtype=np.float64)
        if deviation > 1e-6:
            normalised[chosen] = ((values - values.mean(dtype=np.float64)) / deviation).clip(-MOST, MOST)
    return normalised


def explained_variance(values: np.ndarray, returns: np.ndarray) -> float:
    """Return the share of the variance of `returns` that `values` explains; NaN where there is none."""
    variance = returns.var(dtype=np.float64) if len(returns) else 0.0
    return float(1 - (returns - values).var(dtype=np.float64) / variance) if variance > 0 else float("nan")
