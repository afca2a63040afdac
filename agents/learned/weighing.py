"""Every legal discard weighed by the critic, instead of the one that was laid out by what came of it.

What an exchange is worth drowns in the luck of the cards that follow. But the learner's critic sees all cards, and the
next positions of the same deal differ by the discard alone: what the critic says of each of them, side by side, tells
discards apart that the outcome of a deal could tell only after many deals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.jit import jit
from piquet_env.batch import PiquetBatch
from piquet_env.observation import make_scratch
from piquet_env.rules.actions import WORD_DRAW
from piquet_env.rules.play import apply, is_forced, only_legal
from piquet_env.rules.state import DEAL_OVER

from .critic import look_at_all
from .reading import Reading

MOST = 10.0  # a normalised advantage is cut here, as those of other decisions are


def exchanging_rows(batch: PiquetBatch) -> npt.NDArray[np.int64]:
    """Return the rows in which cards are laid out or drawn."""
    masks, pack = batch.buffers.action_mask, batch.rules.pack
    return np.flatnonzero(masks[:, pack : 2 * pack].any(axis=1) | (masks[:, 3 * pack + WORD_DRAW] > 0))


def weigh_actions(
    batch: PiquetBatch,
    rows: npt.NDArray[np.int64],
    reading: Reading,
    judge: Callable[[npt.NDArray[np.int8]], npt.NDArray[np.float32]],
) -> npt.NDArray[np.float32]:
    """Return what each legal action is worth to the mover by the critic, float32[rows, A]; 0 for others.

    rows:  of the batch; none of their actions may end the deal
    judge: values to the seat to act of rows with hidden cards, int8[M, row_size]
    """
    masks = batch.buffers.action_mask[rows]
    parents, actions = np.nonzero(masks)
    states = batch.states(rows)[parents]
    movers = states["to_act"].copy()
    codes = batch.rules.codes()
    step_each(states, codes, actions)
    seen = np.zeros((len(states), reading.row_size), dtype=np.int8)
    look_at_all(states, codes, make_scratch()[0], seen, seen[:, reading.own_size :])
    values = np.zeros(masks.shape, dtype=np.float32)
    values[parents, actions] = judge(seen) * np.where(states["to_act"] == movers, 1, -1)
    return values


@jit
def step_each(states: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    """Apply a legal action in each state, and what is forced behind it within the deal."""
    for index in range(states.shape[0]):
        apply(states[index], rules[0], actions[index])
        while states[index]["phase"] < DEAL_OVER and is_forced(states[index]):
            apply(states[index], rules[0], only_legal(states[index], rules[0]))


def advantages_of(values: npt.NDArray[np.float32], probabilities: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return advantages of all actions over the policy's mean, with deviation 1 over the legal ones, cut at ±10.

    values, probabilities: float32[D, A], 0 where an action is not legal
    """
    if len(values) == 0:
        return values
    legal = probabilities > 0
    means = (values * probabilities).sum(axis=1, keepdims=True)
    raw = np.where(legal, values - means, 0)
    deviation = float(np.sqrt((raw.astype(np.float64) ** 2).sum() / np.count_nonzero(legal)))
    return (raw / max(deviation, 1e-6)).clip(-MOST, MOST).astype(np.float32)
