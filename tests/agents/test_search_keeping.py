"""How likely hands are kept: the sum of look-ups against plain counting, and the fit against odds by rank."""

import itertools

import numpy as np
import pytest

from agents.heuristic.agent import HeuristicAgent
from agents.search.fit import chances, fit_role, main, play_exchanges, terms_of
from agents.search.keeping import (
    NUM_CODES,
    NUM_TERMS,
    NUM_WEIGHTS,
    STEPS,
    load_keeping,
    odds_of_hand,
    weights_of_shares,
    write_keeping_terms,
)
from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import Rules


def plain_terms(hand: int, out: int, ranks: int) -> list[int]:
    """The places of the weights, with strings: a digit a card from the six to the ace, and counts of each rank."""
    places = []
    for suit in range(4):
        cards = range(ranks * suit, ranks * (suit + 1))
        digits = "".join("2" if hand >> card & 1 else "1" if out >> card & 1 else "0" for card in cards)
        places.append(int(digits.rjust(9, "0"), 3))
    for rank in range(9):
        of_rank = [card for card in range(4 * ranks) if card % ranks + 9 - ranks == rank]
        held, lying = sum(hand >> card & 1 for card in of_rank), sum(out >> card & 1 for card in of_rank)
        places.append(NUM_CODES + 25 * rank + 5 * held + lying)
    return places


@pytest.mark.parametrize("ranks", [8, 9])
def test_the_places_are_those_of_plain_counting(ranks: int) -> None:
    rng = np.random.default_rng(2)
    terms = np.zeros(NUM_TERMS, dtype=np.int64)
    for _ in range(50):
        cards = rng.permutation(4 * ranks)
        hand, out = (sum(1 << int(card) for card in part) for part in (cards[:12], cards[12:17]))
        write_keeping_terms(hand, out, ranks, terms)
        assert terms.tolist() == plain_terms(hand, out, ranks)


def test_odds_are_powers_of_two_of_the_sum() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(-90, 90, NUM_WEIGHTS)
    terms = np.zeros(NUM_TERMS, dtype=np.int64)
    for _ in range(50):
        cards = rng.permutation(32)
        hand, out = (sum(1 << int(card) for card in part) for part in (cards[:12], cards[12:17]))
        odds = odds_of_hand(hand, out, 8, weights, terms)
        assert odds == pytest.approx(2.0 ** (20 + weights[terms].sum() / STEPS), rel=1e-5)


def test_the_shipped_weights_tell_more_than_odds_by_rank() -> None:
    """On exchanges that were not fitted, the hand that was kept is told apart far better."""
    rules = Rules()
    rng = np.random.default_rng(9001)
    hands, discards = play_exchanges(rules, HeuristicAgent(rules=rules), 300, rng)
    for role, number in enumerate((5, 3)):
        usual = np.bitwise_count(discards[:, role]) == number
        terms, same = terms_of(hands[usual, role], discards[usual, role], number, rules, rng)
        losses = [
            -np.log(chances(weights[role] * np.log(2) / STEPS, terms, same)[:, 0]).mean()
            for weights in (load_keeping(32), weights_of_shares())
        ]
        assert losses[0] < losses[1] - 1


def test_the_pack_without_a_fit_has_odds_by_rank() -> None:
    assert (load_keeping(36) == weights_of_shares()).all()


def test_a_fit_finds_what_is_kept() -> None:
    """Players that throw the lowest cards of what they hold: afterwards such hands are the likely ones."""
    rules = Rules()
    rng = np.random.default_rng(4)
    hands, discards = [], []
    for _ in range(600):
        cards = sorted(rng.permutation(32)[:15].tolist(), key=lambda card: card % 8)
        discards.append(sum(1 << card for card in cards[:3]))
        hands.append(sum(1 << card for card in cards[3:]))
    weights = fit_role(np.array(hands), np.array(discards), rules, rng)
    terms = np.zeros(NUM_TERMS, dtype=np.int64)
    right = 0
    for hand, out in itertools.islice(zip(hands, discards, strict=True), 20):
        pool = cards_in(hand | out, 8)
        worth = []
        for thrown in itertools.combinations(pool, 3):
            lying = sum(1 << card for card in thrown)
            write_keeping_terms((hand | out) & ~lying, lying, 8, terms)
            worth.append((weights[terms].sum(), sum(card % 8 for card in thrown)))
        right += max(worth)[1] <= 2 + min(pips for _, pips in worth)
    assert right >= 18


def test_the_command_writes_weights(tmp_path) -> None:
    assert main(["--deals", "100", "--seed", "5", "--output", str(tmp_path / "x.npz")]) == 0
    with np.load(tmp_path / "x.npz") as file:
        assert file["weights"].shape == (2, NUM_WEIGHTS)
