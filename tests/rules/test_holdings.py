"""What a hand holds, against a naive listing of all patterns of a suit; the known counts of hands."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piquet_env.game import Game
from piquet_env.rules import exchange, holdings
from piquet_env.rules.actions import first_id
from piquet_env.rules.cards import cards_in, mask_of
from piquet_env.rules.holdings import NO_CAP, NO_RANK_CAP, best_item, item_cards, item_family, item_length, item_rank
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.state import POINT, SEQUENCE, SET
from piquet_env.rules.tables import DOWN_RUN, PATTERN_PIPS, SEQUENCE_POINTS, SET_POINTS
from tests.strategies import hands

NAMES = "6789TJQKA"
PATTERNS = range(512)


def ranks_of(pattern: int) -> list[int]:
    """The ranks of a pattern, ascending."""
    return [rank for rank in range(9) if pattern >> rank & 1]


def pips_of(ranks: list[int]) -> int:
    """Ace eleven, court cards and ten ten, the others their number."""
    return sum({"A": 11, "K": 10, "Q": 10, "J": 10, "T": 10}.get(NAMES[rank]) or int(NAMES[rank]) for rank in ranks)


def runs_of(pattern: int) -> list[list[int]]:
    """The maximal runs of a pattern of any length, the lowest first, found in its text."""
    text = "".join(NAMES[rank] if pattern >> rank & 1 else " " for rank in range(9))
    return [[NAMES.index(name) for name in run] for run in text.split()]


# -- one suit: all 512 patterns ---------------------------------------------------------------------------------------


@pytest.mark.nojit
def test_pips_of_all_patterns() -> None:
    assert [int(PATTERN_PIPS[pattern]) for pattern in PATTERNS] == [pips_of(ranks_of(pattern)) for pattern in PATTERNS]


@pytest.mark.nojit
def test_runs_of_all_patterns() -> None:
    for pattern in PATTERNS:
        for top in range(9):
            run = next((run for run in runs_of(pattern) if top in run), [])
            assert DOWN_RUN[pattern, top] == len([rank for rank in run if rank <= top])
            if run:
                assert holdings.is_whole_run(pattern, top) == (run[-1] == top)


@pytest.mark.nojit
@pytest.mark.parametrize("ranks", [8, 9])
def test_sequences_of_all_patterns(ranks: int) -> None:
    for bits in range(1 << ranks):
        pattern = bits << (9 - ranks)
        suit = bits % 4
        hand = mask_of(pattern, suit, ranks)
        whole = {run[-1]: run for run in runs_of(pattern) if len(run) >= 3}
        parts = {top: [rank for rank in run if rank <= top] for run in runs_of(pattern) for top in run}
        for top in range(11 - ranks, 9):
            item = suit * (ranks - 2) + top - (11 - ranks)
            assert holdings.item_suit(SEQUENCE, item, ranks) == suit
            assert holdings.item_top(item, ranks) == item_rank(SEQUENCE, item, 0, ranks) == top
            assert item_length(SEQUENCE, item, hand, ranks, True, 4) == len(whole.get(top, []))
            part = parts.get(top, [])
            assert item_length(SEQUENCE, item, hand, ranks, False, 4) == (len(part) if len(part) >= 3 else 0)
            assert item_cards(SEQUENCE, item, hand, ranks) == _cards(part, suit, ranks)
            if part:
                run = next(run for run in runs_of(pattern) if top in run)
                assert item_family(SEQUENCE, item, hand, ranks) == _cards(run, suit, ranks)


def _cards(ranks_held: list[int], suit: int, ranks: int) -> int:
    return sum(1 << (suit * ranks + rank - (9 - ranks)) for rank in ranks_held)


@pytest.mark.parametrize("pattern", range(0, 512, 37))
def test_parts_of_a_suit(pattern: int) -> None:
    held = ranks_of(pattern)
    parts = [list(part) for size in range(1, len(held) + 1) for part in combinations(held, size)]
    measured = [(len(part), pips_of(part)) for part in parts]
    for length in range(1, 10):
        for pips in range(101):
            assert holdings.count_parts(pattern, length, pips) == measured.count((length, pips))


def test_parts_of_a_suit_within_bounds() -> None:
    rng = random.Random(1)
    for _ in range(4000):
        free = rng.randrange(512)
        fixed = rng.randrange(512) & ~free if rng.random() < 0.5 else 0
        cap = (
            (NO_CAP, NO_RANK_CAP)
            if rng.random() < 0.3
            else (rng.randint(2, 9), rng.choice((NO_RANK_CAP, rng.randrange(90))))
        )
        beat = (-1, -1) if rng.random() < 0.3 else (rng.randint(2, 9), rng.choice((NO_RANK_CAP, rng.randrange(90))))
        held = ranks_of(free)
        parts = [list(part) + ranks_of(fixed) for size in range(len(held) + 1) for part in combinations(held, size)]
        measured = [(len(part), pips_of(part)) for part in parts]
        naive = any(length >= 3 and (length, pips) <= cap and (length, pips) > beat for length, pips in measured)
        assert holdings.part_of_suit(free, fixed, *cap, *beat) == naive


@pytest.mark.nojit
def test_claims_are_totally_ordered() -> None:
    claims = [(length, rank) for length in range(3, 10) for rank in range(0, 9, 2)]
    for one in claims:
        for other in claims:
            assert holdings.is_better(*one, *other) == (one > other)
            assert holdings.is_capped(*one, *other) == (one <= other)
            # Just one of three: better, worse, or equal, and equal only with itself.
            assert holdings.is_better(*one, *other) + holdings.is_better(*other, *one) + (one == other) == 1


@pytest.mark.nojit
def test_values_are_those_of_the_laws() -> None:
    assert SEQUENCE_POINTS.tolist() == [0, 0, 0, 3, 4, 15, 16, 17, 18, 19]
    assert SET_POINTS.tolist() == [0, 0, 0, 3, 14]


# -- whole hands ------------------------------------------------------------------------------------------------------


class NaiveHand:
    """A hand as cards of suit and pattern rank; its whole combinations by item."""

    def __init__(self, hand: int, ranks: int) -> None:
        self.cards = [(card // ranks, card % ranks + 9 - ranks) for card in cards_in(hand, ranks)]
        self.ranks = ranks

    def suit(self, suit: int) -> list[int]:
        return [rank for held, rank in self.cards if held == suit]

    def items(self, category: int, lowest_set: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield each whole item with its length and rank, in the order of the items."""
        if category == POINT:
            lengths = [len(self.suit(suit)) for suit in range(4)]
            for suit in range(4):
                if lengths[suit] == max(lengths) >= 3:
                    yield suit, (lengths[suit], pips_of(self.suit(suit)))
        elif category == SEQUENCE:
            for suit in range(4):
                for run in runs_of(sum(1 << rank for rank in self.suit(suit))):
                    if len(run) >= 3:
                        yield suit * (self.ranks - 2) + run[-1] - (11 - self.ranks), (len(run), run[-1])
        else:
            for rank in range(lowest_set, 9):
                size = sum(held == rank for _, held in self.cards)
                if size >= 3:
                    yield rank - 4, (size, rank)


