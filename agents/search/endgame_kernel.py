"""The end of a deal as a game of imperfect information: its tree, and CFR+ on it. The compiled part of endgame.py.

Each side holds one of some hands; what both have seen is the cards played. A *sequence* is what one side has done: a
hand, and the cards it has chosen where it had a choice; number 0 is the empty one. An *information set* is a hand and
the cards played since the root, when there is a choice to make. A *leaf* is a pair of hands played to the end: the last
sequences of both sides, and the worth to side 0, times how likely the pair is.

Cards are bits of patterns, nine a suit. Hands, scores and terms are those of solver_kernel.py.
"""

from __future__ import annotations

import numpy as np

from .jit import inner, jit
from .solver_kernel import PIQUE_POINTS, end_value, new_pique

NO_CARD = -1
PARENT, FIRST, CHOICES = 0, 1, 2  # the columns of an information set: sequence before it, first of its own, how many
SETS, SEQUENCES, LEAVES, FULL = 0, 2, 4, 5  # the places in `counts`: by side, by side, leaves, whether room ran out
NUM_COUNTS = 6
_HAND_BITS = 9  # of a key
_CARD_BITS = 6
_LOW_BITS = (1 << 31) - 1


@inner
def _place_of_key(keys: np.ndarray, side: int, key: int) -> int:
    """Return the place of a key in a side's table, or the free place for it."""
    size = keys.shape[1]
    mixed = (key & _LOW_BITS) * 0x9E3779B1 ^ (key >> 31) * 0x85EBCA6B
    place = (mixed >> 24 ^ mixed >> 5) & (size - 1)
    while keys[side, place, 0] != 0 and keys[side, place, 0] != key:
        place = (place + 1) & (size - 1)
    return place


@inner
def _find_set(
    keys: np.ndarray, sets: np.ndarray, counts: np.ndarray, side: int, key: int, parent: int, choices: int
) -> int:
    """Return the first sequence of the information set with this key, which is entered where it is new."""
    place = _place_of_key(keys, side, key)
    if keys[side, place, 0] == key:
        return sets[side, keys[side, place, 1], FIRST]
    number = counts[SETS + side]
    first = counts[SEQUENCES + side]
    if number == sets.shape[1]:
        counts[FULL] = 1
        return 0
    keys[side, place, 0], keys[side, place, 1] = key, number
    sets[side, number, PARENT], sets[side, number, FIRST], sets[side, number, CHOICES] = parent, first, choices
    counts[SETS + side] += 1
    counts[SEQUENCES + side] += choices
    return first


