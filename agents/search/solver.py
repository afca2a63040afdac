"""`Solver`: exact values of the play when both hands are known, for one position or for many that share a hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import mask_of, num_cards, pattern_of

from .solver_kernel import NO_VALUE, PLY_SIZE, value_moves, value_positions
from .terms import Terms

__all__ = ["NO_VALUE", "Solver"]

TABLE_BITS = 18  # 2**18 entries of 32 bytes: 8 MB
_GENERATIONS = 1 << 28
_LONGEST_KNOWN = 1000  # bytes: terms without a table, which come again in every deal
_NO_EQUITY = np.zeros((1, 1), dtype=np.int64)


class Solver:
    """Alpha-beta over the play with both hands known, and its transposition table.

    Values are exact and do not depend on what was asked before; only the time does. A value is what is to come for the
    seat that asks, less what is to come for the other (or the equity, where the terms have a table).
    """

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self._table = np.zeros((1 << table_bits, 4), dtype=np.int64)
        self._plies = np.zeros((13, PLY_SIZE), dtype=np.int64)
        self._generation = 0
        self._newest = 0
        self._seen: bytes = b""
        self._known: dict[bytes, int] = {}

    def value(self, own: int, other: int, *, own_leads: bool, won: int, terms: Terms) -> int:
        """Return the value of one position in which a trick is to be led; masks of cards of equally many cards."""
        return int(self.values(np.array([[own, other]]), own_leads=own_leads, won=won, terms=terms)[0])

    def values(self, hands: npt.NDArray[np.int64], *, own_leads: bool, won: int, terms: Terms) -> npt.NDArray[np.int64]:
        """Return the values of positions in which a trick is to be led, int64[N].

        hands: int64[N, 2], masks of cards: the seat that asks, and the other; all of as many cards
        won:   tricks that the seat that asks has won in this deal
        """
        ranks = terms.rules.ranks
        values = np.empty(len(hands), dtype=np.int64)
        if len(hands) == 0:
            return values
        left = int(num_cards(int(hands[0, 0])))
        codes, equity = self._prepare(terms)
        value_positions(
            self._table,
            self._plies,
            codes,
            equity,
            self._generation,
            widen(hands, ranks),
            0 if own_leads else 1,
            won,
            left,
            values,
        )
        return values

    def moves(
        self, own: int, others: npt.NDArray[np.int64], *, led: int | None, won: int, terms: Terms
    ) -> npt.NDArray[np.int64]:
        """Return the value of each card of `own` in each world: int64[W, pack], NO_VALUE for cards that are not legal.

        own:    mask of the hand that is to play a card
        others: int64[W], masks of the other's hand in the worlds, without the card on the table
        led:    the card on the table, which the other has led; None: this hand leads
        won:    tricks that this hand has won in this deal
        """
        ranks = terms.rules.ranks
        values = np.empty((len(others), 36), dtype=np.int64)
        legal = own
        if led is not None:
            in_suit = own & int(mask_of(511, led // ranks, ranks))
            legal = in_suit or own
        codes, equity = self._prepare(terms)
        value_moves(
            self._table,
            self._plies,
            codes,
            equity,
            self._generation,
            _widen_one(own, ranks),
            widen(np.asarray(others, dtype=np.int64), ranks),
            -1 if led is None else led // ranks * 9 + led % ranks + 9 - ranks,
            _widen_one(legal, ranks),
            won,
            int(num_cards(own)),
            values,
        )
        return values.reshape(len(others), 4, 9)[:, :, 9 - ranks :].reshape(len(others), terms.rules.pack)

    def _prepare(self, terms: Terms) -> tuple[np.ndarray, npt.NDArray[np.int64]]:
        """Return the kernel's terms and table; positions of other terms are forgotten by counting a generation on."""
        codes = terms.codes()
        equity = _NO_EQUITY if terms.equity is None else terms.equity
        seen = codes.tobytes() + (b"" if terms.equity is None else equity.tobytes())
        if seen != self._seen:
            self._seen = seen
            self._generation = self._generation_of(seen)
        return codes, equity

    def _generation_of(self, seen: bytes) -> int:
        """Return the number of these terms: an old one where they have been met, else the next."""
        if seen in self._known:
            return self._known[seen]
        if self._newest == _GENERATIONS:
            self._table[:] = 0
            self._known.clear()
            self._newest = 0
        self._newest += 1
        if len(seen) < _LONGEST_KNOWN:
            self._known[seen] = self._newest
        return self._newest


def widen(cards: npt.NDArray[np.int64], ranks: int) -> npt.NDArray[np.int64]:
    """Return masks of cards as masks of patterns, nine bits a suit."""
    wide = np.zeros_like(cards)
    for suit in range(4):
        wide |= (cards >> suit * ranks & (1 << ranks) - 1) << 9 * suit + 9 - ranks
    return wide


def _widen_one(cards: int, ranks: int) -> int:
    return sum(int(pattern_of(cards, suit, ranks)) << 9 * suit for suit in range(4))
