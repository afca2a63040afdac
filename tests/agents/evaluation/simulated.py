"""Settlements of simulated duplicate matches: bimodal, heavy in the right places, and with a mean that is known."""

from __future__ import annotations

import numpy as np

from piquet_env.equity import CAVENDISH, deal_scores

Floats = np.ndarray


def pair_population(pairs: int, seed: int, advantage: float = 0.0) -> Floats:
    """The means of many simulated pairs, float64[pairs]; samples from them have this array's mean as their truth.

    Both parties of a pair deal from Cavendish's record; in three deals of five the second repeats what the cards gave
    the first. The first agent makes `advantage` points more a deal, on the mean.
    """
    rng = np.random.default_rng(seed)
    elder, younger = deal_scores(CAVENDISH).marginals
    draws = [rng.choice(len(scores), (2, pairs, 6), p=scores) for scores in (elder, younger)]
    repeats = rng.random((pairs, 6)) < 0.6
    for scores in draws:
        scores[1] = np.where(repeats, scores[0], scores[1])
    is_elder = np.arange(6) % 2 == 0
    settlements = np.zeros((2, pairs))
    for half in range(2):
        elders_turn = is_elder if half == 0 else ~is_elder
        extra = rng.poisson(advantage, (pairs, 6)) if advantage else 0
        own = (np.where(elders_turn, draws[0][half], draws[1][half]) + extra).sum(axis=1)
        other = np.where(elders_turn, draws[1][half], draws[0][half]).sum(axis=1)
        low = np.minimum(own, other)
        settlements[half] = np.sign(own - other) * (100 + np.maximum(own, other) + np.where(low >= 100, -low, low))
    return settlements.mean(axis=0)
