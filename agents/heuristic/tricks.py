"""What the rest of the play is worth: expected points and tricks, as sums of look-ups, and the bonus for the cards.

Between two tricks a position is described by what each suit holds for both seats, who leads, how many cards are left,
and how many tricks each could run off. The weights are fitted to deals of self-play by fit.py.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, rank_of, suit_of

from .evaluation import UNIT
from .jit import inner
from .suits import NUM_CODES, OTHER_RUN, OWN_CARDS, OWN_RUN, suit_code

# Groups of weights: the codes of suits, the race, and the cards that lie with neither, each by role and by who leads;
# and what leading a card adds: by role, code and rank, and by the kind of lead, the length of its suit and the race.
_RACES, _HIDDEN = 13 * 13 * 13, 13 * 8
RACE = 4 * NUM_CODES
HIDDEN = RACE + 4 * _RACES
LEAD = HIDDEN + 4 * _HIDDEN
KIND = LEAD + 2 * 9 * NUM_CODES
NUM_PLAY_WEIGHTS = KIND + 2 * 2 * 10 * 13 * 13
NUM_PLAY_TERMS = 6
NUM_LEAD_TERMS = 8
OWN_POINTS, OTHER_POINTS, TRICKS = 0, 1, 2  # the columns of the weights
STEPS = 4  # the bonus is known by quarters of a trick


@inner
def write_play_terms(
    hand: int,
    other: int,
    cards: int,
    other_cards: int,
    leads: int,
    elder: int,
    ranks: int,
    facts: np.ndarray,
    terms: np.ndarray,
) -> None:
    """Write which weights make up the worth of a position between two tricks: int64[NUM_PLAY_TERMS] places.

    hand:  own cards, `cards` of them; other: cards that the other may hold, of which he holds `other_cards`
    leads: 1 if this seat leads, else 0; elder: 1 if this seat is elder, else 0
    """
    run, other_run = 0, 0
    case = 2 * elder + leads
    for suit in range(4):
        code = suit_code(hand, other, suit, ranks)
        terms[suit] = case * NUM_CODES + code
        run += facts[code, OWN_RUN]
        other_run += facts[code, OTHER_RUN]
    terms[4] = RACE + case * _RACES + 169 * cards + 13 * min(run, cards) + min(other_run, cards)
    terms[5] = HIDDEN + case * _HIDDEN + 8 * cards + min(max(num_cards(other) - other_cards, 0), 7)


@inner
def write_lead_terms(
    hand: int, other: int, cards: int, card: int, elder: int, ranks: int, facts: np.ndarray, terms: np.ndarray
) -> None:
    """Write which weights make up the worth of leading a card: int64[NUM_LEAD_TERMS] places."""
    write_play_terms(hand, other, cards, cards, 1, elder, ranks, facts, terms)
    suit, rank = suit_of(card, ranks), rank_of(card, ranks)
    code = terms[suit] - (2 * elder + 1) * NUM_CODES
    race = (terms[4] - RACE) % 169
    above = other >> (card + 1)
    wins = 1 if above & ((1 << ((suit + 1) * ranks - card - 1)) - 1) == 0 else 0
    terms[6] = LEAD + 9 * (elder * NUM_CODES + code) + rank
    terms[7] = KIND + ((2 * elder + wins) * 10 + facts[code, OWN_CARDS]) * 169 + race


@inner
def worth_of(
    terms: np.ndarray,
    number: int,
    won: int,
    left: int,
    weights: np.ndarray,
    bonus: np.ndarray,
    own_slope: int,
    other_slope: int,
) -> int:
    """Return what the weights of these terms come to, the bonus for cards and capot included.

    won, left: tricks won by this seat and still to be played
    weights:   int32[NUM_PLAY_WEIGHTS, 3]; bonus: int32[13, 13, 12 * STEPS + 1, 2], see `bonus_table`
    """
    own, others, tricks = 0, 0, 0
    for place in range(number):
        term = terms[place]
        own += weights[term, OWN_POINTS]
        others += weights[term, OTHER_POINTS]
        tricks += weights[term, TRICKS]
    step = won * STEPS + (tricks * STEPS + UNIT // 2) // UNIT
    step = min(max(step, won * STEPS), (won + left) * STEPS)
    own += bonus[left, won, step, 0]
    others += bonus[left, won, step, 1]
    return own_slope * own + other_slope * others


def bonus_table(spread: np.ndarray) -> np.ndarray:
    """Return the expected ten for cards and forty for a capot of both seats: int32[13, 13, 12 * STEPS + 1, 2].

    By tricks left, tricks won, and the tricks expected in the end, in quarters. spread: float64[13], the standard
    deviation of the tricks still to be won, by tricks left.
    """
    table = np.zeros((13, 13, 12 * STEPS + 1, 2))
    for left in range(13):
        for won in range(13 - left):
            ends = np.arange(won, won + left + 1)
            own = np.where(ends == 12, 40, np.where(ends >= 7, 10, 0))
            other = np.where(ends == 0, 40, np.where(ends <= 5, 10, 0))
            for step in range(12 * STEPS + 1):
                odds = np.exp(-(((ends - step / STEPS) / max(spread[left], 0.3)) ** 2) / 2) + 1e-30
                table[left, won, step] = (odds @ own / odds.sum(), odds @ other / odds.sum())
    return np.rint(table * UNIT).astype(np.int32)