@inner
def grow(
    terms: np.void,
    equity: np.ndarray,
    keys: np.ndarray,
    sets: np.ndarray,
    leaves: np.ndarray,
    worth: np.ndarray,
    counts: np.ndarray,
    pair: np.ndarray,
    hands: np.ndarray,
    sequences: np.ndarray,
    mover: int,
    led: int,
    won: int,
    left: int,
    first: int,
    second: int,
    piqued: int,
    played: int,
) -> int:
    """Add to the tree all that can follow for one pair of hands; return 0, or 1 where the room ran out.

    pair:      places of both hands in the lists, for keys
    hands:     int64[2], what they still hold; sequences: int64[2], their last; both are left as they were
    mover:     the side to play; led: the card on the table, NO_CARD where it leads; left: tricks to play
    won, first, second, piqued: the score since the root as in solver_kernel.py
    played:    the cards played since the root, a digit each behind a one
    """
    if counts[FULL]:
        return 1
    if left == 0:
        place = counts[LEAVES]
        if place == leaves.shape[0]:
            counts[FULL] = 1
            return 1
        counts[LEAVES] += 1
        leaves[place, 0], leaves[place, 1] = sequences[0], sequences[1]
        worth[place] = end_value(terms, equity, won, first, second, piqued)
        if terms["by_table"] == 0:
            worth[place] += first - second
            worth[place] += PIQUE_POINTS if piqued == 1 else -PIQUE_POINTS if piqued == 2 else 0
        return 0
    hand = hands[mover]
    legal = hand
    if led != NO_CARD:
        in_suit = hand & 511 << led // 9 * 9
        legal = in_suit or hand
    choices = 0
    for card in range(36):
        choices += legal >> card & 1
    before = sequences[mover]
    following = before
    if choices > 1:
        key = played << _HAND_BITS | pair[mover] + 1
        following = _find_set(keys, sets, counts, mover, key, before, choices)
    for card in range(36):
        if legal >> card & 1 == 0:
            continue
        hands[mover] = hand & ~(1 << card)
        sequences[mover] = following
        following += choices > 1
        new_won, new_first, new_second, new_piqued = won, first, second, piqued
        rank = card % 9
        if led == NO_CARD:
            if rank >= terms["lead_rank"]:
                new_first += 1 - mover
                new_second += mover
            ended, next_mover, next_led, next_left = 12 - left, 1 - mover, card, left
        else:
            captures = card // 9 == led // 9 and card > led
            winner = mover if captures else 1 - mover
            points = terms["last_trick"] if left == 1 else 0
            if captures and rank >= terms["capture_rank"]:
                points += 1
            new_first += points * (1 - winner)
            new_second += points * winner
            new_won += 1 - winner
            ended, next_mover, next_led, next_left = 13 - left, winner, NO_CARD, left - 1
        if terms["live"] and piqued == 0:
            new_piqued = new_pique(terms, new_first, new_second, new_won, ended)
        grow(
            terms, equity, keys, sets, leaves, worth, counts, pair, hands, sequences, next_mover, next_led,
            new_won, next_left, new_first, new_second, new_piqued, played << _CARD_BITS | card,
        )  # fmt: skip
    hands[mover] = hand
    sequences[mover] = before
    return counts[FULL]


