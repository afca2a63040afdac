"""Cards and hands: numbers, patterns, and the texts that print and parse."""

import numpy as np
import pytest
from hypothesis import given

from piquet_env.rules.cards import (
    RANKS,
    SUITS,
    cards_in,
    format_card,
    format_hand,
    mask_from,
    mask_of,
    num_cards,
    parse_card,
    parse_hand,
    pattern_cards,
    pattern_of,
    rank_of,
    suit_of,
)
from piquet_env.rules.errors import NotationError
from tests.strategies import masks

ALL = [(card, ranks) for ranks in (8, 9) for card in range(4 * ranks)]


@pytest.mark.parametrize(("card", "ranks"), ALL)
def test_every_card_prints_and_parses(card: int, ranks: int) -> None:
    text = format_card(card, ranks)
    assert parse_card(text, ranks) == card
    assert text == SUITS[suit_of(card, ranks)] + RANKS[rank_of(card, ranks)]
    assert parse_card(f" {text.lower()} ", ranks) == card


def test_cards_go_suit_by_suit_from_the_lowest() -> None:
    assert [format_card(card) for card in (0, 7, 8, 31)] == ["S7", "SA", "H7", "CA"]
    assert [format_card(card, 9) for card in (0, 8, 9, 35)] == ["S6", "SA", "H6", "CA"]
    assert parse_card("H10") == parse_card("HT")


@pytest.mark.parametrize("text", ["", "S", "SAA", "XA", "S6", "S1", "AS", "S 7", "sß"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"is not a card of the pack of 32"):
        parse_card(text)


def test_a_six_belongs_to_the_larger_pack() -> None:
    assert parse_card("S6", 9) == 0
    with pytest.raises(NotationError, match="pack of 36"):
        parse_card("S5", 9)


@pytest.mark.nojit
@pytest.mark.parametrize("ranks", [8, 9])
def test_patterns_and_masks_are_inverse(ranks: int) -> None:
    for suit in range(4):
        for bits in range(1 << ranks):
            pattern = bits << (9 - ranks)
            mask = mask_of(pattern, suit, ranks)
            assert mask == bits << (suit * ranks)
            assert pattern_of(mask, suit, ranks) == pattern
            assert pattern_cards(pattern) == num_cards(mask) == bits.bit_count()
            assert all(pattern_of(mask, other, ranks) == 0 for other in range(4) if other != suit)


def test_number_of_cards_up_to_sixty_three_bits() -> None:
    for bits in [0, 1, 2**62, 2**63 - 1, 0x5555555555555555, *(3**k for k in range(40) if 3**k < 2**63)]:
        assert num_cards(bits) == bits.bit_count()


@given(masks(36))
def test_hands_of_thirty_six_print_and_parse(mask: int) -> None:
    assert parse_hand(format_hand(mask, 9), 9) == mask
    assert mask_from(cards_in(mask, 9)) == mask


@given(masks(32))
def test_hands_of_thirty_two_print_and_parse(mask: int) -> None:
    text = format_hand(mask)
    assert parse_hand(text) == mask
    assert parse_hand(text.lower().replace("t", "10")) == mask
    assert parse_hand(" ".join(reversed(text.split()))) == mask
    assert format_hand(np.int64(mask)) == text


def test_a_hand_may_leave_suits_out() -> None:
    assert parse_hand("H:A7") == mask_from([parse_card("HA"), parse_card("H7")])
    assert parse_hand("") == 0
    assert format_hand(0) == "S:- H:- D:- C:-"
    assert format_hand(parse_hand("S:789TJQKA")) == "S:AKQJT987 H:- D:- C:-"


@pytest.mark.parametrize(
    ("text", "words"), [("SAKQ", "is not a suit"), ("S:AA", "stands twice"), ("S:A S:A", "stands twice"), ("S:6", "S6")]
)
def test_what_is_no_hand_is_refused(text: str, words: str) -> None:
    with pytest.raises(NotationError, match=words):
        parse_hand(text)