def check_hand(hand: int, ranks: int, lowest_set: int) -> None:
    naive = NaiveHand(hand, ranks)
    for category in (POINT, SEQUENCE, SET):
        found = {}
        for whole in (True, False):
            held = [
                bool(item_length(category, item, hand, ranks, whole, lowest_set))
                for item in range(holdings.items_in(category, ranks))
            ]
            bits = int(holdings.items_held(category, hand, ranks, whole, lowest_set))
            assert [bool(bits >> item & 1) for item in range(63)] == held + [False] * (63 - len(held))
        for item in range(holdings.items_in(category, ranks)):
            length = int(item_length(category, item, hand, ranks, True, lowest_set))
            if length:
                cards = item_cards(category, item, hand, ranks)
                assert cards & ~hand == 0
                assert int(cards).bit_count() == length
                assert item_family(category, item, hand, ranks) == cards
                found[item] = (length, int(item_rank(category, item, cards, ranks)))
        expected = dict(naive.items(category, lowest_set))
        assert found == expected
        best = max(expected, key=lambda item: (*expected[item], -item), default=-1)
        assert best_item(category, hand, ranks, lowest_set) == best
    assert holdings.longest_suit(hand, ranks) == max(len(naive.suit(suit)) for suit in range(4))


@given(hands(32), st.sampled_from([4, 5]))
def test_hands_of_thirty_two(hand: int, lowest_set: int) -> None:
    check_hand(hand, 8, lowest_set)


