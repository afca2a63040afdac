"""Which hands the other can hold, and how plausible each is: the compiled part of belief.py.

A hand is excluded only by the laws: by a suit not followed, by cards that are shown or lie elsewhere, by a call, an
answer or a claim that its holder could not have made. Silence may always be sinking; it only makes a hand less
plausible.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards, pattern_of
from piquet_env.rules.holdings import (
    NO_RANK_CAP,
    best_item,
    count_parts,
    is_better,
    is_capped,
    item_cards,
    item_length,
    item_rank,
    items_in,
    part_of_suit,
)
from piquet_env.rules.state import ELDER, EQUAL, NOT_GOOD, PASSED, POINT, SEQUENCE, SET
from piquet_env.rules.variants import NONE, PARTIAL

from .jit import inner, jit
from .keeping import NUM_TERMS, odds_of_hand

EVIDENCE_DTYPE = np.dtype(
    [
        ("ranks", np.int64),
        ("lowest_set", np.int64),
        ("sinking", np.int64),
        ("shows", np.int64),  # 1 where scored combinations are shown
        ("role", np.int64),  # of the other
        ("has_declared", np.int64),  # 1 when younger, the other, has no more to declare
        ("played", np.int64),  # cards that he has played
        ("dealt", np.int64),  # his hand as dealt, once it is shown; else 0
        ("kept", np.int64),  # how many of these he has kept
        ("status", np.int64, (3,)),
        ("call_length", np.int64, (3,)),
        ("call_rank", np.int64, (3,)),  # -1: not said
        ("rank_at_once", np.int64, (3,)),  # 1 where the call says it and one reply decides
        ("reply", np.int64, (3,)),
        ("second_reply", np.int64, (3,)),
        ("shown", np.int64, (3,)),
        ("is_his", np.int64, (3,)),  # 1 where the category is his
    ]
)


# -- what a hand may say ----------------------------------------------------------------------------------------------


@inner
def _length_of(evidence: np.void, hand: int, category: int, item: int) -> int:
    """Return the most cards with which the hand may claim an item; 0: not at all."""
    whole = evidence["sinking"] != PARTIAL
    return item_length(category, item, hand, evidence["ranks"], whole, evidence["lowest_set"])


@inner
def _holds_claim(evidence: np.void, hand: int, category: int, length: int, rank: int) -> bool:
    """Return whether the hand may claim just `length` (and, if `rank` is not negative, with just that rank)."""
    ranks, partial = evidence["ranks"], evidence["sinking"] == PARTIAL
    for item in range(items_in(category, ranks)):
        held = _length_of(evidence, hand, category, item)
        if held == length or (partial and held > length):
            if rank < 0:
                return True
            if category == POINT and partial:
                if count_parts(pattern_of(hand, item, ranks), length, rank):
                    return True
            elif item_rank(category, item, item_cards(category, item, hand, ranks), ranks) == rank:
                return True
    return False


@inner
def _holds_better(evidence: np.void, hand: int, category: int, length: int, rank: int, longer: bool) -> bool:
    """Return whether the hand may claim what is better: longer (if `longer`), or as long with a higher rank.

    A negative rank asks for longer ones alone.
    """
    ranks, partial = evidence["ranks"], evidence["sinking"] == PARTIAL
    for item in range(items_in(category, ranks)):
        held = _length_of(evidence, hand, category, item)
        if longer and held > length:
            return True
        if rank >= 0 and (held == length or (partial and held > length)):
            if category == POINT and partial:
                if part_of_suit(pattern_of(hand, item, ranks), 0, length, NO_RANK_CAP, length, rank):
                    return True
            elif item_rank(category, item, item_cards(category, item, hand, ranks), ranks) > rank:
                return True
    return False


@inner
def _shows_whole(evidence: np.void, hand: int, category: int) -> bool:
    """Return whether what has been shown in a category is whole in the hand, as it must be unless parts may be sunk."""
    shown, ranks = evidence["shown"][category], evidence["ranks"]
    if shown == 0 or evidence["sinking"] == PARTIAL:
        return True
    for suit in range(4):
        pattern, seen = pattern_of(hand, suit, ranks), pattern_of(shown, suit, ranks)
        hidden = pattern & ~seen
        if category == POINT:
            if seen and hidden:
                return False
        elif category == SEQUENCE:
            if hidden & (seen << 1 | seen >> 1):
                return False
        else:
            for other in range(4):
                if hidden & pattern_of(shown, other, ranks):
                    return False
    return True


@inner
def _has_unclaimed(evidence: np.void, hand: int, category: int, most_length: int, most_rank: int) -> bool:
    """Return whether the hand holds a sequence or set that its owner might have scored and has not shown."""
    ranks = evidence["ranks"]
    for item in range(items_in(category, ranks)):
        length = item_length(category, item, hand, ranks, True, evidence["lowest_set"])
        if length:
            cards = item_cards(category, item, hand, ranks)
            if cards & evidence["shown"][category] == 0:
                if is_capped(length, item_rank(category, item, cards, ranks), most_length, most_rank):
                    return True
    return False


# -- how plausible a silence is ---------------------------------------------------------------------------------------


@inner
def _elder_factor(evidence: np.void, hand: int, category: int, sunk: float) -> float:
    """Return how well elder's call or pass fits the hand: 0 where it is unlawful, `sunk` where he sinks something."""
    ranks = evidence["ranks"]
    best = best_item(category, hand, ranks, evidence["lowest_set"])
    length, rank = evidence["call_length"][category], evidence["call_rank"][category]
    if length == 0:
        if evidence["status"][category] != PASSED or best < 0:
            return 1.0
        return 0.0 if evidence["sinking"] == NONE else sunk
    if not _holds_claim(evidence, hand, category, length, rank):
        return 0.0
    factor = 1.0
    best_cards = item_cards(category, best, hand, ranks)
    best_rank = item_rank(category, best, best_cards, ranks)
    best_length = num_cards(best_cards)
    if best_length > length or (rank >= 0 and is_better(best_length, best_rank, length, rank)):
        if evidence["sinking"] == NONE:
            return 0.0
        factor *= sunk
    if category != POINT and evidence["is_his"][category] and evidence["shows"]:
        if _has_unclaimed(evidence, hand, category, length, rank if rank >= 0 else best_rank):
            factor *= sunk
    return factor


