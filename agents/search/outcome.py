"""What a deal is worth from the first lead on: the declarations as booked, and the play with both hands known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from piquet_env.rules.state import COLUMN_PLAY, DEAL_OVER, ELDER
from piquet_env.rules.tables import BONUS_AT, CARDS, PIQUE
from piquet_env.rules.variants import Rules

from .solver import Solver
from .terms import Terms

_HAND_COLUMNS = 4  # carte blanche, point, sequence and set stand first among the columns of the score
_FAR = -1

# The worth to a side of points to come to it and to the other, when it has some points of the deal and the other some.
Worth = Callable[[int, int], npt.NDArray[np.int64]]


def value_outcomes(
    solver: Solver, rules: Rules, rows: np.ndarray, role: int, worth: Worth | None = None
) -> npt.NDArray[np.float64]:
    """Return what each row is worth to `role`, float64[N]: its points less the other's, or by `worth`.

    rows: STATE_DTYPE[N], in which the first card is led and younger has declared; the lead is taken back, so that
          elder plays his best. Rows that have ended count as they stand.
    """
    order = [role, 1 - role]
    points = rows["points"]
    hand = (points[:, :, :COLUMN_PLAY].sum(axis=2) - PIQUE * rows["has_pique"])[:, order]
    towards = points[:, :, :_HAND_COLUMNS].sum(axis=2)[:, order]
    over = rows["phase"] >= DEAL_OVER
    hand[over] = rows["score"][over][:, order]
    # Only what a pique still lacks tells terms apart; far from one they are all alike.
    reach = BONUS_AT - 13 - (CARDS if rules.cards_count_for_pique else 0)
    may = (rows["has_repique"][:, order] == 0) & (towards[:, ::-1] == 0) & (towards >= reach)
    kinds = np.where(may, towards, _FAR)
    if worth is not None:
        kinds = np.concatenate([kinds, hand], axis=1)
    values = np.empty(len(rows), dtype=np.float64)
    for kind, places in _groups(kinds):
        table = None if worth is None else worth(int(kind[2]), int(kind[3]))
        ended, played = places[over[places]], places[~over[places]]
        if table is None:
            values[places] = hand[places, 0] - hand[places, 1]
            values[played] += _play(solver, rules, rows[played], role, kind, None)
        else:
            values[ended] = table[0, 0]
            values[played] = _play(solver, rules, rows[played], role, kind, table)
    return values


def _groups(kinds: npt.NDArray[np.int64]) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Return the different rows of an array, each with the places where it stands."""
    found, inverse = np.unique(kinds, axis=0, return_inverse=True)
    places = np.split(np.argsort(inverse, kind="stable"), np.cumsum(np.bincount(inverse.ravel()))[:-1])
    return list(zip(found, places, strict=True))


def _play(
    solver: Solver,
    rules: Rules,
    rows: np.ndarray,
    role: int,
    kind: npt.NDArray[np.int64],
    equity: npt.NDArray[np.int64] | None,
) -> npt.NDArray[np.int64]:
    """Return the solver's values of rows with the same terms, seen from `role`."""
    hands = rows["hands"].astype(np.int64)
    hands[:, ELDER] |= np.int64(1) << rows["led"]
    own, other = int(kind[0]), int(kind[1])
    near = own != _FAR or other != _FAR
    terms = Terms(
        rules=rules,
        towards=(max(own, 0), max(other, 0)) if near else (1, 1),
        may_pique=(own != _FAR, other != _FAR),
        equity=equity,
    )
    pairs = np.ascontiguousarray(hands[:, [role, 1 - role]])
    return solver.values(pairs, own_leads=role == ELDER, won=0, terms=terms)
