"""The answer to a lead: win, duck or throw, whichever leaves the position of the highest expected worth."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, suit_of

from .evaluation import UNIT
from .jit import inner
from .suits import OTHER_RUN, suit_code
from .tricks import NUM_PLAY_TERMS, worth_of, write_play_terms

PIQUE_POINTS, PIQUE_THREAT = 30, 5


@inner
def choose_follow(
    mask: np.ndarray,
    seat: np.void,
    other: int,
    facts: np.ndarray,
    weights: np.ndarray,
    bonus: np.ndarray,
    slopes: np.ndarray,
    terms: np.ndarray,
) -> int:
    """Return the card to play to the card led; other: the cards that the other may still hold."""
    hand, ranks = seat["hand"], seat["ranks"]
    left = num_cards(hand) - 1
    led = 0
    while seat["table"] >> led & 1 == 0:
        led += 1
    stops = 0  # points that winning this trick keeps the other from
    if seat["other_pique_open"] == 1:
        needed = 30 - seat["other_score"]
        run = 0
        for suit in range(4):
            run += facts[suit_code(hand, other, suit, ranks), OTHER_RUN]
        if 0 < needed <= left:
            stops = PIQUE_POINTS if needed <= run + 1 else PIQUE_THREAT
    best, most = -1, 0
    for card in range(seat["pack"]):
        if mask[card]:
            wins = 1 if suit_of(card, ranks) == suit_of(led, ranks) and card > led else 0
            write_play_terms(hand & ~(1 << card), other, left, left, wins, seat["elder"], ranks, facts, terms)
            worth = worth_of(
                terms, NUM_PLAY_TERMS, seat["own_tricks"] + wins, left, weights, bonus, slopes[0], slopes[1]
            )
            last = 1 if left == 0 else 0
            worth += UNIT * (slopes[0] * wins * (1 + last) + slopes[1] * (1 - wins) * last)
            worth -= UNIT * slopes[1] * wins * stops
            if best < 0 or worth > most:
                best, most = card, worth
    return best
