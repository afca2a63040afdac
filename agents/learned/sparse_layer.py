"""The first layer of the networks in training: observations are mostly zeros, and only the others are multiplied.

Of some nine hundred entries about a hundred are not zero, and the first layer holds two thirds of a network's weights.
Observations are read as the int8 that the batch writes; their nonzero entries are listed once, for both networks and
for the way forward and back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from agents.jit import jit

WORD = 8  # entries looked at together; a row is padded to whole words


class Nonzeros(NamedTuple):
    """The nonzero entries of N rows, one list behind the other.

    starts: int64[N + 1], where each row's list begins; own_ends: int64[N], where its entries below `num_own` end
    places: int32, the entries; values: float32, scaled
    """

    starts: np.ndarray
    own_ends: np.ndarray
    places: np.ndarray
    values: np.ndarray


@jit
def list_nonzeros(
    words: np.ndarray,
    scale: np.ndarray,
    own_words: int,
    starts: np.ndarray,
    own_ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
) -> None:
    """Fill the arrays of `Nonzeros` from rows of int8 entries that are read as int64[N, W] words."""
    entries = words.view(np.int8)
    found = 0
    for row in range(words.shape[0]):
        starts[row] = found
        for word in range(words.shape[1]):
            if word == own_words:
                own_ends[row] = found
            if words[row, word] == 0:
                continue
            for entry in range(WORD * word, WORD * word + WORD):
                if entries[row, entry] != 0:
                    places[found] = entry
                    values[found] = np.float32(entries[row, entry]) * scale[entry]
                    found += 1
        if own_words >= words.shape[1]:
            own_ends[row] = found
    starts[words.shape[0]] = found


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
def add_weight_gradient(
    starts: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the gradient of the weights to `out`.

    slopes: float32[N, H], the gradient of the layer's output; out: float32[entries, H]
    """
    for row in range(slopes.shape[0]):
        slope = slopes[row]
        for at in range(starts[row], ends[row]):
            sums, value = out[places[at]], values[at]
            for unit in range(sums.shape[0]):
                sums[unit] += value * slope[unit]


def find_nonzeros(rows: np.ndarray, scale: np.ndarray, num_own: int) -> Nonzeros:
    """Return the nonzero entries of int8[N, entries], times `scale`; `entries` and `num_own` are whole words."""
    words = np.ascontiguousarray(rows).view(np.int64)
    most = int(np.count_nonzero(rows))
    found = Nonzeros(
        np.empty(len(rows) + 1, dtype=np.int64),
        np.empty(len(rows), dtype=np.int64),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.float32),
    )
    list_nonzeros(words, scale, num_own // WORD, *found)
    return found


class _SparseProduct(torch.autograd.Function):
    """`multiply_rows` with its gradient; none is computed for the observation."""

    @staticmethod
    def forward(
        ctx: Any, starts: np.ndarray, ends: np.ndarray, found: Nonzeros, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        out = torch.empty(len(ends), len(bias))
        lists = (starts, ends, found.places, found.values)
        multiply_rows(*lists, weight.detach().numpy(), bias.detach().numpy(), out.numpy())
        ctx.lists, ctx.shape = lists, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[None, None, None, torch.Tensor, torch.Tensor]:
        slopes = grad_outputs[0].contiguous().float()
        gradient = torch.zeros(ctx.shape)
        starts, ends, places, values = ctx.lists
        add_weight_gradient(starts, ends, places, values, slopes.numpy(), gradient.numpy())
        return None, None, None, gradient, slopes.sum(0)


class SparseLinear(torch.nn.Module):
    """A linear layer over listed rows; the weight is kept by entry, [inputs, units].

    inputs: entries that are read, whole words; units: of the output
    is_own: read only the entries below `num_own`, else all
    """

    def __init__(self, inputs: int, units: int, *, is_own: bool) -> None:
        super().__init__()
        if inputs % WORD:
            raise ValueError(f"the rows must be padded to whole words of {WORD} entries, not to {inputs}")
        self.is_own = is_own
        self.weight = torch.nn.Parameter(torch.empty(inputs, units))
        self.bias = torch.nn.Parameter(torch.zeros(units))
        torch.nn.init.orthogonal_(self.weight, gain=2**0.5)

    def forward(self, found: Nonzeros) -> torch.Tensor:
        """Return float32[N, units]."""
        ends = found.own_ends if self.is_own else found.starts[1:]
        product: torch.Tensor = _SparseProduct.apply(  # type: ignore[no-untyped-call]  # torch has no types here
            found.starts, ends, found, self.weight, self.bias
        )
        return product
