"""What a deal is worth from the first lead on: the declarations as booked, and the play with both hands known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.rules.state import COLUMN_CARDS, COLUMN_PLAY, DEAL_OVER, ELDER
from piquet_env.rules.tables import PIQUE
from piquet_env.rules.variants import Rules

from .solver import Solver
from .terms import Terms

_HAND_COLUMNS = 4


def value_outcomes(solver: Solver, rules: Rules, rows: np.ndarray, role: int) -> npt.NDArray[np.float64]:
    """Return the points of `role` less the other's in each row, float64[N].

    rows: STATE_DTYPE[N], in which the first card is led and younger has declared; the lead is taken back, so that
          elder plays his best. Rows that have ended count as they stand.
    """
    points = rows["points"]
    hand = points[:, :, :COLUMN_PLAY].sum(axis=2) - PIQUE * rows["has_pique"]
    towards = points[:, :, :_HAND_COLUMNS].sum(axis=2)
    values = (hand[:, role] - hand[:, 1 - role]).astype(np.float64)
    hands = rows["hands"].astype(np.int64)
    led = rows["led"]
    hands[:, ELDER] |= np.where(led >= 0, np.int64(1) << np.maximum(led, 0), 0)
    over = rows["phase"] >= DEAL_OVER
    values[over] = (rows["score"][over, role] - rows["score"][over, 1 - role]).astype(np.float64)
    may = (rows["has_repique"] == 0).astype(np.int64)
    # Only what a pique still lacks tells terms apart; far from one they are all alike.
    near = may & (towards[:, ::-1] == 0) & (towards >= 30 - 13 - 10 * int(rules.cards_count_for_pique))
    groups = np.where(near, towards, -1)
    for kind in np.unique(groups[~over], axis=0):
        part = np.flatnonzero(~over & (groups == kind).all(axis=1))
        own, other = int(kind[role]), int(kind[1 - role])
        terms = Terms(
            rules=rules,
            towards=(max(own, 0), max(other, 0)) if max(own, other) > 0 else (1, 1),
            may_pique=(own >= 0, other >= 0),
        )
        pairs = np.ascontiguousarray(hands[part][:, [role, 1 - role]])
        values[part] += solver.values(pairs, own_leads=role == ELDER, won=0, terms=terms)
    return values


assert COLUMN_CARDS == COLUMN_PLAY + 1, "hand columns stand before those of the play"
