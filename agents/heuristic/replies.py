"""Replies to elder's calls: of what may lawfully be said, that which is worth most at this score."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.tables import SEQUENCE_POINTS, SET_POINTS

from .jit import inner


@inner
def _points_of(category: int, length: int) -> int:
    """Return what a combination of a length scores."""
    if category == 0:
        return length
    return SEQUENCE_POINTS[length] if category == 1 else SET_POINTS[length]


@inner
def choose_reply(mask: np.ndarray, layout: np.void, category: int, length: int, slopes: np.ndarray) -> int:
    """Return good, equal or not good.

    category, length: what elder has called, of how many cards; slopes: see `write_slopes`
    An own combination that beats the call is counted with the length of the call, the least it can have.
    """
    points = _points_of(category, length)
    best, most = -1, 0
    for word in (layout["id not good"], layout["id equal"], layout["id good"]):
        if mask[word]:
            worth = 0
            if word == layout["id not good"]:
                worth = slopes[0] * points
            elif word == layout["id good"]:
                worth = slopes[1] * points
            if best < 0 or worth > most:
                best, most = word, worth
    return best
