"""Where the cards may lie, after what has been said and played, and how likely the other holds them."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, rank_of

from .jit import inner

CERTAIN = 64  # the odds of a card that the other must hold
# The odds, in 64ths, that a card unseen at the first lead is in the other's hand and not among his discards, by rank
# from the six to the ace: elder holds the first row, younger the second.
HELD = np.array([[22, 24, 26, 28, 32, 35, 44, 58, 64], [28, 30, 33, 36, 47, 49, 57, 62, 64]], dtype=np.int64)


@inner
def possible_cards(seat: np.void) -> int:
    """Return the cards that the other may hold: unseen ones of suits that he has followed, and those he has shown."""
    return seat["unseen"] & ~seat["void"] | seat["other_known"]


@inner
def odds_of_card(seat: np.void, card: int, other: int, other_cards: int) -> int:
    """Return the odds, in 64ths, that the other holds a card of `other`, of which he holds `other_cards`."""
    if seat["other_known"] >> card & 1 or num_cards(other) <= other_cards:
        return CERTAIN
    return HELD[seat["elder"], rank_of(card, seat["ranks"])]
