"""Probabilities over the legal actions alone, sampled and differentiated by kernels.

Illegal actions have no part in any sum, so nothing that should be zero is rounded to something else and no distribution
can become invalid, however long a run is. And of 140 actions about five are legal, which is what is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.jit import inner, jit


@inner
def _highest(logits: np.ndarray, mask: np.ndarray) -> float:
    """Return the highest legal logit."""
    highest = -np.inf
    for action in range(mask.shape[0]):
        if mask[action] and logits[action] > highest:
            highest = np.float64(logits[action])
    return highest


@jit
def sample_rows(
    logits: np.ndarray, masks: np.ndarray, numbers: np.ndarray, actions: np.ndarray, log_probs: np.ndarray
) -> None:
    """Draw a legal action for each row by the row's number, and note the logarithm of its probability.

    logits: float32[N, A]; masks: int8[N, A], at least one legal action a row; numbers: float64[N] in [0, 1)
    actions, log_probs: int64[N], float32[N], overwritten
    """
    for row in range(masks.shape[0]):
        highest = _highest(logits[row], masks[row])
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                total += np.exp(np.float64(logits[row, action]) - highest)
        threshold = numbers[row] * total
        reached = 0.0
        chosen = -1
        for action in range(masks.shape[1]):
            if masks[row, action]:
                weight = np.exp(np.float64(logits[row, action]) - highest)
                if weight > 0:  # rounding may leave the threshold unreached: then it is the last possible one
                    chosen = action
                reached += weight
                if reached > threshold:
                    break
        actions[row] = chosen
        log_probs[row] = np.float64(logits[row, chosen]) - highest - np.log(total)


@jit
def weigh_rows(
    logits: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    log_totals: np.ndarray,
    log_probs: np.ndarray,
    entropies: np.ndarray,
) -> None:
    """Write the logarithm of each action's probability, and the entropy over the row's legal actions.

    logits: float32[N, A]; masks: int8[N, A]; actions: int64[N], legal
    log_totals: float64[N], logarithm of the sum of the legal exponentials, overwritten
    log_probs: float32[N], overwritten
    entropies: float32[N], overwritten: as shares of the most that they can be; 0 with a single legal action
    """
    for row in range(masks.shape[0]):
        highest = _highest(logits[row], masks[row])
        total = 0.0
        mean = 0.0
        legal = 0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                legal += 1
                above = np.float64(logits[row, action]) - highest
                weight = np.exp(above)
                total += weight
                mean += weight * above
        log_totals[row] = highest + np.log(total)
        log_probs[row] = np.float64(logits[row, actions[row]]) - log_totals[row]
        entropies[row] = (np.log(total) - mean / total) / np.log(legal) if legal > 1 else 0.0


@jit
def slope_rows(
    logits: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    log_totals: np.ndarray,
    entropies: np.ndarray,
    by_log_prob: np.ndarray,
    by_entropy: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the gradient by the logits into `out`, float32[N, A] of zeros, from those by what `weigh_rows` wrote."""
    for row in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                legal += 1
        most = np.log(legal) if legal > 1 else 1.0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                log_prob = np.float64(logits[row, action]) - log_totals[row]
                prob = np.exp(log_prob)
                slope = -prob * by_log_prob[row]
                if legal > 1:
                    slope -= prob * (log_prob / most + entropies[row]) * by_entropy[row]
                out[row, action] = slope
        out[row, actions[row]] += by_log_prob[row]


class _Choice(torch.autograd.Function):
    """`weigh_rows` with its gradient by the logits."""

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        given = (logits.detach().contiguous().numpy(), masks.numpy(), actions.numpy())
        log_totals = np.empty(len(actions))
        log_probs, entropies = torch.empty(len(actions)), torch.empty(len(actions))
        weigh_rows(*given, log_totals, log_probs.numpy(), entropies.numpy())
        ctx.given = (*given, log_totals, entropies.numpy().copy())
        return log_probs, entropies

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        by_log_prob, by_entropy = (slope.contiguous().numpy() for slope in grad_outputs)
        out = torch.zeros(ctx.given[0].shape)
        logits, masks, actions, log_totals, entropies = ctx.given
        slope_rows(logits, masks, actions, log_totals, entropies, by_log_prob, by_entropy, out.numpy())
        return out, None, None


def weigh_choices(
    logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probabilities of the actions and entropies over the legal ones, as shares of the most possible.

    logits: float32[N, A]; masks: int8[N, A], 0 and 1; actions: int64[N], legal
    A share is comparable between decisions with two legal actions and with twelve. Both results are float32[N].
    """
    log_probs, entropies = _Choice.apply(logits, masks, actions)  # type: ignore[no-untyped-call]  # torch has no types here
    return log_probs, entropies