@inner
def _reply_factor(evidence: np.void, reply: int, better: bool, equal: bool, sunk: float) -> float:
    """Return how well one reply fits what the hand holds."""
    if reply == NOT_GOOD:
        return 1.0 if better else 0.0
    if reply == EQUAL:
        if not equal:
            return 0.0
        honest = not better
    else:
        honest = not better and not equal
    if honest:
        return 1.0
    return 0.0 if evidence["sinking"] == NONE else sunk


@inner
def _younger_factor(evidence: np.void, hand: int, category: int, sunk: float) -> float:
    """Return how well younger's replies and declarations fit the hand."""
    length, rank = evidence["call_length"][category], evidence["call_rank"][category]
    factor = 1.0
    reply, second = evidence["reply"][category], evidence["second_reply"][category]
    if reply:
        said = rank if evidence["rank_at_once"][category] else -1
        better = _holds_better(evidence, hand, category, length, said, True)
        equal = category != SET and _holds_claim(evidence, hand, category, length, said)
        factor *= _reply_factor(evidence, reply, better, equal, sunk)
    if second:
        better = _holds_better(evidence, hand, category, length, rank, False)
        equal = _holds_claim(evidence, hand, category, length, rank)
        factor *= _reply_factor(evidence, second, better, equal, sunk)
    if factor == 0.0 or evidence["has_declared"] == 0 or evidence["shows"] == 0:
        return factor
    if evidence["status"][category] == PASSED or evidence["is_his"][category]:
        if category == POINT:
            if evidence["shown"][POINT] == 0 and best_item(POINT, hand, evidence["ranks"], 0) >= 0:
                factor *= sunk
        elif _has_unclaimed(evidence, hand, category, length if reply == EQUAL else 99, NO_RANK_CAP):
            factor *= sunk
    return factor


