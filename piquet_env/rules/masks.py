"""The legal actions of a row as a mask of action ids."""

from __future__ import annotations

import numpy as np

from .jit import inline, jit


@inline
def write_mask(row: np.void, rules: np.void, masks: np.ndarray, index: int) -> None:
    """Overwrite `masks[index]` (int8[num_actions]) with the legal actions of the seat to act."""
    pack = rules["pack"]
    for action in range(masks.shape[1]):  # a loop becomes one call of memset, a slice would not
        masks[index, action] = 0
    cards, first = row["legal_cards"], row["legal_kind"] * pack
    while cards:
        masks[index, first + lowest_bit(cards)] = 1
        cards &= cards - 1
    words = row["legal_words"]
    while words:
        masks[index, 3 * pack + lowest_bit(words)] = 1
        words &= words - 1


@jit
def lowest_bit(bits: int) -> int:
    """Return the place of the lowest set bit of a mask that is not empty."""
    place = 0
    if bits & 0xFFFFFFFF == 0:
        place, bits = 32, bits >> 32
    if bits & 0xFFFF == 0:
        place, bits = place + 16, bits >> 16
    if bits & 0xFF == 0:
        place, bits = place + 8, bits >> 8
    if bits & 0xF == 0:
        place, bits = place + 4, bits >> 4
    if bits & 0x3 == 0:
        place, bits = place + 2, bits >> 2
    return place + (1 - (bits & 1))
