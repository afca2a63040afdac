"""The lead: the card of the highest expected worth over the answers to it, tricks towards a pique counted in."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, suit_of

from .belief import CERTAIN, odds_of_card
from .evaluation import UNIT
from .jit import inner
from .suits import OWN_RUN, suit_code
from .tricks import NUM_LEAD_TERMS, NUM_PLAY_TERMS, worth_of, write_lead_terms, write_play_terms

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
    """Return the card to lead; other: the cards that the other may hold.

    Two estimates are added: what such leads have brought in the deals of the fit, and the mean worth of the positions
    after the answers to it. The first knows what the other does, the second the position at hand.
    """
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
            write_lead_terms(hand, other, cards, card, seat["elder"], ranks, facts, terms)
            worth = worth_of(terms, NUM_LEAD_TERMS, seat["own_tricks"], cards, weights, bonus, slopes[0], slopes[1])
            worth += _worth_over_answers(card, seat, other, cards, facts, weights, bonus, slopes, terms) // CERTAIN
            above = other >> (card + 1) & ((1 << ((suit_of(card, ranks) + 1) * ranks - card - 1)) - 1)
            if in_reach and (above == 0 or needed <= 1):
                worth += PIQUE_POINTS * UNIT * slopes[0]
            if best < 0 or worth > most:
                best, most = card, worth
    return best


@inner
def _worth_over_answers(
    card: int,
    seat: np.void,
    other: int,
    cards: int,
    facts: np.ndarray,
    weights: np.ndarray,
    bonus: np.ndarray,
    slopes: np.ndarray,
    terms: np.ndarray,
) -> int:
    """Return the worth of leading a card, times CERTAIN.

    The other is thought to win as cheaply as he can, and else to play his lowest.
    """
    ranks = seat["ranks"]
    suit = suit_of(card, ranks)
    hand = seat["hand"] & ~(1 << card)
    left = cards - 1
    last = 1 if left == 0 else 0
    rest = CERTAIN  # the odds that it comes to this answer
    worth = 0
    for higher in range(card + 1, (suit + 1) * ranks):
        if other >> higher & 1 and rest > 0:
            odds = rest * odds_of_card(seat, higher, other, cards) // CERTAIN
            if odds:
                write_play_terms(hand, other & ~(1 << higher), left, left, 0, seat["elder"], ranks, facts, terms)
                value = worth_of(terms, NUM_PLAY_TERMS, seat["own_tricks"], left, weights, bonus, slopes[0], slopes[1])
                value += UNIT * slopes[1] * (1 + last)
                worth += odds * value
                rest -= odds
    if rest > 0:
        after = other
        for lower in range(suit * ranks, card):
            if after == other and other >> lower & 1:
                after = other & ~(1 << lower)
        write_play_terms(hand, after, left, left, 1, seat["elder"], ranks, facts, terms)
        value = worth_of(terms, NUM_PLAY_TERMS, seat["own_tricks"] + 1, left, weights, bonus, slopes[0], slopes[1])
        value += UNIT * slopes[0] * last
        worth += rest * value
    return worth + CERTAIN * UNIT * slopes[0]
