"""Which exchanges are worth trying: all sets of discards, ranked by a quick guess at the hands that they lead to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import num_cards, pattern_cards, pattern_of
from piquet_env.rules.holdings import best_item, is_better, item_cards, item_length, item_rank, items_in
from piquet_env.rules.state import POINT, SEQUENCE, SET
from piquet_env.rules.tables import SEQUENCE_POINTS, SET_POINTS

from .jit import inner, jit

# A guess at what a card is worth in the play, by pattern rank, and what each card of a suit behind the fourth adds.
_CARD_WORTH = np.array([0.0, 0.0, 0.0, 0.1, 0.5, 1.0, 2.2, 4.0, 6.0])
_LENGTH_WORTH = 1.3


@inner
def _points_of(category: int, hand: int, ranks: int, lowest_set: int) -> int:
    """Return what a hand scores in a category that is its own."""
    if category == POINT:
        best = best_item(POINT, hand, ranks, lowest_set)
        return num_cards(item_cards(POINT, best, hand, ranks)) if best >= 0 else 0
    points = 0
    for item in range(items_in(category, ranks)):
        length = item_length(category, item, hand, ranks, True, lowest_set)
        points += SEQUENCE_POINTS[length] if category == SEQUENCE else SET_POINTS[length]
    return points


@inner
def _compare(category: int, own: int, other: int, ranks: int, lowest_set: int) -> int:
    """Return 1 where the own hand has the better combination, -1 where the other has, 0 where neither has."""
    mine, theirs = best_item(category, own, ranks, lowest_set), best_item(category, other, ranks, lowest_set)
    if mine < 0 or theirs < 0:
        return (1 if mine >= 0 else 0) - (1 if theirs >= 0 else 0)
    my_cards, their_cards = item_cards(category, mine, own, ranks), item_cards(category, theirs, other, ranks)
    my_length, their_length = num_cards(my_cards), num_cards(their_cards)
    my_rank, their_rank = item_rank(category, mine, my_cards, ranks), item_rank(category, theirs, their_cards, ranks)
    if is_better(my_length, my_rank, their_length, their_rank):
        return 1
    return -1 if is_better(their_length, their_rank, my_length, my_rank) else 0


@inner
def guess(own: int, other: int, ranks: int, lowest_set: int) -> float:
    """Return a quick guess at the points of a hand less the other's: declarations, repique, and cards' worth."""
    mine, theirs = 0, 0
    bonus = 0
    for category in range(3):
        result = _compare(category, own, other, ranks, lowest_set)
        if result > 0:
            mine += _points_of(category, own, ranks, lowest_set)
        elif result < 0:
            theirs += _points_of(category, other, ranks, lowest_set)
        if bonus == 0 and mine >= 30 and theirs == 0:
            bonus = 60
        if bonus == 0 and theirs >= 30 and mine == 0:
            bonus = -60
    worth = float(mine - theirs + bonus)
    if bonus == 0 and theirs == 0 and mine >= 20:
        worth += 15.0
    for suit in range(4):
        pattern = pattern_of(own, suit, ranks)
        for rank in range(9):
            if pattern >> rank & 1:
                worth += _CARD_WORTH[rank]
        worth += _LENGTH_WORTH * max(0, pattern_cards(pattern) - 4)
    return worth


@jit
def guess_all(
    hand: int, sets: np.ndarray, draws: np.ndarray, others: np.ndarray, ranks: int, lowest_set: int, values: np.ndarray
) -> None:
    """Write the mean guess of each set of discards over the worlds.

    sets:   int64[S], masks of cards to discard; draws: int8[W, n], the talon in drawing order
    others: int64[W], the other's hand
    values: float64[S], overwritten
    """
    for place in range(sets.shape[0]):
        number = num_cards(sets[place])
        total = 0.0
        for world in range(draws.shape[0]):
            own = hand & ~sets[place]
            for drawn in range(number):
                own |= 1 << draws[world, drawn]
            total += guess(own, others[world], ranks, lowest_set)
        values[place] = total / draws.shape[0]


@jit
def list_sets(cards: np.ndarray, least: int, most: int, sets: np.ndarray) -> int:
    """Write all sets of `least` to `most` of the cards as masks; return how many."""
    found = 0
    for choice in range(1 << cards.shape[0]):
        if least <= num_cards(choice) <= most:
            mask = 0
            for place in range(cards.shape[0]):
                if choice >> place & 1:
                    mask |= 1 << cards[place]
            sets[found] = mask
            found += 1
    return found


def all_discards(hand: int, least: int, most: int) -> npt.NDArray[np.int64]:
    """Return all sets of `least` to `most` cards of a hand, as masks."""
    cards = np.array([card for card in range(36) if hand >> card & 1], dtype=np.int64)
    sets = np.empty(1 << len(cards), dtype=np.int64)
    return sets[: list_sets(cards, least, most, sets)].copy()


assert (POINT, SEQUENCE, SET) == (0, 1, 2), "guess goes through the categories in their order"
