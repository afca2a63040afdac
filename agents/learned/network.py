"""The forward pass of a trained policy, compiled, without a learning library.

A row is computed by itself in a fixed order of additions, so its action does not depend on the size of the batch, as it
would with a matrix product, which rounds differently in other shapes. Inputs and units that are zero are skipped, which
makes it about as fast.
"""

from __future__ import annotations

import numpy as np

from agents.jit import inner, jit


@jit
def multiply_rows(
    starts: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write listed rows times `weight` plus `bias` into `out`.

    starts, ends, places, values: the lists; weight: float32[entries, H]; bias: float32[H]; out: float32[N, H]
    """
    for row in range(out.shape[0]):
        sums = out[row]
        for unit in range(sums.shape[0]):
            sums[unit] = bias[unit]
        at, end = starts[row], ends[row]
        while at + 4 <= end:  # four at a time: the sums are read and written a quarter as often
            w0, w1, w2, w3 = (
                weight[places[at]],
                weight[places[at + 1]],
                weight[places[at + 2]],
                weight[places[at + 3]],
            )
            v0, v1, v2, v3 = values[at], values[at + 1], values[at + 2], values[at + 3]
            for unit in range(sums.shape[0]):
                sums[unit] += v0 * w0[unit] + v1 * w1[unit] + v2 * w2[unit] + v3 * w3[unit]
            at += 4
        while at < end:
            w0, v0 = weight[places[at]], values[at]
            for unit in range(sums.shape[0]):
                sums[unit] += v0 * w0[unit]
            at += 1


@jit
def decide_rows(
    firsts: np.ndarray,
    orders: np.ndarray,
    outputs: np.ndarray,
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

    firsts:     float32[N, sizes[0]], what the first layer makes of each row (`multiply_rows`); overwritten
    orders:     int64[N], the row of `outputs` (int64[orders, A]) by which each row's actions are found in the logits
    masks:      int8[N, A]
    parameters: float32: behind the first layer, layer by layer the weights by input, [in, out], and the bias, [out]
    sizes:      int64: width of each hidden layer, and number of logits
    tanh:       tanh between the layers, else relu
    greedy:     the most probable action, else one drawn by the row's number of `numbers`, float64[N] in [0, 1)
    room:       float32[3, widest], scratch
    """
    for row in range(masks.shape[0]):
        logits = room[_find_logits(firsts[row], outputs[orders[row]], parameters, sizes, tanh, room)]
        actions[row] = _best(logits, masks[row]) if greedy else _sample(logits, masks[row], numbers[row])


@jit
def weigh_rows(
    firsts: np.ndarray,
    orders: np.ndarray,
    outputs: np.ndarray,
    masks: np.ndarray,
    parameters: np.ndarray,
    sizes: np.ndarray,
    tanh: bool,
    room: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """Write the softmax of each row's legal logits into `probabilities`, float64[N, A], zeros before.

    The other arguments are those of `decide_rows`, whose choice by a number has these probabilities.
    """
    for row in range(masks.shape[0]):
        logits = room[_find_logits(firsts[row], outputs[orders[row]], parameters, sizes, tanh, room)]
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


@jit
def evaluate_rows(
    firsts: np.ndarray, parameters: np.ndarray, sizes: np.ndarray, tanh: bool, room: np.ndarray, values: np.ndarray
) -> None:
    """Write the first output for each row into `values`, float32[N]; the other arguments are those of `decide_rows`."""
    for row in range(firsts.shape[0]):
        values[row] = room[_find_outputs(firsts[row], parameters, sizes, tanh, room), 0]


@inner
def _find_logits(
    first: np.ndarray, outputs: np.ndarray, parameters: np.ndarray, sizes: np.ndarray, tanh: bool, room: np.ndarray
) -> int:
    """Compute a row's logits by action in the scratch, and return the line of it in which they stand."""
    line = _find_outputs(first, parameters, sizes, tanh, room)
    for action in range(outputs.shape[0]):
        room[2, action] = room[line, outputs[action]]
    return 2


@inner
def _find_outputs(first: np.ndarray, parameters: np.ndarray, sizes: np.ndarray, tanh: bool, room: np.ndarray) -> int:
    """Compute a row's outputs in the scratch, and return the line of it in which they stand."""
    layers = sizes.shape[0] - 1
    room[0, : sizes[0]] = first[: sizes[0]]
    start = 0
    for layer in range(layers):
        _activate(room[layer % 2], sizes[layer], tanh)
        _apply_layer(room[layer % 2], room[1 - layer % 2], parameters, start, sizes[layer], sizes[layer + 1])
        start += (sizes[layer] + 1) * sizes[layer + 1]
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
