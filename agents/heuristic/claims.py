"""Calls, declarations and further combinations: everything that may score is claimed, the best first."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import pattern_cards, pattern_of
from piquet_env.rules.holdings import is_whole_run, item_top, set_size
from piquet_env.rules.tables import DOWN_RUN, PATTERN_PIPS

from .jit import inner


@inner
def first_legal(mask: np.ndarray, start: int, end: int) -> int:
    """Return the first legal action from `start` and before `end`; -1 if there is none."""
    for action in range(start, end):
        if mask[action]:
            return action
    return -1


@inner
def choose_point(mask: np.ndarray, hand: int, layout: np.void) -> int:
    """Return the legal point with the most cards, then pips; -1 if there is none."""
    best, most = -1, -1
    for suit in range(4):
        pattern = pattern_of(hand, suit, layout["ranks"])
        worth = 1000 * pattern_cards(pattern) + PATTERN_PIPS[pattern]
        if mask[layout["id point"] + suit] and worth > most:
            best, most = layout["id point"] + suit, worth
    return best


@inner
def choose_sequence(mask: np.ndarray, hand: int, calling: bool, layout: np.void) -> int:
    """Return the legal sequence to claim, a whole run if one may be claimed; -1 if there is none.

    A call is the longest, then the highest. Further claims come in ascending order, so the first comes first.
    """
    ranks = layout["ranks"]
    best, most = -1, -1
    for item in range(layout["id set"] - layout["id sequence"]):
        action = layout["id sequence"] + item
        if mask[action]:
            top = item_top(item, ranks)
            pattern = pattern_of(hand, item // (ranks - 2), ranks)
            worth = 1000 if is_whole_run(pattern, top) else 0
            if calling:
                worth += 10 * DOWN_RUN[pattern, top] + top
            if worth > most:
                best, most = action, worth
    return best


@inner
def choose_set(mask: np.ndarray, hand: int, calling: bool, layout: np.void) -> int:
    """Return the legal set to claim; -1 if there is none: as a call the largest, then the highest, else the first."""
    best, most = -1, -1
    for item in range(5):
        action = layout["id set"] + item
        worth = 10 * set_size(hand, item + 4, layout["ranks"]) + item if calling else 0
        if mask[action] and worth > most:
            best, most = action, worth
    return best
