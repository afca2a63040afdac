"""The legal actions of a row as a mask of action ids."""

from __future__ import annotations

import numpy as np

from .cards import lowest_bit
from .jit import inline


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
