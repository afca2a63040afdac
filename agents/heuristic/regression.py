"""Least squares for sums of look-ups: each row names a few weights, and their sum shall be near its target."""

from __future__ import annotations

import numpy as np

from .jit import jit


def fit_sums(terms: np.ndarray, targets: np.ndarray, ridge: np.ndarray, rounds: int = 60) -> np.ndarray:
    """Return weights, float64[W, T], that minimise the squared error plus the ridge, by conjugate gradients.

    terms:   int32[N, M], the places of the weights that make up each row
    targets: float64[N, T]
    ridge:   float64[W], by how much each weight is held towards zero, in rows
    """
    counts = np.zeros(len(ridge))
    _spread(terms, np.ones(len(terms)), counts)
    weights = np.zeros((len(ridge), targets.shape[1]))
    for column in range(targets.shape[1]):
        weights[:, column] = _solve(terms, np.ascontiguousarray(targets[:, column]), ridge, counts + ridge, rounds)
    return weights


def predict_sums(terms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return what each row's weights sum to, float64[N, T]."""
    sums = np.empty((len(terms), weights.shape[1]))
    for column in range(weights.shape[1]):
        _gather(terms, np.ascontiguousarray(weights[:, column]), sums[:, column])
    return sums


def _solve(terms: np.ndarray, target: np.ndarray, ridge: np.ndarray, scale: np.ndarray, rounds: int) -> np.ndarray:
    """Return the weights of one column; scale: the diagonal, by which the steps are preconditioned."""
    weights, residual, sums = np.zeros(len(ridge)), np.zeros(len(ridge)), np.zeros(len(terms))
    _spread(terms, target, residual)
    direction = residual / scale
    size = residual @ direction
    for _ in range(rounds):
        _gather(terms, direction, sums)
        image = ridge * direction
        _spread(terms, sums, image)
        step = size / (direction @ image)
        weights += step * direction
        residual -= step * image
        scaled = residual / scale
        before, size = size, residual @ scaled
        direction = scaled + size / before * direction
    return weights


@jit
def _gather(terms: np.ndarray, weights: np.ndarray, sums: np.ndarray) -> None:
    for row in range(terms.shape[0]):
        total = 0.0
        for place in range(terms.shape[1]):
            total += weights[terms[row, place]]
        sums[row] = total


@jit
def _spread(terms: np.ndarray, values: np.ndarray, weights: np.ndarray) -> None:
    for row in range(terms.shape[0]):
        for place in range(terms.shape[1]):
            weights[terms[row, place]] += values[row]
