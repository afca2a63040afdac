"""`Terms`: what a position is played for, in the form that the solver's kernel reads.

Side 0 is the seat that asks, side 1 the other. Points *to come* are those that a side will still book in this deal by
its cards: for leads, captures and the last trick, for cards and capot, and for a pique.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from piquet_env.rules.tables import BONUS_AT, CAPOT, CARDS, PIQUE
from piquet_env.rules.variants import Rules

MOST_TO_COME = 13 + CAPOT + PIQUE
_FAR = 99  # from a pique

TERMS_DTYPE = np.dtype(
    [
        ("by_table", np.int64),  # 1: the outcome is looked up in a table of equity, 0: it is a difference of points
        ("last_trick", np.int64),
        ("lead_rank", np.int64),
        ("capture_rank", np.int64),
        ("plain", np.int64),  # 1 where every lead and every capture scores
        ("early_cards", np.int64, (2,)),  # by side: the ten for cards that will count towards a pique, 0 or 10
        ("lacks", np.int64, (2,)),  # points that a side lacks for its pique
        ("live", np.int64),  # 1 while a pique is possible
        ("cards", np.int64, (2, 13)),  # points for cards and capot still to come to a side, by tricks won by side 0
    ]
)


@lru_cache(maxsize=64)
def codes_of(rules: Rules) -> np.ndarray:
    """Return `rules.codes()`, made once; read-only."""
    codes = rules.codes()
    codes.setflags(write=False)
    return codes


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is at stake in the rest of a deal.

    rules:     of the partie
    towards:   points of the deal, by side, that count towards a pique so far: hand and play, and early cards
    may_pique: by side, whether it has neither repique nor pique yet
    booked:    points for cards that are booked already, by side (only with `cards_count_for_pique`)
    equity:    int64[84, 84], the worth to side 0 of x points to come to it and y to the other; None: x less y
    """

    rules: Rules
    towards: tuple[int, int] = (_FAR, _FAR)
    may_pique: tuple[bool, bool] = (False, False)
    booked: tuple[int, int] = (0, 0)
    equity: npt.NDArray[np.int64] | None = None

    def codes(self) -> np.ndarray:
        """Return the kernel's form: a structured array of shape (1,) (TERMS_DTYPE)."""
        terms = np.zeros(1, dtype=TERMS_DTYPE)
        codes = codes_of(self.rules)
        early = self.rules.cards_count_for_pique
        terms["by_table"] = self.equity is not None
        terms["last_trick"] = self.rules.last_trick_point
        terms["lead_rank"] = codes["lead_point_min_rank"]
        terms["capture_rank"] = codes["capture_point_min_rank"]
        terms["plain"] = self.rules.lead_point_min_rank == "any" and self.rules.capture_point_min_rank == "any"
        lacks = [self._lacks(side) for side in range(2)]
        terms["live"] = min(lacks) < _FAR
        if terms["live"][0]:
            # Left at zero otherwise, so that positions without a pique are known again from deal to deal.
            terms["early_cards"] = [CARDS if early and not self.booked[side] else 0 for side in range(2)]
            terms["lacks"] = lacks
        for won in range(13):
            for side, tricks in enumerate((won, 12 - won)):
                points = CAPOT if tricks == 12 else CARDS if tricks > 6 else 0
                terms["cards"][0, side, won] = points - self.booked[side]
        return terms

    def _lacks(self, side: int) -> int:
        """Return how many points a side lacks for a pique; `_FAR` where it can make none."""
        lacks = BONUS_AT - self.towards[side]
        reach = 13 + (CARDS if self.rules.cards_count_for_pique else 0)
        possible = self.may_pique[side] and self.towards[1 - side] == 0 and lacks <= reach
        return max(lacks, 0) if possible else _FAR
