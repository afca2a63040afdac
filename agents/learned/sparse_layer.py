"""The first layer of the networks in training: only the inputs that are not zero are multiplied (reading.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.jit import jit

from .network import multiply_rows
from .reading import WORD, Inputs

USUAL_INPUTS = 1000  # a reading with more of them lists hardly more, so its weights must not begin smaller


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


class _SparseProduct(torch.autograd.Function):
    """`multiply_rows` with its gradient; none is computed for the observation."""

    @staticmethod
    def forward(
        ctx: Any, starts: np.ndarray, ends: np.ndarray, found: Inputs, weight: torch.Tensor, bias: torch.Tensor
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
        product: torch.Tensor = _SparseProduct.apply(  # type: ignore[no-untyped-call]  # torch has no types here
            starts, ends, found, self.weight, self.bias
        )
        return product
