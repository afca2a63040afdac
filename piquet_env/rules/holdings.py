"""What a hand holds: points, sequences and sets, whole and in part. Pure functions of masks.

An *item* is a suit (point), a suit with a top card (sequence) or a rank (set), numbered as the actions of its kind.
The *length* of an item is the number of its cards; its *rank* is what breaks a tie: the pips of a point, the top of a
sequence, the rank of a set (pattern ranks, ace 8).
"""

from __future__ import annotations

from .cards import lowest_bit, mask_of, pattern_cards, pattern_of
from .jit import jit
from .state import POINT, SEQUENCE
from .tables import DOWN_RUN, PATTERN_PIPS

NO_CAP = 99
NO_RANK_CAP = 999


@jit
def items_in(category: int, ranks: int) -> int:
    """Return how many items a category has: 4 suits, 24 or 28 sequences, 5 sets."""
    if category == POINT:
        return 4
    return 4 * (ranks - 2) if category == SEQUENCE else 5


@jit
def item_suit(category: int, item: int, ranks: int) -> int:
    """Return the suit of a point or a sequence."""
    return item if category == POINT else item // (ranks - 2)


@jit
def item_top(item: int, ranks: int) -> int:
    """Return the top (pattern rank) of a sequence."""
    return item % (ranks - 2) + 11 - ranks


@jit
def set_cards(hand: int, rank: int, ranks: int) -> int:
    """Return the mask of the cards of a pattern rank that `hand` holds."""
    cards = 0
    for suit in range(4):
        cards |= hand & (1 << (suit * ranks + rank - (9 - ranks)))
    return cards


@jit
def set_size(hand: int, rank: int, ranks: int) -> int:
    """Return how many cards of a pattern rank `hand` holds."""
    size = 0
    for suit in range(4):
        size += hand >> (suit * ranks + rank - (9 - ranks)) & 1
    return size


@jit
def is_whole_run(pattern: int, top: int) -> bool:
    """Return whether a run that begins at `top` cannot be prolonged upwards."""
    return top == 8 or pattern >> (top + 1) & 1 == 0


@jit
def longest_suit(hand: int, ranks: int) -> int:
    """Return the length of the longest suit."""
    best = 0
    for suit in range(4):
        best = max(best, pattern_cards(pattern_of(hand, suit, ranks)))
    return best


