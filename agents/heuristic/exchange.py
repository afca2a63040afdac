"""The exchange: every set of discards is tried against sampled draws, and the one of the highest mean value is chosen.

The draws are the same for all sets. They are cut from whole shuffles of the cards that may come, so that each card
comes about equally often. The trial has rounds: all sets meet a few draws, the better ones more, the best ones all.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import num_cards

from .evaluation import value_of_hand
from .jit import inner

MOST_SETS = 4096  # of twelve cards
ROUND_SETS = np.array([MOST_SETS, 40, 10], dtype=np.int64)  # sets that meet the draws of each round
ROUND_DRAWS = np.array([4, 16, 64], dtype=np.int64)  # draws that each of them has met at its end
MOST_DRAWS = 64
MOST_CARDS = 12
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
def _find_sets(hand: int, laid: int, least: int, most: int, sets: np.ndarray) -> int:
    """Write the sets of `least` to `most` cards that begin with those laid out, further cards being higher ones."""
    free = hand
    if laid:
        below = laid
        shift = 1
        while shift < 64:  # all places up to the highest card laid out
            below |= below >> shift
            shift *= 2
        free = hand & ~below
    number = 0
    part = free
    while True:
        size = num_cards(part | laid)
        if least <= size <= most:
            sets[number] = part | laid
            number += 1
        if part == 0:
            return number
        part = (part - 1) & free


@inner
def _keep_best(sets: np.ndarray, sums: np.ndarray, number: int, keep: int) -> int:
    """Move the `keep` sets with the greatest sums to the front, in order; return how many there are."""
    keep = min(keep, number)
    for place in range(keep):
        best = place
        for other in range(place + 1, number):
            if sums[other] > sums[best]:
                best = other
        sets[place], sets[best] = sets[best], sets[place]
        sums[place], sums[best] = sums[best], sums[place]
    return keep


@inner
def best_discards(
    hand: int,
    laid: int,
    pool: int,
    least: int,
    most: int,
    ranks: int,
    facts: np.ndarray,
    weights: np.ndarray,
    own_slope: int,
    other_slope: int,
    bias: int,
    sets: np.ndarray,
    sums: np.ndarray,
    draws: np.ndarray,
    room: np.ndarray,
) -> int:
    """Return the mask of the best discards, those laid out among them; 0 if none is allowed and none is best.

    pool: the cards that may be drawn, or lie with the other; bias: worth of each card that is exchanged
    sets, sums: room for MOST_SETS; draws: see `sample_draws`; room: for 36
    """
    number = _find_sets(hand, laid, least, most, sets)
    drawn = sample_draws(pool, hand, most, MOST_DRAWS, room, draws)
    for place in range(number):
        sums[place] = 0
    met = 0
    for turn in range(3):
        number = _keep_best(sets, sums, number, ROUND_SETS[turn]) if turn else number
        until = min(ROUND_DRAWS[turn], drawn)
        for place in range(number):
            kept = hand & ~sets[place]
            size = num_cards(sets[place])
            for draw in range(met, until):
                taken = draws[draw, size]
                sums[place] += bias * size + value_of_hand(
                    kept | taken, pool & ~taken, ranks, facts, weights, own_slope, other_slope, room
                )
        met = until
    best = 0
    for place in range(1, number):
        if sums[place] > sums[best]:
            best = place
    return sets[best]
