"""Where the cards may lie, after what has been said and played."""

from __future__ import annotations

import numpy as np

from .jit import inner


@inner
def possible_cards(seat: np.void) -> int:
    """Return the cards that the other may hold: unseen ones of suits that he has followed, and those he has shown."""
    return seat["unseen"] & ~seat["void"] | seat["other_known"]