@inner
def fit_of(evidence: np.void, hand: int, sunk: float) -> float:
    """Return how well all that the other has said fits a hand of twelve: 0 where he could not lawfully have said it.

    sunk: the factor for each category in which he must have kept silent about what he could have scored
    """
    if evidence["dealt"] and num_cards(hand & evidence["dealt"]) != evidence["kept"]:
        return 0.0
    factor = 1.0
    for category in range(3):
        if not _shows_whole(evidence, hand, category):
            return 0.0
        if evidence["role"] == ELDER:
            factor *= _elder_factor(evidence, hand, category, sunk)
        else:
            factor *= _younger_factor(evidence, hand, category, sunk)
        if factor == 0.0:
            return 0.0
    return factor


# -- the enumeration --------------------------------------------------------------------------------------------------


@jit
def count_ways(cards: int, chosen: int) -> int:
    """Return the number of ways to choose `chosen` of `cards`."""
    ways = 1
    for place in range(chosen):
        ways = ways * (cards - place) // (place + 1)
    return ways


@inner
def _unrank(cards: np.ndarray, chosen: int, number: int) -> int:
    """Return choice number `number` of `chosen` of the cards, as a mask."""
    mask = 0
    left = cards.shape[0]
    for place in range(cards.shape[0]):
        if chosen == 0:
            break
        left -= 1
        with_it = count_ways(left, chosen - 1)
        if number < with_it:
            mask |= 1 << cards[place]
            chosen -= 1
        else:
            number -= with_it
    return mask


@inner
def _next_choice(choice: int) -> int:
    """Return the next larger number with as many bits."""
    lowest = choice & -choice
    ripple = choice + lowest
    return ripple | ((choice ^ ripple) // lowest >> 2)


@inner
def _mask_of_choice(cards: np.ndarray, choice: int) -> int:
    mask = 0
    for place in range(cards.shape[0]):
        if choice >> place & 1:
            mask |= 1 << cards[place]
    return mask


@jit
def list_hands(
    evidences: np.ndarray,
    known: int,
    cards: np.ndarray,
    chosen: int,
    most: int,
    sunk: float,
    unseen: int,
    keeping: np.ndarray,
    hands: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Write the hands that the other can hold, and their weights; return how many.

    evidences: EVIDENCE_DTYPE[1]
    known:     mask of cards known to be in his hand
    cards:     the cards of which he may hold some, int64[n]
    chosen:    how many of these he holds
    most:      beyond so many choices every k-th is looked at, evenly spread
    unseen:    mask of the cards whose place is unknown; keeping: int64[NUM_WEIGHTS] of his role, see keeping.py
    hands:     int64[most], his hand now; weights: float64[most]; both overwritten
    """
    evidence = evidences[0]
    terms = np.zeros(NUM_TERMS, dtype=np.int64)
    ways = count_ways(cards.shape[0], chosen)
    tries = min(ways, most)
    found = 0
    choice = (1 << chosen) - 1
    for number in range(tries):
        if ways <= most:
            extra = _mask_of_choice(cards, choice)
            if number + 1 < tries and chosen:
                choice = _next_choice(choice)
        else:
            extra = _unrank(cards, chosen, (2 * number + 1) * ways // (2 * tries))
        fit = fit_of(evidence, known | extra | evidence["played"], sunk)
        if fit > 0.0:
            whole = known | extra | evidence["played"]
            hands[found] = known | extra
            weights[found] = fit * odds_of_hand(whole, unseen & ~extra, evidence["ranks"], keeping, terms)
            found += 1
    return found
