"""Play to the score: what a point more is worth to this seat, and what a point of the other's.

Both slopes come from the equity table, the expected settlement of the partie: they are those of the straight line that
fits the table best over all that the deal may bring. Slopes of the table close to the likely end of the deal lose
parties: the kinks at the Rubicon line and at equal totals are narrower than the deal is uncertain.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from piquet_env.equity import CAVENDISH, deal_scores, equity_table
from piquet_env.rules.holdings import set_size
from piquet_env.rules.tables import SET_POINTS

from .jit import inner
from .suits import OWN_CARDS, OWN_SEQUENCES_POINTS, suit_code

PLAIN = 64  # the slope of a point where the score is not looked at
FRACTION = 16  # the table holds sixteenths of a settlement point, so that rounding is the same everywhere
DEALS = 6
MOST_TOTAL = 250  # slopes are known for totals up to this


@lru_cache
def slope_table(tie_break: str = "two_deals", rubicon_line: int = 100) -> np.ndarray:
    """Return the slopes of a Rubicon partie of any number of deals: all but the last six are like the sixth last.

    int16[D, 2, MOST_TOTAL + 1, MOST_TOTAL + 1, 2], in sixteenths: by deals played when the deal ends, whether this seat
    is elder in it, own and other total before it; of own points and of the other's.
    """
    spreads = deal_scores(CAVENDISH).marginals  # by name: another default must not change how the agent plays
    size = MOST_TOTAL + len(spreads[0])
    values = equity_table(DEALS, tie_break, rubicon_line, version=CAVENDISH).values[:, :size, :size]
    beyond = size - values.shape[1]
    values = np.pad(values, ((0, 0), (0, beyond), (0, beyond)), mode="edge")
    lines = np.zeros((len(values), 2, MOST_TOTAL + 1, MOST_TOTAL + 1, 2))
    for layer in range(1, len(values)):
        for elder in range(2):
            after = -values[layer].T if elder else values[layer]  # this deal's elder is the next deal's younger
            own, other = spreads if elder else spreads[::-1]
            lines[layer, elder, :, :, 0] = _over(own, True) @ after @ _over(other, False).T
            lines[layer, elder, :, :, 1] = _over(own, False) @ after @ _over(other, True).T
    slopes = np.rint(lines * FRACTION).astype(np.int16)
    slopes.setflags(write=False)
    return slopes


@lru_cache
def no_slopes() -> np.ndarray:
    """Return the table that stands for: do not look at the score."""
    slopes = np.zeros((0, 2, 1, 1, 2), dtype=np.int16)
    slopes.setflags(write=False)
    return slopes


def _over(odds: np.ndarray, is_slope: bool) -> np.ndarray:
    """Return the matrix that takes the mean over the points of a deal, or the slope of the best line through them."""
    points = np.arange(len(odds))
    mean = odds @ points
    weights = odds * (points - mean) / (odds @ (points - mean) ** 2) if is_slope else odds
    matrix = np.zeros((MOST_TOTAL + 1, MOST_TOTAL + len(odds)))
    for total in range(MOST_TOTAL + 1):
        matrix[total, total : total + len(odds)] = weights
    return matrix


@inner
def write_slopes(table: np.ndarray, seat: np.void, slopes: np.ndarray) -> None:
    """Write the worth of an own point and of a point of the other's (usually negative), int64[2]."""
    slopes[0], slopes[1] = PLAIN, -PLAIN
    if table.shape[0] == 0:
        return
    last = table.shape[0] - 1 if seat["extra_deals"] else DEALS
    layer = max(last - seat["deals_left"], 1)
    # Where both totals are above the line only their difference counts.
    beyond = max(max(seat["own_sum"], seat["other_sum"]) - MOST_TOTAL, 0)
    own, other = max(seat["own_sum"] - beyond, 0), max(seat["other_sum"] - beyond, 0)
    own_slope, other_slope = table[layer, seat["elder"], own, other, 0], table[layer, seat["elder"], own, other, 1]
    if own_slope != 0 or other_slope != 0:
        slopes[0], slopes[1] = own_slope, other_slope


@inner
def is_lost_below(seat: np.void, line: int, facts: np.ndarray) -> bool:
    """Return whether this is the last deal and the seat, short of a capot, can neither win nor reach the line.

    It then pays 100 and both totals, so that each of its own points costs it one, as each of the other's does.
    """
    if line < 0 or seat["deals_left"] > 0:
        return False
    in_hand, longest = 0, 0
    for suit in range(4):
        code = suit_code(seat["hand"], 0, suit, seat["ranks"])
        longest = max(longest, facts[code, OWN_CARDS])
        in_hand += facts[code, OWN_SEQUENCES_POINTS]
    in_hand += longest
    for rank in range(4, 9):
        in_hand += SET_POINTS[set_size(seat["hand"], rank, seat["ranks"])]
    in_play = 13 + 10
    bonus = 0 if in_hand < 30 - 13 else 60
    most = seat["own_sum"] + seat["own_score"] + in_hand + in_play + bonus
    return most < line and most < seat["other_sum"] + seat["other_score"]
