"""A hundred thousand deals of the seeded shuffle against the exact odds, within five standard errors."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest

from piquet_env.rules.cards import parse_card
from piquet_env.rules.shuffle import shuffle_into

DEALS = 100_000
BOUND = 5.0  # standard errors; of the few thousand figures below hardly one in a thousand seeds would pass it by chance


def draw_decks(cards: int, deals: int) -> np.ndarray:
    """Decks of shape (deals, cards), int8: deals 1 to 8 of as many parties as it takes, of seeds 0 to 9."""
    decks = np.empty((deals, cards), dtype=np.int8)
    with np.errstate(over="ignore"):
        for number in range(deals):
            shuffle_into(number % 10, number // 80, number // 10 % 8 + 1, decks[number])
    return decks


@pytest.fixture(scope="module")
def decks() -> np.ndarray:
    return draw_decks(32, DEALS)


@pytest.fixture(scope="module")
def places(decks: np.ndarray) -> np.ndarray:
    """The place of each card in each deck, shape (deals, 32)."""
    return np.argsort(decks, axis=1)


def errors_off(hits: int, trials: int, odds: float) -> float:
    """How many standard errors a share lies off its odds."""
    return abs(hits / trials - odds) / sqrt(odds * (1 - odds) / trials)


def assert_share(hits: np.ndarray, odds: float) -> None:
    assert len(hits) > 1000
    assert errors_off(int(hits.sum()), len(hits), odds) < BOUND


@pytest.mark.parametrize("cards", [32, 36])
def test_each_card_falls_evenly_on_each_place(cards: int) -> None:
    decks = draw_decks(cards, DEALS)
    counts = np.stack([np.bincount(decks[:, place], minlength=cards) for place in range(cards)])
    odds = 1 / cards
    error = sqrt(DEALS * odds * (1 - odds))
    assert np.abs(counts - DEALS * odds).max() < BOUND * error
    # The sum of the squares has the known mean and spread of a chi-square, so the counts are not too even either.
    freedom = (cards - 1) ** 2
    chi_square = float((((counts - DEALS * odds) ** 2) / (DEALS * odds)).sum())
    assert abs(chi_square - freedom) < BOUND * sqrt(2 * freedom)


def test_decks_are_permutations_and_all_different(decks: np.ndarray) -> None:
    assert np.array_equal(np.sort(decks, axis=1), np.tile(np.arange(32, dtype=np.int8), (DEALS, 1)))
    assert len(np.unique(decks.view("V32"))) == DEALS


def test_neighbouring_deals_seeds_and_parties_are_independent(decks: np.ndarray) -> None:
    # In the order of `draw_decks`: neighbours differ in the seed, ten apart in the deal, eighty apart in the partie.
    for apart in (1, 10, 80):
        same = (decks[:-apart] == decks[apart:]).mean(axis=1)
        agreeing = same.mean() * 32  # of 32 cards one lies on its old place, with variance one
        assert abs(agreeing - 1) < BOUND / sqrt(len(same))


def test_every_order_of_two_cards_is_as_likely(places: np.ndarray) -> None:
    for first in range(31):
        assert_share(places[:, first] < places[:, first + 1], 1 / 2)


@pytest.mark.parametrize(("cards", "blank"), [(32, 20), (36, 24)])
def test_cartes_blanches(cards: int, blank: int) -> None:
    decks = draw_decks(cards, DEALS)
    ranks = cards // 4
    court = (decks % ranks >= ranks - 4) & (decks % ranks <= ranks - 2)
    odds = comb(blank, 12) / comb(cards, 12)
    elder, younger = ~court[:, :12].any(axis=1), ~court[:, 12:24].any(axis=1)
    for holds in (elder, younger):
        assert_share(holds, odds)
    if cards == 32:
        assert odds == pytest.approx(1 / 1792.43, rel=1e-5)
        assert not (elder & younger).any()
    else:
        assert odds == pytest.approx(1 / 463, rel=1e-2)


# -- the odds of the exchange, as Cavendish prints them ----------------------------------------------------------------

NAMED = [parse_card(text) for text in ("SA", "HK", "D8")]
ELDER, YOUNGER = range(12), range(12, 24)
ELDER_TAKES, YOUNGER_TAKES = range(24, 29), range(29, 32)


def among(places: np.ndarray, card: int, where: range) -> np.ndarray:
    return (places[:, card] >= where.start) & (places[:, card] < where.stop)


def unseen(places: np.ndarray, cards: list[int], hand: range) -> np.ndarray:
    """The deals in which none of these cards is in a hand."""
    return ~np.any([among(places, card, hand) for card in cards], axis=0)


def test_elder_takes_a_named_card(places: np.ndarray) -> None:
    for card in NAMED:
        deals = places[unseen(places, [card], ELDER)]
        assert_share(among(deals, card, ELDER_TAKES), 5 / 20)


def test_elder_takes_two_named_cards_or_one_of_two(places: np.ndarray) -> None:
    first, second = NAMED[:2]
    deals = places[unseen(places, [first, second], ELDER)]
    takes = [among(deals, card, ELDER_TAKES) for card in (first, second)]
    assert_share(takes[0] & takes[1], 1 / 19)
    assert_share(takes[0] | takes[1], 17 / 38)
    assert comb(18, 3) / comb(20, 5) == pytest.approx(1 / 19)
    assert 1 - comb(18, 5) / comb(20, 5) == pytest.approx(17 / 38)


def test_younger_takes_a_named_card_or_one_of_three(places: np.ndarray) -> None:
    deals = places[unseen(places, NAMED[:1], YOUNGER)]
    assert_share(among(deals, NAMED[0], YOUNGER_TAKES), 3 / 20)
    deals = places[unseen(places, NAMED, YOUNGER)]
    takes = np.any([among(deals, card, YOUNGER_TAKES) for card in NAMED], axis=0)
    assert_share(takes, 23 / 57)
    assert 1 - comb(17, 3) / comb(20, 3) == pytest.approx(23 / 57)
