"""Play to the score: what a point more is worth to this seat, and what a point less of the other's.

Both slopes are differences of the equity table, the expected settlement of the partie, taken around the totals that
the deal is likely to end with.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from piquet_env.equity import equity_table

from .jit import inner

PLAIN = 256  # the slope of a point where the score is not looked at
FRACTION = 16  # the table holds sixteenths of a settlement point, so that its rounding is the same everywhere
DEALS = 6
# The points that a deal brings on average, and how far around the likely end the slope looks: before and in the play.
ELDER_POINTS, YOUNGER_POINTS = 32, 18
WIDE, NARROW = 24, 8


@lru_cache
def equity_in_sixteenths(tie_break: str = "two_deals", rubicon_line: int = 100) -> np.ndarray:
    """Return the equity table by deals played and the totals of the next elder and younger: int32[D, size, size]."""
    values = np.rint(equity_table(DEALS, tie_break, rubicon_line).values * FRACTION).astype(np.int32)
    values.setflags(write=False)
    return values


def no_equity() -> np.ndarray:
    """Return the table that stands for: do not look at the score."""
    return np.zeros((0, 1, 1), dtype=np.int32)


@inner
def _after(equity: np.ndarray, layer: int, elder: bool, own: int, other: int) -> int:
    """Return the worth of totals at the end of a deal to the seat that was elder in it, or younger."""
    bound = equity.shape[1] - 1
    while own > bound or other > bound:  # far above the line only the difference counts
        own -= 1
        other -= 1
    own, other = max(own, 0), max(other, 0)
    return -equity[layer, other, own] if elder else equity[layer, own, other]


@inner
def write_slopes(equity: np.ndarray, seat: np.void, slopes: np.ndarray) -> None:
    """Write the worth of an own point and of a point of the other's (usually negative), int64[2]."""
    slopes[0], slopes[1] = PLAIN, -PLAIN
    if equity.shape[0] == 0:
        return
    last = equity.shape[0] - 1 if seat["extra_deals"] else DEALS
    layer = max(last - seat["deals_left"], 0)
    elder = seat["elder"] == 1
    own_mean, other_mean = (ELDER_POINTS, YOUNGER_POINTS) if elder else (YOUNGER_POINTS, ELDER_POINTS)
    own = seat["own_sum"] + max(own_mean, seat["own_score"] + 6)
    other = seat["other_sum"] + max(other_mean, seat["other_score"] + 6)
    step = WIDE
    if seat["own_trick"] | seat["other_trick"]:
        played = seat["own_tricks"] + seat["other_tricks"]
        own = seat["own_sum"] + seat["own_score"] + (16 - played) // 2
        other = seat["other_sum"] + seat["other_score"] + (16 - played) // 2
        step = NARROW
    slopes[0] = _after(equity, layer, elder, own + step, other) - _after(equity, layer, elder, own - step, other)
    slopes[1] = _after(equity, layer, elder, own, other + step) - _after(equity, layer, elder, own, other - step)
    if slopes[0] == 0 and slopes[1] == 0:
        slopes[0], slopes[1] = PLAIN, -PLAIN
