"""The forward pass of a trained policy, compiled, without a learning library.

A row is computed by itself in a fixed order of additions, so its action does not depend on the size of the batch, as it
would with a matrix product, which rounds differently in other shapes. Most entries of an observation are zero and are
skipped, which makes it about as fast.
"""

from __future__ import annotations

import numpy as np

from agents.jit import inner, jit


@jit
def decide_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    parameters: np.ndarray,
    sizes: np.ndarray,
    tanh: bool,
    greedy: bool,
    numbers: np.ndarray,
    room: np.ndarray,
    actions: np.ndarray,
) -> None:
    """Write an action for each row into `actions`, int64[N]; -1 for a mask of zeros.

    observations: float32[N, sizes[0]]; masks: int8[N, sizes[-1]]
    parameters:   float32: layer by layer the weights by input, [in, out], and the bias, [out]
    sizes:        int64: width of the input, of each hidden layer, and number of actions
    tanh:         tanh between the layers, else relu
    greedy:       the most probable action, else one drawn by the row's number of `numbers`, float64[N] in [0, 1)
    room:         float32[2, widest], scratch
    """
    for row in range(observations.shape[0]):
        logits = room[_find_logits(observations[row], parameters, sizes, tanh, room)]
        actions[row] = _best(logits, masks[row]) if greedy else _sample(logits, masks[row], numbers[row])


@jit
def weigh_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    parameters: np.ndarray,
    sizes: np.ndarray,
    tanh: bool,
    room: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """Write the softmax of each row's legal logits into `probabilities`, float64[N, sizes[-1]], zeros before.

    The other arguments are those of `decide_rows`, whose choice by a number has these probabilities.
    """
    for row in range(observations.shape[0]):
        logits = room[_find_logits(observations[row], parameters, sizes, tanh, room)]
        best = _best(logits, masks[row])
        if best < 0:
            continue
        highest = np.float64(logits[best])
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                probabilities[row, action] = np.exp(np.float64(logits[action]) - highest)
                total += probabilities[row, action]
        for action in range(masks.shape[1]):
            probabilities[row, action] /= total


@inner
def _find_logits(
    observation: np.ndarray, parameters: np.ndarray, sizes: np.ndarray, tanh: bool, room: np.ndarray
) -> int:
    """Compute a row's logits in the scratch, and return the line of it in which they stand."""
    layers = sizes.shape[0] - 1
    room[0, : sizes[0]] = observation
    start = 0
    for layer in range(layers):
        _apply_layer(room[layer % 2], room[1 - layer % 2], parameters, start, sizes[layer], sizes[layer + 1])
        start += (sizes[layer] + 1) * sizes[layer + 1]
        if layer < layers - 1:
            _activate(room[1 - layer % 2], sizes[layer + 1], tanh)
    return layers % 2


@inner
def _apply_layer(
    source: np.ndarray, out: np.ndarray, parameters: np.ndarray, start: int, num_inputs: int, num_outputs: int
) -> None:
    """Write weights times `source` plus bias into `out`."""
    bias = start + num_inputs * num_outputs
    for place in range(num_outputs):
        out[place] = parameters[bias + place]
    for entry in range(num_inputs):
        value = source[entry]
        if value != 0:
            first = start + entry * num_outputs
            for place in range(num_outputs):
                out[place] += value * parameters[first + place]


@inner
def _activate(values: np.ndarray, size: int, tanh: bool) -> None:
    for place in range(size):
        if tanh:
            values[place] = np.tanh(values[place])
        elif values[place] < 0:
            values[place] = 0


@inner
def _best(logits: np.ndarray, mask: np.ndarray) -> int:
    """Return the legal action with the highest logit, the first of several; -1 if none is legal."""
    best = -1
    for action in range(mask.shape[0]):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    return best


@inner
def _sample(logits: np.ndarray, mask: np.ndarray, number: float) -> int:
    """Return a legal action drawn from the softmax of the legal logits; -1 if none is legal."""
    best = _best(logits, mask)
    if best < 0:
        return -1
    highest = np.float64(logits[best])
    total = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            total += np.exp(np.float64(logits[action]) - highest)
    threshold = number * total
    reached = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            reached += np.exp(np.float64(logits[action]) - highest)
            if reached > threshold:
                return action
    return best  # rounding alone can lead here
