"""The equity table Phi of a Rubicon partie: the expected settlement from its totals.

After each deal a partie is described by the number of deals played, the two totals and whose turn it is to be elder.
Phi is the mean settlement of all that may follow, seen from one seat: positive when that seat is expected to be
paid. Its change over a deal is the `equity` reward, and the changes of a partie sum to the settlement less Phi at
the start.

Phi is computed backwards from the settlement at the end of the partie. It assumes that every deal is scored like
those of a record (piquet_env/equity/scores.py), whatever the totals are. Players do play to the score, so this is a
simplification. A wrong Phi costs a learner variance, or bias where deals are learnt as episodes of their own, but never
changes the settlement that ends a partie.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piquet_env.rules.start import EXTRA_DEALS

from .scores import CAVENDISH, DealScores, deal_scores

# The grid ends this many points above the Rubicon line. A seat so far ahead of one at the line has won.
MARGIN_POINTS = 300

MAX_DEALS = 24
MAX_RUBICON_LINE = 1000

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]


def rubicon_settlement(own: int, other: int, line: int = 100) -> int:
    """Return what the seat with `own` points is paid at the end of a partie against `other` points.

    In settlement points: positive for a win, negative for a loss, 0 for equal totals. A loser at `line` or above
    pays 100 and the difference of the totals; one below it pays 100 and their sum, also when the winner is below it.
    Source: Cavendish, laws 72 and 73.
    """
    return int(_settlements(np.int64(own), np.int64(other), line))


def equity_table(
    deals: int = 6, tie_break: str = "two_deals", rubicon_line: int = 100, version: str = CAVENDISH
) -> EquityTable:
    """Return the equity table of a Rubicon partie; tables are built once and kept.

    deals:        deals of a partie before a tie, 1 to 24
    tie_break:    "two_deals", "seventh_deal" or "draw"
    rubicon_line: points that save the loser, 0 to 1000; also after extra deals
    version:      of the record of deals (see `deal_scores`)
    Raises ValueError if an argument is outside its range.
    """
    if tie_break not in EXTRA_DEALS:
        raise ValueError(f"tie_break must be one of {', '.join(EXTRA_DEALS)}; got {tie_break!r}")
    if not 1 <= deals <= MAX_DEALS:
        raise ValueError(f"deals must be 1 to {MAX_DEALS}; got {deals}")
    if not 0 <= rubicon_line <= MAX_RUBICON_LINE:
        raise ValueError(f"rubicon_line must be 0 to {MAX_RUBICON_LINE}; got {rubicon_line}")
    return _build_table(deals, tie_break, rubicon_line, version, MARGIN_POINTS)


@dataclass(frozen=True, eq=False, slots=True)
class EquityTable:
    """Phi for one form of the Rubicon partie.

    values: float64[last_deal + 1, size, size], read-only, in settlement points. `values[d, own, other]` belongs to the
            seat that is elder in the next deal after `d` deals. Younger's value is `-values[d, other, own]`, so one
            role is enough. The grid covers totals from 0 to `size - 1`, which is 300 above the Rubicon line.
    """

    version: str
    deals: int
    tie_break: str
    rubicon_line: int
    values: _Floats

    @property
    def last_deal(self) -> int:
        """The number of deals after which the partie is over even if the totals are equal."""
        return len(self.values) - 1

    def expected(self, deals_played: int, own: int, other: int, own_is_elder_next: bool) -> float:
        """Return the expected settlement of one seat; the scalar form of `expected_many`."""
        return float(self.expected_many(deals_played, own, other, own_is_elder_next))

    def expected_many(
        self,
        deals_played: npt.ArrayLike,
        own: npt.ArrayLike,
        other: npt.ArrayLike,
        own_is_elder_next: npt.ArrayLike,
    ) -> _Floats:
        """Return expected settlements, float64 of the arguments' broadcast shape, in settlement points.

        deals_played:      integers from 0 to `last_deal`; extra deals after a tie are counted on
        own, other:        integer totals of the seat and of its opponent, 0 or more
        own_is_elder_next: true where the seat is elder in the next deal

        At the end of the partie the value is the settlement itself and the role has no effect. With equal totals
        after `deals` deals, it is the value of the extra deals if the tie rule adds any.

        Totals beyond the grid are carried back to it. Where both are above the Rubicon line only their difference
        counts, so both are lowered by the same amount. A total still beyond the grid is that of a seat hundreds of
        points ahead, which is taken as the winner: each further point of its own is one settlement point more.
        In the usual partie of six deals this errs by 0.011 points at most, and by less than 0.0001 where the totals
        can be reached; in one of 24 deals by less than 0.3 at ordinary totals.
        Raises ValueError if a number is out of range, TypeError if one is not an integer.
        """
        played = _as_ints(deals_played)
        own_total, other_total = _as_ints(own), _as_ints(other)
        self._check(played, own_total, other_total)
        elder = np.asarray(own_is_elder_next, dtype=np.bool_)
        elder_total = np.where(elder, own_total, other_total)
        younger_total = np.where(elder, other_total, own_total)
        row, column, excess = _locate(elder_total, younger_total, self.rubicon_line, self.values.shape[1] - 1)
        value = self.values[played, row, column] + excess
        return np.asarray(np.where(elder, value, -value), dtype=np.float64)

    def seat_values(self, played: npt.ArrayLike, totals: _Ints, games: _Ints, is_elder: npt.ArrayLike) -> _Floats:  # noqa: ARG002  (none here)
        """Return the expected settlements of seat 0 between deals, float64[N].

        played: deals played; totals: int64[N, 2] by seat; games: those of au cent, not used here
        is_elder: whether seat 0 is elder in the next deal
        """
        return self.expected_many(played, totals[:, 0], totals[:, 1], is_elder)

    def __reduce__(self) -> tuple[Callable[[int, str, int, str], EquityTable], tuple[int, str, int, str]]:
        """Copy and pickle by arguments, so that copies of a game share the kept table."""
        return equity_table, (self.deals, self.tie_break, self.rubicon_line, self.version)

    def _check(self, played: _Ints, own: _Ints, other: _Ints) -> None:
        if np.any((played < 0) | (played > self.last_deal)):
            raise ValueError(f"deals_played must be 0 to {self.last_deal}; got {played.min()} to {played.max()}")
        if np.any(own < 0) or np.any(other < 0):
            raise ValueError(f"totals must be 0 or more; got {min(own.min(), other.min())}")


@functools.lru_cache(maxsize=8)
def _build_table(deals: int, tie_break: str, line: int, version: str, margin: int) -> EquityTable:
    """Build the layers of a table from the last deal back to the first."""
    scores = deal_scores(version)
    size = line + margin + 1
    last_deal = deals + EXTRA_DEALS[tie_break]
    total = np.arange(size)
    settlements = _settlements(total[:, None], total[None, :], line)
    most_elder, most_younger = scores.joint.shape
    elder_after, younger_after = np.arange(size + most_elder - 1), np.arange(size + most_younger - 1)
    row, column, excess = _locate(younger_after[:, None], elder_after[None, :], line, size - 1)

    values = np.empty((last_deal + 1, size, size))
    values[last_deal] = settlements
    for played in range(last_deal - 1, -1, -1):
        after_deal = values[played + 1][row, column] + excess
        values[played] = _mean_after(-after_deal.T, scores, size)  # this deal's elder is the next deal's younger
        if played == deals:
            values[played] = np.where(total[:, None] == total[None, :], values[played], settlements)
    values.setflags(write=False)
    return EquityTable(version, deals, tie_break, line, values)


def _settlements(own: npt.NDArray[np.int64] | np.int64, other: npt.NDArray[np.int64] | np.int64, line: int) -> _Ints:
    """Return `rubicon_settlement` for arrays of totals."""
    winner, loser = np.maximum(own, other), np.minimum(own, other)
    payment = 100 + winner + np.where(loser >= line, -loser, loser)
    return np.asarray(np.sign(own - other) * payment, dtype=np.int64)


def _mean_after(after: _Floats, scores: DealScores, size: int) -> _Floats:
    """Return the mean of `after[a + x, b + y]` over the scores x, y of a deal, for all totals a, b below `size`.

    By the fast Fourier transform, which makes this sum of products for all totals at once.
    """
    spectrum = np.fft.rfft2(after) * np.conj(np.fft.rfft2(scores.joint, after.shape))
    return np.asarray(np.fft.irfft2(spectrum, after.shape)[:size, :size], dtype=np.float64)


def _locate(own: _Ints, other: _Ints, line: int, bound: int) -> tuple[_Ints, _Ints, _Ints]:
    """Return the grid cell that stands for two totals, and the settlement points to add to its value.

    The cell is the pair itself within the grid; beyond it, see `EquityTable.expected_many`.
    """
    beyond = np.maximum(np.maximum(own, other) - bound, 0)
    lowered = np.minimum(beyond, np.maximum(np.minimum(own, other) - line, 0))
    row, column = np.minimum(own - lowered, bound), np.minimum(other - lowered, bound)
    excess = (own - lowered - row) - (other - lowered - column)
    return row, column, excess


def _as_ints(numbers: npt.ArrayLike) -> _Ints:
    return np.asarray(numbers).astype(np.int64, casting="same_kind")
