"""The lead: the card of the highest expected worth, tricks towards a pique counted in."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, rank_of, suit_of

from .evaluation import UNIT
from .jit import inner
from .suits import OWN_RUN, suit_code
from .tricks import NUM_LEAD_TERMS, worth_of, write_lead_terms

PIQUE_POINTS = 30


@inner
def choose_lead(
    mask: np.ndarray,
    seat: np.void,
    other: int,
    facts: np.ndarray,
    weights: np.ndarray,
    bonus: np.ndarray,
    slopes: np.ndarray,
    terms: np.ndarray,
) -> int:
    """Return the card to lead; other: the cards that the other may hold."""
    hand, ranks = seat["hand"], seat["ranks"]
    cards = num_cards(hand)
    run = 0
    for suit in range(4):
        run += facts[suit_code(hand, other, suit, ranks), OWN_RUN]
    # The lead after the last winner counts, too: at 29 any card makes the pique.
    in_reach = seat["own_pique_open"] == 1 and seat["own_score"] < 30 <= seat["own_score"] + min(run + 1, cards)
    needed = 30 - seat["own_score"]
    best, most = -1, 0
    for card in range(seat["pack"]):
        if mask[card]:
            suit = suit_of(card, ranks)
            write_lead_terms(hand, other, cards, card, suit, rank_of(card, ranks), ranks, facts, terms)
            worth = worth_of(
                terms, NUM_LEAD_TERMS, seat["own_tricks"], cards, weights, bonus, slopes[0], slopes[1]
            )
            above = other >> (card + 1) & ((1 << ((suit + 1) * ranks - card - 1)) - 1)
            if in_reach and (above == 0 or needed <= 1):
                worth += PIQUE_POINTS * UNIT * slopes[0]
            if best < 0 or worth > most:
                best, most = card, worth
    return best