@given(hands(36))
def test_hands_of_thirty_six(hand: int) -> None:
    check_hand(hand, 9, 4)


@pytest.mark.nojit
def test_some_hands_at_first_sight() -> None:
    for seed in range(5):
        for ranks in (8, 9):
            deck = deck_of(seed, 0, 1, 4 * ranks)
            check_hand(sum(1 << int(card) for card in deck[:12]), ranks, 4)


def test_sets_of_a_rank() -> None:
    for ranks in (8, 9):
        for suits in range(16):
            hand = sum(1 << (suit * ranks + ranks - 1) for suit in range(4) if suits >> suit & 1)
            assert holdings.set_cards(hand, 8, ranks) == hand
            assert holdings.set_size(hand, 8, ranks) == suits.bit_count()
            assert holdings.set_size(hand, 7, ranks) == 0
            for whole in (True, False):
                length = item_length(SET, 4, hand, ranks, whole, 4)
                assert length == (suits.bit_count() if suits.bit_count() >= 3 else 0)
    tens = sum(1 << (suit * 8 + 3) for suit in range(4))
    assert item_length(SET, 0, tens, 8, True, 4) == 4
    assert item_length(SET, 0, tens, 8, True, 5) == 0  # sets count from the jacks up


@given(hands(32, 20), st.sampled_from([SEQUENCE, SET]), st.integers(3, 8), st.integers(0, 8))
def test_good_against_the_cards(unseen: int, category: int, length: int, rank: int) -> None:
    naive = NaiveHand(unseen, 8)
    # The longest run down from a top is in a whole run, and a whole run is the best of its parts.
    better = any(claim > (length, rank) for _, claim in naive.items(category, 4))
    assert holdings.could_be_beaten(category, unseen, length, rank, 8, 4) == better


# -- known counts -----------------------------------------------------------------------------------------------------


def counts_by_size(patterns: list[int]) -> list[int]:
    """How many of these patterns of one suit have 0, 1, 2 … cards."""
    sizes = [pattern.bit_count() for pattern in patterns]
    return [sizes.count(size) for size in range(10)]


def count_hands(patterns: list[int], size: int = 12) -> int:
    """How many hands have one of these patterns in each suit."""
    counts = np.array([1], dtype=object)
    for _ in range(4):
        counts = np.convolve(counts, np.array(counts_by_size(patterns), dtype=object))
    return int(counts[size])


def test_number_of_hands_and_of_cartes_blanches() -> None:
    of_32 = list(range(0, 512, 2))
    assert count_hands(of_32) == comb(32, 12) == 225_792_840
    blank = [pattern for pattern in of_32 if not pattern & exchange._COURT]
    assert count_hands(blank) == comb(20, 12) == 125_970
    of_36 = [pattern for pattern in PATTERNS if not pattern & exchange._COURT]
    assert count_hands(list(PATTERNS)) == comb(36, 12)
    assert count_hands(of_36) == comb(24, 12)
    assert comb(32, 12) / comb(20, 12) == pytest.approx(1792.43, abs=0.005)
    assert comb(36, 12) / comb(24, 12) == pytest.approx(463, abs=1)


@pytest.mark.nojit
def test_the_question_of_a_carte_blanche_follows_the_hand() -> None:
    rng = random.Random(5)
    plain = [card for card in range(32) if card % 8 in (0, 1, 2, 3, 7)]
    asked = 0
    for _ in range(60):
        hand = rng.sample(plain, 12)
        if rng.random() < 0.5:
            hand[rng.randrange(12)] = rng.choice([card for card in range(32) if card % 8 in (4, 5, 6)])
        rest = [card for card in range(32) if card not in hand]
        rng.shuffle(rest)
        game = Game("rubicon", seed=1, decks=[np.array(hand + rest, dtype=np.int8)], dealer=1)
        is_blank = all(card in plain for card in hand)
        assert (first_id("silent") in game.legal_actions()) == is_blank
        asked += is_blank
    assert asked > 10
