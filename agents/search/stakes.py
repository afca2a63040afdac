"""What a decision in the play is about: the terms of the solver, from what a seat sees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.base import AgentError
from piquet_env.equity import CAVENDISH, MAX_DEALS, MAX_RUBICON_LINE, EquityTable, equity_table
from piquet_env.rules.state import YOUNGER
from piquet_env.rules.variants import Rules

from .outcome import Worth
from .seen import Seen
from .terms import MOST_TO_COME, Terms

EQUITY_CHOICES = ("last", "always", "never")
EQUITY_STEPS = 8  # a settlement point is so many of the solver's whole numbers
FINE_STEPS = 64  # and so many where the deal is played on


class Stakes:
    """What decisions of a partie are about: points, or equity where the state of the partie makes a difference.

    equity: "last" plays for equity in the last deal, "always" in every deal, "never" for points
    Au cent is played for points to the end of the deal, whatever ends the game before.
    """

    def __init__(self, rules: Rules, equity: str) -> None:
        if equity not in EQUITY_CHOICES:
            raise AgentError(f"equity must be one of {', '.join(EQUITY_CHOICES)}, not {equity!r}")
        self._when = equity
        self._table = None if equity == "never" else equity_of(rules)

    def _by_equity(self, seen: Seen) -> EquityTable | None:
        """Return the table by which a decision is made; None where it is about points."""
        table = self._table
        if table is None or seen.deal_number > table.last_deal or (self._when == "last" and seen.deals_left > 0):
            return None
        return table

    def worth_of_points(self, seen: Seen) -> Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
        """Return what values the points of the whole deal, own and the other's (int64[..., 2]): int64[...]."""
        table = self._by_equity(seen)
        if table is None:
            return lambda points: points[..., 0] - points[..., 1]
        own, other = seen.totals

        def worth(points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            totals = own + points[..., 0], other + points[..., 1]
            return np.rint(FINE_STEPS * table.expected_many(seen.deal_number, *totals, seen.role == YOUNGER)).astype(
                np.int64
            )

        return worth

    def terms(self, seen: Seen) -> Terms:
        """Return the terms of a decision in the play."""
        table = self._by_equity(seen)
        return terms_of(seen, None if table is None else worth_behind(seen, table, seen.points()))

    def worth(self, seen: Seen) -> Worth | None:
        """Return the worth of points by those that stand in the score; None where a decision is about points."""
        table = self._by_equity(seen)
        if table is None:
            return None
        return lambda own, other: worth_behind(seen, table, (own, other))


def terms_of(seen: Seen, equity: npt.NDArray[np.int64] | None = None) -> Terms:
    """Return the terms of the rest of the deal, side 0 the seat that sees.

    equity: the worth of points to come (see `worth_behind`); None: points
    """
    return Terms(
        rules=seen.rules,
        towards=seen.towards_pique(),
        may_pique=seen.may_pique(),
        booked=seen.booked_cards(),
        equity=equity,
    )


def equity_of(rules: Rules) -> EquityTable | None:
    """Return the equity table of a partie under these rules; None where there is none (au cent, very long parties)."""
    if rules.form != "rubicon" or rules.deals > MAX_DEALS or rules.rubicon_line > MAX_RUBICON_LINE:
        return None
    return equity_table(rules.deals, rules.tie_break, rules.rubicon_line, version=CAVENDISH)


def worth_behind(seen: Seen, equity: EquityTable, points: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the worth of x points to come for the seat and y for the other: int64[84, 84], by EQUITY_STEPS.

    points: of this deal so far, own and the other's
    """
    to_come = np.arange(MOST_TO_COME + 1)
    own_total, other_total = seen.totals
    worth = equity.expected_many(
        seen.deal_number,
        own_total + points[0] + to_come[:, None],
        other_total + points[1] + to_come[None, :],
        seen.role == YOUNGER,
    )
    return np.rint(EQUITY_STEPS * worth).astype(np.int64)
