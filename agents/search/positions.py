"""The solver's picture of a position: four suits, each the string of who owns its remaining cards.

Played and discarded cards do not matter for what is still to come, only the order of the cards that remain. A suit is
therefore written as its *string*: a leading one, then a bit a remaining card from the highest down to the lowest (bit
0), 1 where side 1 owns it. Side 0 is the seat that asks. Neighbours in a string with one owner are equivalent.

Where only high cards score, it also counts which cards are high. A suit's *code* is its string with two such numbers:

    bits 0-9    the string
    bits 10-13  how many of its cards are too low to score when they are led
    bits 14-17  how many are too low to score when they capture
"""

from __future__ import annotations

import numpy as np

from .jit import inner

STRING_BITS = 10
CODE_BITS = 18
_STRINGS = 1 << STRING_BITS
_STRING_MASK = _STRINGS - 1


def _build_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, by owner and string, the places owned, the lowest of each group, and the number of winners on top."""
    owned = np.zeros((2, _STRINGS), dtype=np.int64)
    groups = np.zeros((2, _STRINGS), dtype=np.int64)
    winners = np.zeros((2, _STRINGS), dtype=np.int64)
    for string in range(1, _STRINGS):
        cards = string.bit_length() - 1
        for side in range(2):
            places = [place for place in range(cards) if (string >> place & 1) == side]
            owned[side, string] = sum(1 << place for place in places)
            groups[side, string] = sum(1 << place for place in places if place - 1 not in places)
            while places and places[-1] == cards - 1 - winners[side, string]:
                winners[side, string] += 1
                places.pop()
    return owned, groups, winners


OWNED, GROUPS, WINNERS = _build_tables()


@inner
def string_of(code: int) -> int:
    """Return the string of a suit."""
    return code & _STRING_MASK


@inner
def scores_when_led(code: int, place: int) -> bool:
    """Return whether the card at a place of the suit scores when it is led."""
    return place >= code >> STRING_BITS & 15


@inner
def scores_when_capturing(code: int, place: int) -> bool:
    """Return whether the card at a place of the suit scores when it captures."""
    return place >= code >> STRING_BITS + 4


@inner
def choices_of(code: int, side: int) -> int:
    """Return the places of a side's cards, one of each group of equivalent cards (the lowest)."""
    string = code & _STRING_MASK
    low_led, low_capturing = code >> STRING_BITS & 15, code >> STRING_BITS + 4
    return GROUPS[side, string] | OWNED[side, string] & (1 << low_led | 1 << low_capturing)


@inner
def remove_card(code: int, place: int) -> int:
    """Return a suit without the card at a place."""
    string = code & _STRING_MASK
    low_led, low_capturing = code >> STRING_BITS & 15, code >> STRING_BITS + 4
    string = string >> place + 1 << place | string & (1 << place) - 1
    if place < low_led:
        low_led -= 1
    if place < low_capturing:
        low_capturing -= 1
    return string | low_led << STRING_BITS | low_capturing << STRING_BITS + 4


@inner
def code_of(own: int, other: int, lead_rank: int, capture_rank: int) -> int:
    """Return the code of a suit from the two sides' nine-bit patterns and the lowest ranks that score."""
    string, cards, low_led, low_capturing = 0, 0, 0, 0
    for rank in range(9):
        if (own | other) >> rank & 1:
            string |= (other >> rank & 1) << cards
            cards += 1
            if rank < lead_rank:
                low_led += 1
            if rank < capture_rank:
                low_capturing += 1
    return string | 1 << cards | low_led << STRING_BITS | low_capturing << STRING_BITS + 4


@inner
def place_of(present: int, rank: int) -> int:
    """Return the place that the card of a rank has among the cards present in its suit (a nine-bit pattern)."""
    below = present & (1 << rank) - 1
    place = 0
    while below:
        below &= below - 1
        place += 1
    return place