@jit
def item_length(category: int, item: int, hand: int, ranks: int, whole: bool, lowest_set: int) -> int:
    """Return the most cards with which an item may be claimed, 0 if it may not.

    whole: whole combinations only: a longest suit, an unbroken run from its top, all held of a rank
    """
    if category == POINT:
        length = pattern_cards(pattern_of(hand, item, ranks))
        if whole and length < longest_suit(hand, ranks):
            return 0
    elif category == SEQUENCE:
        pattern = pattern_of(hand, item // (ranks - 2), ranks)
        top = item_top(item, ranks)
        length = DOWN_RUN[pattern, top]
        if whole and not is_whole_run(pattern, top):
            return 0
    else:
        if item + 4 < lowest_set:
            return 0
        length = set_size(hand, item + 4, ranks)
    return length if length >= 3 else 0


@jit
def items_held(category: int, hand: int, ranks: int, whole: bool, lowest_set: int) -> int:
    """Return the items that may be claimed, as bits: those to which `item_length` gives three cards or more.

    All of a suit or of a rank at once, since a hand has few of the items that a category has.
    """
    items = 0
    if category == POINT:
        least = max(3, longest_suit(hand, ranks)) if whole else 3
        for suit in range(4):
            if pattern_cards(pattern_of(hand, suit, ranks)) >= least:
                items |= 1 << suit
    elif category == SEQUENCE:
        for suit in range(4):
            pattern = pattern_of(hand, suit, ranks)
            tops = pattern & pattern << 1 & pattern << 2
            if whole:
                tops &= ~(pattern >> 1)
            items |= tops >> (11 - ranks) << suit * (ranks - 2)
    else:
        first, second = pattern_of(hand, 0, ranks), pattern_of(hand, 1, ranks)
        third, fourth = pattern_of(hand, 2, ranks), pattern_of(hand, 3, ranks)
        three = first & second & (third | fourth) | third & fourth & (first | second)
        lowest = max(lowest_set, 4)
        items = three >> lowest << (lowest - 4)
    return items


@jit
def item_rank(category: int, item: int, cards: int, ranks: int) -> int:
    """Return what breaks a tie for an item claimed with `cards`: pips, top, or rank."""
    if category == POINT:
        return PATTERN_PIPS[pattern_of(cards, item, ranks)]
    return item_top(item, ranks) if category == SEQUENCE else item + 4


@jit
def item_cards(category: int, item: int, hand: int, ranks: int) -> int:
    """Return all cards of an item in `hand`: the suit, the run downwards from the top, the cards of the rank."""
    if category == POINT:
        return mask_of(pattern_of(hand, item, ranks), item, ranks)
    if category == SEQUENCE:
        suit, top = item // (ranks - 2), item_top(item, ranks)
        length = DOWN_RUN[pattern_of(hand, suit, ranks), top]
        return mask_of(((1 << length) - 1) << (top + 1 - length), suit, ranks)
    return set_cards(hand, item + 4, ranks)


@jit
def item_family(category: int, item: int, hand: int, ranks: int) -> int:
    """Return the cards that a claim of the item uses up: the maximal run that a sequence is part of, else the item."""
    cards = item_cards(category, item, hand, ranks)
    if category == SEQUENCE:
        suit, top = item // (ranks - 2), item_top(item, ranks)
        pattern = pattern_of(hand, suit, ranks)
        while top < 8 and pattern >> (top + 1) & 1:
            top += 1
            cards |= mask_of(1 << top, suit, ranks)
    return cards


@jit
def is_capped(length: int, rank: int, cap_length: int, cap_rank: int) -> bool:
    """Return whether (length, rank) is no better than the cap."""
    return length < cap_length or (length == cap_length and rank <= cap_rank)


@jit
def is_better(length: int, rank: int, than_length: int, than_rank: int) -> bool:
    """Return whether (length, rank) beats another: longer, or as long with the higher rank."""
    return length > than_length or (length == than_length and rank > than_rank)


@jit
def part_of_suit(free: int, fixed: int, cap_length: int, cap_rank: int, beat_length: int, beat_rank: int) -> bool:
    """Return whether `fixed` with some cards of `free` (patterns of a suit) is a point within the bounds."""
    part = free
    while True:
        length = pattern_cards(fixed | part)
        pips = PATTERN_PIPS[fixed | part]
        if (
            length >= 3
            and is_capped(length, pips, cap_length, cap_rank)
            and is_better(length, pips, beat_length, beat_rank)
        ):
            return True
        if part == 0:
            return False
        part = (part - 1) & free


@jit
def count_parts(pattern: int, length: int, pips: int) -> int:
    """Return how many sets of `length` cards of the pattern make just `pips`."""
    found = 0
    part = pattern
    while part:
        if pattern_cards(part) == length and PATTERN_PIPS[part] == pips:
            found += 1
        part = (part - 1) & pattern
    return found


@jit
def best_item(category: int, hand: int, ranks: int, lowest_set: int) -> int:
    """Return the best whole item: longest, then most pips or highest top or rank, then suit order; -1: none."""
    best, best_length, best_rank = -1, 0, -1
    items = items_held(category, hand, ranks, True, lowest_set)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        length = item_length(category, item, hand, ranks, False, lowest_set)
        rank = item_rank(category, item, item_cards(category, item, hand, ranks), ranks)
        if is_better(length, rank, best_length, best_rank):
            best, best_length, best_rank = item, length, rank
    return best


@jit
def could_be_beaten(category: int, unseen: int, length: int, rank: int, ranks: int, lowest_set: int) -> bool:
    """Return whether the cards `unseen` could make a sequence or set better than (length, rank)."""
    items = items_held(category, unseen, ranks, False, lowest_set)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        held = item_length(category, item, unseen, ranks, False, lowest_set)
        if is_better(held, item_rank(category, item, 0, ranks), length, rank):
            return True
    return False
