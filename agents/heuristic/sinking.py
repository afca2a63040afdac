"""Sinking: which combinations are left undeclared.

Silence costs points and tells the other less. The default sinks where an own point is worth less than nothing: in the
last deal, for a seat that can neither win nor reach the Rubicon line, each own point adds to what it will pay.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.holdings import item_length

from .jit import inner

NEVER, WHERE_IT_PAYS, LOW = 0, 1, 2  # what an agent sinks
LOW_POINT, LOW_OTHERS = 4, 3  # the most cards of a point, and of a sequence or set, that are low


@inner
def is_sunk(action: int, hand: int, layout: np.void, sinks: int, slopes: np.ndarray) -> bool:
    """Return whether a claim that could be made is left out.

    action: the claim; sinks: NEVER, WHERE_IT_PAYS or LOW; slopes: see `write_slopes`
    """
    if sinks == WHERE_IT_PAYS:
        return slopes[0] < 0
    if sinks != LOW:
        return False
    ranks = layout["ranks"]
    if action < layout["id sequence"]:
        return item_length(0, action - layout["id point"], hand, ranks, False, 0) <= LOW_POINT
    if action < layout["id set"]:
        return item_length(1, action - layout["id sequence"], hand, ranks, False, 0) <= LOW_OTHERS
    return item_length(2, action - layout["id set"], hand, ranks, False, 0) <= LOW_OTHERS