@jit
def grow_tree(
    all_terms: np.ndarray,
    equity: np.ndarray,
    own: np.ndarray,
    other: np.ndarray,
    weights: np.ndarray,
    led: int,
    mover: int,
    won: int,
    left: int,
    keys: np.ndarray,
    sets: np.ndarray,
    leaves: np.ndarray,
    worth: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Write the tree of all pairs of hands that are possible.

    own, other: int64[A], int64[B], hands of sides 0 and 1; weights: float64[A, B], how likely each pair is
    led:        the card on the table, NO_CARD where `mover` leads; won: tricks of side 0; left: tricks to play
    keys:       int64[2, K, 2], zeros, K a power of two, above twice the room for information sets
    sets:       int64[2, S, 3]; leaves: int64[L, 2]; worth: float64[L]; counts: int64[NUM_COUNTS]; all overwritten
    """
    counts[:] = 0
    counts[SEQUENCES], counts[SEQUENCES + 1] = 1, 1
    pair, hands = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    sequences = np.zeros(2, dtype=np.int64)
    for first in range(own.shape[0]):
        for second in range(other.shape[0]):
            if weights[first, second] <= 0.0:
                continue
            pair[0], pair[1] = first, second
            hands[0], hands[1] = own[first], other[second]
            begun = counts[LEAVES]
            grow(
                all_terms[0], equity, keys, sets, leaves, worth, counts, pair, hands, sequences, mover, led, won, left,
                0, 0, 0, 1,
            )  # fmt: skip
            for place in range(begun, counts[LEAVES]):
                worth[place] *= weights[first, second]


# -- strategies -------------------------------------------------------------------------------------------------------


@inner
def _write_reach(sets: np.ndarray, number: int, strategy: np.ndarray, reach: np.ndarray) -> None:
    """Write how likely a side's own choices lead to each of its sequences."""
    reach[0] = 1.0
    for place in range(number):
        parent, first = sets[place, PARENT], sets[place, FIRST]
        for sequence in range(first, first + sets[place, CHOICES]):
            reach[sequence] = reach[parent] * strategy[sequence]


@inner
def _write_gains(
    leaves: np.ndarray, worth: np.ndarray, number: int, side: int, reach: np.ndarray, gains: np.ndarray
) -> None:
    """Write what each sequence of a side brings where it comes to the end, against the other's `reach`."""
    gains[:] = 0.0
    sign = 1.0 - 2.0 * side
    for leaf in range(number):
        gains[leaves[leaf, side]] += sign * worth[leaf] * reach[leaves[leaf, 1 - side]]


@inner
def _match_regrets(sets: np.ndarray, number: int, regrets: np.ndarray, strategy: np.ndarray) -> None:
    """Write at each information set the choices in proportion to their regrets, evenly where there are none."""
    for place in range(number):
        first, choices = sets[place, FIRST], sets[place, CHOICES]
        total = 0.0
        for sequence in range(first, first + choices):
            total += regrets[sequence]
        for sequence in range(first, first + choices):
            strategy[sequence] = regrets[sequence] / total if total > 0.0 else 1.0 / choices


@inner
def _update_regrets(
    sets: np.ndarray, number: int, gains: np.ndarray, strategy: np.ndarray, regrets: np.ndarray
) -> None:
    """Add to the regrets what each choice would have brought more than the strategy, never below nothing."""
    for place in range(number - 1, -1, -1):
        parent, first = sets[place, PARENT], sets[place, FIRST]
        mean = 0.0
        for sequence in range(first, first + sets[place, CHOICES]):
            mean += strategy[sequence] * gains[sequence]
        for sequence in range(first, first + sets[place, CHOICES]):
            regrets[sequence] = max(0.0, regrets[sequence] + gains[sequence] - mean)
        gains[parent] += mean


@jit
def solve_tree(
    sets: np.ndarray,
    leaves: np.ndarray,
    worth: np.ndarray,
    counts: np.ndarray,
    rounds: int,
    average: np.ndarray,
) -> None:
    """Write the average strategies that CFR+ has found after so many rounds: float64[2, Q], by side and sequence."""
    room = average.shape[1]
    regrets, strategy, sums = np.zeros((2, room)), np.zeros((2, room)), np.zeros((2, room))
    reach, gains = np.zeros((2, room)), np.zeros(room)
    for side in range(2):
        _match_regrets(sets[side], counts[SETS + side], regrets[side], strategy[side])
        _write_reach(sets[side], counts[SETS + side], strategy[side], reach[side])
    for turn in range(1, rounds + 1):
        for side in range(2):
            number = counts[SETS + side]
            _write_gains(leaves, worth, counts[LEAVES], side, reach[1 - side], gains)
            _update_regrets(sets[side], number, gains, strategy[side], regrets[side])
            _match_regrets(sets[side], number, regrets[side], strategy[side])
            _write_reach(sets[side], number, strategy[side], reach[side])
            for sequence in range(counts[SEQUENCES + side]):
                sums[side, sequence] += turn * reach[side, sequence]
    for side in range(2):
        _match_regrets(sets[side], counts[SETS + side], sums[side], average[side])


@jit
def best_response(
    sets: np.ndarray, leaves: np.ndarray, worth: np.ndarray, counts: np.ndarray, side: int, strategy: np.ndarray
) -> float:
    """Return the most that `side` can make, for itself, against the other's `strategy` (float64[Q], by sequence)."""
    room = strategy.shape[0]
    reach, gains = np.zeros(room), np.zeros(room)
    _write_reach(sets[1 - side], counts[SETS + 1 - side], strategy, reach)
    _write_gains(leaves, worth, counts[LEAVES], side, reach, gains)
    for place in range(counts[SETS + side] - 1, -1, -1):
        first = sets[side, place, FIRST]
        best = gains[first]
        for sequence in range(first + 1, first + sets[side, place, CHOICES]):
            best = max(best, gains[sequence])
        gains[sets[side, place, PARENT]] += best
    return gains[0]


@jit
def find_choices(keys: np.ndarray, sets: np.ndarray, side: int, hand: int, first: np.ndarray) -> int:
    """Return how many choices a hand (its place in the list) of `side` has at the root; write the first sequence."""
    key = 1 << _HAND_BITS | hand + 1
    place = _place_of_key(keys, side, key)
    if keys[side, place, 0] != key:
        return 0
    number = keys[side, place, 1]
    first[0] = sets[side, number, FIRST]
    return sets[side, number, CHOICES]
