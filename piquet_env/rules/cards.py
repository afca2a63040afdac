"""Cards as small integers, hands as int64 masks; suits, ranks, and their text forms.

A card is `suit * ranks + rank`, with suits S H D C and ranks from the lowest of the pack (7, or 6 with 36 cards) to the
ace, so cards are numbered suit by suit upwards. Rank tables of the rules are written for the *pattern* of a suit: nine
bits, bit 0 the six and bit 8 the ace, whichever pack is in use.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .bits import count_low_zeros, count_ones
from .errors import NotationError
from .jit import jit

SUITS = "SHDC"
RANKS = "6789TJQKA"  # by pattern rank: bit 0 the six, bit 8 the ace
HAND_SIZE = 12
SIX, SEVEN, NINE, TEN, JACK, QUEEN, KING, ACE = 0, 1, 3, 4, 5, 6, 7, 8


@jit
def pattern_of(cards: int, suit: int, ranks: int) -> int:
    """Return the nine-bit pattern of `suit` in the mask `cards` of a pack with `ranks` cards a suit (8 or 9)."""
    return ((cards >> (suit * ranks)) & ((1 << ranks) - 1)) << (9 - ranks)


@jit
def mask_of(pattern: int, suit: int, ranks: int) -> int:
    """Return the mask of cards for a nine-bit `pattern` of `suit`; the inverse of `pattern_of`."""
    return (pattern >> (9 - ranks)) << (suit * ranks)


@jit
def suit_of(card: int, ranks: int) -> int:
    """Return the suit of `card`: its number divided by the ranks, without a division, which the play would feel."""
    return card >> 3 if ranks == 8 else card * 57 >> 9


@jit
def rank_of(card: int, ranks: int) -> int:
    """Return the pattern rank (0 the six, 8 the ace) of `card`."""
    return card - suit_of(card, ranks) * ranks + 9 - ranks


@jit
def pattern_cards(pattern: int) -> int:
    """Return how many cards the nine-bit `pattern` holds."""
    return _COUNT[pattern]


@jit
def num_cards(bits: int) -> int:
    """Return how many bits of a mask are set."""
    return int(count_ones(bits))


@jit
def lowest_bit(bits: int) -> int:
    """Return the place of the lowest set bit of a mask that is not empty."""
    return int(count_low_zeros(bits))


_COUNT = np.array([bin(pattern).count("1") for pattern in range(512)], dtype=np.int64)


def format_card(card: int, ranks: int = 8) -> str:
    """Return the two characters of `card`, suit first: `SA`."""
    return SUITS[card // ranks] + RANKS[card % ranks + 9 - ranks]


def parse_card(text: str, ranks: int = 8) -> int:
    """Return the card written as suit and rank, such as `SA` or `HT`; NotationError names what cannot be read."""
    word = text.strip().upper().replace("10", "T")
    if len(word) != 2 or word[0] not in SUITS or word[1] not in RANKS[9 - ranks :]:
        raise NotationError(
            f"{text!r} is not a card of the pack of {4 * ranks} (write suit and rank, such as SA or HT)"
        )
    return SUITS.index(word[0]) * ranks + RANKS.index(word[1]) - (9 - ranks)


def cards_in(mask: int, ranks: int = 8) -> list[int]:
    """Return the cards of `mask` in ascending order."""
    return [card for card in range(4 * ranks) if int(mask) >> card & 1]


def mask_from(cards: Iterable[int]) -> int:
    """Return the mask of `cards`."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def format_hand(mask: int, ranks: int = 8) -> str:
    """Return a hand as text, suit by suit, high cards first: `S:AKQ H:- D:T9 C:A`."""
    suits = []
    for index, suit in enumerate(SUITS):
        pattern = int(pattern_of(int(mask), index, ranks))
        held = "".join(RANKS[rank] for rank in range(8, -1, -1) if pattern >> rank & 1)
        suits.append(f"{suit}:{held or '-'}")
    return " ".join(suits)


def parse_hand(text: str, ranks: int = 8) -> int:
    """Return the mask of a hand written as `S:AKQ H:- D:T9 C:A` (suits may be left out); errors name the offence."""
    mask = 0
    for part in text.split():
        suit, colon, held = part.partition(":")
        if not colon:
            raise NotationError(f"{part!r} is not a suit with its cards (write S:AKQ)")
        for rank in "" if held == "-" else held.upper().replace("10", "T"):
            bit = 1 << parse_card(suit + rank, ranks)
            if mask & bit:
                raise NotationError(f"card {suit.upper()}{rank} stands twice in {text!r}")
            mask |= bit
    return mask
