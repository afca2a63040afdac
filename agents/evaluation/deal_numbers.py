"""A deal as one number, so that a file of decks is small: 8 bytes a deal of 32 cards.

The order of the cards in a hand means nothing, so there are 32! / (12! 12!) deals, fewer than 2**60. The number of a
deal is (elder × C(20, 12) + younger) × 8! + talon, where

* `elder` is the rank of elder's cards among all sets of 12 of 32: for cards c1 < c2 < … the sum of C(ci, i);
* `younger` is the same for younger's among the 20 that elder does not hold, counted upwards from 0;
* `talon` is the rank of the order of the other eight: read from the first card drawn, each place has as its digit how
  many of the cards still to come are lower; the digits count in the bases 8, 7 … 1.
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np
import numpy.typing as npt

HAND, TALON = 12, 8
PACK = 2 * HAND + TALON
YOUNGER_HANDS = comb(PACK - HAND, HAND)
TALON_ORDERS = factorial(TALON)
NUM_DEALS = comb(PACK, HAND) * YOUNGER_HANDS * TALON_ORDERS

_Numbers = npt.NDArray[np.int64]
_Cards = npt.NDArray[np.int8]

_CHOOSE = np.array([[comb(n, k) for k in range(HAND + 1)] for n in range(PACK + 1)], dtype=np.int64)


def deal_numbers(decks: npt.ArrayLike) -> _Numbers:
    """Return the numbers of deals, int64[N].

    decks: int[N, 32], each a permutation: elder's hand, younger's, the talon in drawing order
    """
    cards = np.asarray(decks, dtype=np.int64)
    elder = np.sort(cards[:, :HAND], axis=1)
    younger = np.sort(cards[:, HAND : 2 * HAND], axis=1)
    among_rest = younger - (elder[:, None, :] < younger[:, :, None]).sum(axis=2)
    talon = cards[:, 2 * HAND :]
    number = _rank(elder) * YOUNGER_HANDS + _rank(among_rest)
    for place in range(TALON):
        digit = (talon[:, place + 1 :] < talon[:, place, None]).sum(axis=1)
        number = number * (TALON - place) + digit
    return np.asarray(number, dtype=np.int64)


def decks_of_numbers(numbers: npt.ArrayLike) -> _Cards:
    """Return the deals of numbers from 0 to NUM_DEALS - 1 as int8[N, 32]: hands ascending, the talon in drawing order.

    Raises ValueError for a number that is none.
    """
    left = np.array(numbers, dtype=np.int64)
    if left.size and not 0 <= left.min() <= left.max() < NUM_DEALS:
        raise ValueError(f"the number of a deal is between 0 and {NUM_DEALS - 1}")
    digits = []
    for base in range(1, TALON + 1):
        left, digit = np.divmod(left, base)
        digits.append(digit)
    elder_rank, younger_rank = np.divmod(left, YOUNGER_HANDS)
    rest = np.tile(np.arange(PACK), (len(left), 1))
    elder, rest = _take(rest, _unrank(elder_rank))
    younger, rest = _take(rest, _unrank(younger_rank))
    talon = []
    for digit in reversed(digits):
        card, rest = _take(rest, digit[:, None])
        talon.append(card)
    return np.concatenate([elder, younger, *talon], axis=1).astype(np.int8)


def _rank(cards: _Numbers) -> _Numbers:
    """Return the ranks of sets of cards, each ascending, among all sets of their size."""
    return np.asarray(_CHOOSE[cards, np.arange(1, HAND + 1)].sum(axis=1), dtype=np.int64)


def _unrank(ranks: _Numbers) -> _Numbers:
    """Return the set of each rank, ascending: int64[N, 12]."""
    cards = np.empty((len(ranks), HAND), dtype=np.int64)
    left = ranks.copy()
    for size in range(HAND, 0, -1):
        cards[:, size - 1] = np.searchsorted(_CHOOSE[:, size], left, side="right") - 1
        left -= _CHOOSE[cards[:, size - 1], size]
    return cards


def _take(cards: _Numbers, places: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Return the cards at some places of each row, and the others in their order."""
    rows = np.arange(len(cards))[:, None]
    stays = np.ones(cards.shape, dtype=np.bool_)
    stays[rows, places] = False
    return cards[rows, places], cards[stays].reshape(len(cards), cards.shape[1] - places.shape[1])
