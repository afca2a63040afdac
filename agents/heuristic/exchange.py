"""The exchange: every set of discards is tried against sampled draws, and the one of the highest mean value is chosen.

The draws are the same for all sets. They are cut from whole shuffles of the cards that may come, so that each card
comes about equally often. The trial has rounds: all sets of the full number of cards meet a few draws, the better ones
more, and with them sets of a card less; the best ones meet all draws.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards

from .evaluation import value_of_hand
from .jit import inner

MOST_SETS = 1024  # sets tried: of twelve cards there are 924 of one size at most, and room for those one card smaller
# How many of the best sets meet the draws of each round, and how many draws each of them has met at its end: when many
# deals are wanted quickly, as for the fit, and when strength is. Behind the round SMALLER also sets one card smaller
# than the best so far are tried.
QUICK, THOROUGH = 0, 1
ROUND_SETS = np.array([[MOST_SETS, 110, 28, 10], [MOST_SETS, 160, 40, 12]], dtype=np.int64)
ROUND_DRAWS = np.array([[2, 6, 20, 60], [4, 12, 40, 128]], dtype=np.int64)
SMALLER, SMALLER_OF = 1, 6
MOST_DRAWS = 128
MOST_CARDS = 12
PLANS = 1 << 16
PLAN_DTYPE = np.dtype(
    [(name, np.int64) for name in ("hand", "pool", "known", "most", "elder", "own_slope", "other_slope", "thrown")]
)
_MODULUS, _FACTOR = 2147483647, 48271  # Park and Miller's generator: products stay below 2**63


@inner
def _shuffle(cards: np.ndarray, number: int, state: int) -> int:
    """Shuffle the first `number` cards; return the next state of the generator."""
    for place in range(number - 1, 0, -1):
        state = state * _FACTOR % _MODULUS
        other = (state >> 8) % (place + 1)
        card = cards[place]
        cards[place] = cards[other]
        cards[other] = card
    return state


@inner
def sample_draws(pool: int, seed: int, number: int, most: int, cards: np.ndarray, draws: np.ndarray) -> int:
    """Write draws from the cards of the mask `pool`; return how many there are.

    draws: int64[MOST_DRAWS, MOST_CARDS + 1], overwritten: draw d of k cards is the mask draws[d, k], k up to `number`
    most:  draws wanted; cards: room for 36
    """
    size, rest, card = 0, pool, 0
    while rest:
        if rest & 1:
            cards[size] = card
            size += 1
        rest >>= 1
        card += 1
    state = seed % (_MODULUS - 1) + 1
    groups = max(size // number, 1) if number else 1
    drawn = 0
    while drawn < most:
        state = _shuffle(cards, size, state)
        for group in range(groups):
            if drawn < most:
                draws[drawn, 0] = 0
                for place in range(number):
                    at = group * number + place
                    draws[drawn, place + 1] = draws[drawn, place] | (1 << cards[at] if at < size else 0)
                drawn += 1
    return drawn


@inner
def _find_sets(hand: int, laid: int, most: int, sets: np.ndarray) -> int:
    """Write the largest sets of up to `most` cards that begin with those laid out; return how many there are.

    Cards are laid out in ascending order, so further ones lie above the highest.
    """
    free = hand
    if laid:
        below = laid
        shift = 1
        while shift < 64:  # all places up to the highest card laid out
            below |= below >> shift
            shift *= 2
        free = hand & ~below
    size = min(most, num_cards(laid | free))
    number = 0
    part = free
    while True:
        if num_cards(part | laid) == size:
            sets[number] = part | laid
            number += 1
        if part == 0:
            return number
        part = (part - 1) & free


@inner
def _add_smaller(laid: int, least: int, sets: np.ndarray, sums: np.ndarray, number: int) -> int:
    """Add the sets that lack one card of the first few; return how many sets there are now."""
    added = number
    for place in range(min(number, SMALLER_OF)):
        rest = sets[place] & ~laid
        while rest and num_cards(sets[place]) > least and added < MOST_SETS:
            sets[added] = sets[place] & ~(rest & -rest)
            sums[added] = 0
            added += 1
            rest &= rest - 1
    return added


@inner
def _keep_best(sets: np.ndarray, sums: np.ndarray, number: int, keep: int) -> int:
    """Move the `keep` sets with the greatest sums to the front, in no order; return how many there are."""
    first, last = 0, number - 1
    while keep < number and first < last:  # Hoare's selection: each turn leaves one side of a pivot to look at
        pivot = sums[(first + last) >> 1]
        low, high = first, last
        while low <= high:
            while sums[low] > pivot:
                low += 1
            while sums[high] < pivot:
                high -= 1
            if low <= high:
                sets[low], sets[high] = sets[high], sets[low]
                sums[low], sums[high] = sums[high], sums[low]
                low += 1
                high -= 1
        if keep - 1 <= high:
            last = high
        elif keep - 1 >= low:
            first = low
        else:
            first = last
    return min(keep, number)


@inner
def best_discards(
    hand: int,
    laid: int,
    pool: int,
    known: int,
    least: int,
    most: int,
    ranks: int,
    facts: np.ndarray,
    weights: np.ndarray,
    own_slope: int,
    other_slope: int,
    effort: int,
    sets: np.ndarray,
    sums: np.ndarray,
    draws: np.ndarray,
    room: np.ndarray,
) -> int:
    """Return the mask of the best discards, those laid out among them.

    pool: the cards that may be drawn, or lie with the other; known: cards that the other is known to hold
    least, most: how many cards may be laid out; the slopes: worth of a point of either seat
    effort: QUICK or THOROUGH
    sets, sums: room for MOST_SETS; draws: see `sample_draws`; room: for 36
    """
    number = _find_sets(hand, laid, most, sets)
    drawn = sample_draws(pool, hand, most, ROUND_DRAWS[effort, 3], room, draws)
    for place in range(number):
        sums[place] = 0
    met = 0
    for turn in range(4):
        number = _keep_best(sets, sums, number, ROUND_SETS[effort, turn]) if turn else number
        until = min(ROUND_DRAWS[effort, turn], drawn)
        larger = number
        if turn == SMALLER + 1:
            _keep_best(sets, sums, number, SMALLER_OF)
            number = _add_smaller(laid, least, sets, sums, number)
        for place in range(number):
            kept = hand & ~sets[place]
            size = num_cards(sets[place])
            for draw in range(met if place < larger else 0, until):
                taken = draws[draw, size]
                sums[place] += value_of_hand(
                    kept | taken, pool & ~taken | known, ranks, facts, weights, own_slope, other_slope, room
                )
        met = until
    best = 0
    for place in range(1, number):
        if sums[place] > sums[best]:
            best = place
    return sets[best]


@inner
def planned_discards(
    hand: int,
    laid: int,
    pool: int,
    known: int,
    least: int,
    most: int,
    elder: int,
    ranks: int,
    facts: np.ndarray,
    weights: np.ndarray,
    own_slope: int,
    other_slope: int,
    effort: int,
    sets: np.ndarray,
    sums: np.ndarray,
    draws: np.ndarray,
    room: np.ndarray,
    plans: np.ndarray,
) -> int:
    """Return `best_discards` of the whole hand if those laid out begin it, else the best that those begin.

    plans: PLAN_DTYPE[PLANS], one agent's plans, kept so that a hand is thought over once. A plan is a function of all
           that is kept with it, so whether it is found matters to the time alone.
    """
    plan = plans[(hand * 40503 ^ (hand >> 15) ^ pool * 30011 ^ pool >> 13) + own_slope * 7 + other_slope & PLANS - 1]
    same = plan["hand"] == hand and plan["pool"] == pool and plan["known"] == known and plan["most"] == most
    if not (same and plan["elder"] == elder and plan["own_slope"] == own_slope and plan["other_slope"] == other_slope):
        plan["hand"], plan["pool"], plan["known"], plan["most"] = hand, pool, known, most
        plan["elder"], plan["own_slope"], plan["other_slope"] = elder, own_slope, other_slope
        plan["thrown"] = best_discards(
            hand,
            0,
            pool,
            known,
            least,
            most,
            ranks,
            facts,
            weights,
            own_slope,
            other_slope,
            effort,
            sets,
            sums,
            draws,
            room,
        )
    thrown = plan["thrown"]
    rest = thrown & ~laid
    if laid & ~thrown == 0 and (rest == 0 or rest & -rest > laid):
        return thrown
    return best_discards(
        hand,
        laid,
        pool,
        known,
        least,
        most,
        ranks,
        facts,
        weights,
        own_slope,
        other_slope,
        effort,
        sets,
        sums,
        draws,
        room,
    )
