"""What a decision in the play is about: the terms of the solver, from what a seat sees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.equity import MAX_DEALS, MAX_RUBICON_LINE, EquityTable, equity_table
from piquet_env.rules.state import YOUNGER
from piquet_env.rules.variants import Rules

from .seen import Seen
from .terms import MOST_TO_COME, Terms

EQUITY_STEPS = 8  # a settlement point is so many of the solver's whole numbers


def terms_of(seen: Seen, equity: EquityTable | None = None) -> Terms:
    """Return the terms of the rest of the deal, side 0 the seat that sees.

    equity: the worth of totals behind the deal; None: points
    Au cent is played for points to the end of the deal, whatever ends the game before.
    """
    return Terms(
        rules=seen.rules,
        towards=seen.towards_pique(),
        may_pique=seen.may_pique(),
        booked=seen.booked_cards(),
        equity=None if equity is None else worth_of_points(seen, equity),
    )


def equity_of(rules: Rules) -> EquityTable | None:
    """Return the equity table of a partie under these rules; None where there is none (au cent, very long parties)."""
    if rules.form != "rubicon" or rules.deals > MAX_DEALS or rules.rubicon_line > MAX_RUBICON_LINE:
        return None
    return equity_table(rules.deals, rules.tie_break, rules.rubicon_line)


def worth_of_points(seen: Seen, equity: EquityTable) -> npt.NDArray[np.int64] | None:
    """Return the worth of x points to come for the seat and y for the other: int64[84, 84], by EQUITY_STEPS."""
    if seen.deal_number > equity.last_deal:
        return None
    to_come = np.arange(MOST_TO_COME + 1)
    own_points, other_points = seen.points()
    own_total, other_total = seen.totals
    worth = equity.expected_many(
        seen.deal_number,
        own_total + own_points + to_come[:, None],
        other_total + other_points + to_come[None, :],
        seen.role == YOUNGER,
    )
    return np.rint(EQUITY_STEPS * worth).astype(np.int64)
