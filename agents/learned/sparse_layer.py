"""The first layer of the networks in training: only the inputs that are not zero are multiplied (reading.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.jit import jit

from .reading import WORD, Inputs

USUAL_INPUTS = 1000  # a reading with more of them lists hardly more, so its weights must not begin smaller


@jit
def copy_lists(
    starts: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    offsets: np.ndarray,
    own_places: np.ndarray,
    own_values: np.ndarray,
) -> None:
    """Write the listed rows one behind the other.

    starts, ends: int64[N], where the list of each row lies in `places` and `values`
    offsets:      int32[N + 1], overwritten: where it lies in `own_places` and `own_values`, which are overwritten too
    """
    found = 0
    for row in range(starts.shape[0]):
        offsets[row] = found
        for at in range(starts[row], ends[row]):
            own_places[found] = places[at]
            own_values[found] = values[at]
            found += 1
    offsets[starts.shape[0]] = found


@jit
def add_weight_gradient(
    offsets: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the gradient of the weights to `out`.

    offsets, places, values: the lists, as `copy_lists` writes them
    slopes: float32[N, H], the gradient of the layer's output; out: float32[entries, H]
    """
    for row in range(slopes.shape[0]):
        slope = slopes[row]
        for at in range(offsets[row], offsets[row + 1]):
            sums, value = out[places[at]], values[at]
            for unit in range(sums.shape[0]):
                sums[unit] += value * slope[unit]


class _SparseProduct(torch.autograd.Function):
    """Listed rows times a weight plus a bias, with its gradient; none is computed for the observation.

    torch's `embedding_bag` adds up a row's weights in registers and fetches the next ones in time.
    """

    @staticmethod
    def forward(
        ctx: Any,
        offsets: torch.Tensor,
        places: torch.Tensor,
        values: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
    ) -> torch.Tensor:
        ctx.lists, ctx.shape = (offsets.numpy(), places.numpy(), values.numpy()), weight.shape
        out: torch.Tensor = torch.nn.functional.embedding_bag(
            places, weight.detach(), offsets, mode="sum", per_sample_weights=values, include_last_offset=True
        )
        return out.add_(bias.detach())

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[None, None, None, torch.Tensor, torch.Tensor]:
        slopes = grad_outputs[0].contiguous().float()
        gradient = torch.zeros(ctx.shape)
        offsets, places, values = ctx.lists
        add_weight_gradient(offsets, places, values, slopes.numpy(), gradient.numpy())
        return None, None, None, gradient, slopes.sum(0)


class SparseLinear(torch.nn.Module):
    """A linear layer over listed rows; the weight is kept by entry, [inputs, units].

    inputs: inputs that are read, whole words; units: of the output
    is_own: read only the entries below `num_own`, else all
    """

    def __init__(self, inputs: int, units: int, *, is_own: bool) -> None:
        super().__init__()
        if inputs % WORD:
            raise ValueError(f"the inputs must be padded to whole words of {WORD}, not to {inputs}")
        self.is_own = is_own
        self.weight = torch.nn.Parameter(torch.empty(inputs, units))
        self.bias = torch.nn.Parameter(torch.zeros(units))
        torch.nn.init.orthogonal_(self.weight, gain=(2 * max(inputs / USUAL_INPUTS, 1)) ** 0.5)

    def forward(self, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return float32[N, units], or that of some rows."""
        starts, ends = found.starts[:-1], found.own_ends if self.is_own else found.starts[1:]
        if rows is not None:
            starts, ends = starts[rows], ends[rows]
        listed = int((ends - starts).sum())
        offsets, places = np.empty(len(starts) + 1, dtype=np.int32), np.empty(listed, dtype=np.int32)
        values = np.empty(listed, dtype=np.float32)
        copy_lists(starts, ends, found.places, found.values, offsets, places, values)
        lists = (torch.from_numpy(array) for array in (offsets, places, values))
        product: torch.Tensor = _SparseProduct.apply(*lists, self.weight, self.bias)  # type: ignore[no-untyped-call]  # torch has no types here
        return product
