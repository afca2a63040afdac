"""The values of the game as data; each row names its law in docs/rules.md by its subject."""

from __future__ import annotations

import numpy as np

PIPS = (6, 7, 8, 9, 10, 10, 10, 10, 11)  # by pattern rank, six to ace; only to break a tie of equally long points
SEQUENCE_VALUE = (
    0,
    0,
    0,
    3,
    4,
    15,
    16,
    17,
    18,
    19,
)  # by length, tierce to neuvieme: from five cards on, ten and the length
SET_VALUE = (0, 0, 0, 3, 14)  # by size: trio, quatorze
CARTE_BLANCHE = 10
REPIQUE = 60
PIQUE = 30
BONUS_AT = 30  # repique and pique are reached at thirty
CARDS = 10  # for seven tricks or more
CAPOT = 40  # for all twelve, instead of the ten
SEQUENCE_NAMES = ("", "", "", "tierce", "quart", "quint", "sixieme", "septieme", "huitieme", "neuvieme")
SET_NAMES = ("", "", "", "trio", "quatorze")

PATTERN_PIPS = np.array(
    [sum(p for rank, p in enumerate(PIPS) if pattern >> rank & 1) for pattern in range(512)], dtype=np.int64
)
SEQUENCE_POINTS = np.array(SEQUENCE_VALUE, dtype=np.int64)
SET_POINTS = np.array(SET_VALUE, dtype=np.int64)
# The length of the unbroken run that goes down from each rank of a pattern: DOWN_RUN[pattern, rank].
DOWN_RUN = np.zeros((512, 9), dtype=np.int64)
for _pattern in range(512):
    for _rank in range(9):
        if _pattern >> _rank & 1:
            DOWN_RUN[_pattern, _rank] = 1 + (DOWN_RUN[_pattern, _rank - 1] if _rank else 0)
