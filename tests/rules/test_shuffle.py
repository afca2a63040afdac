"""The shuffle: published vectors, and the words of its docstring made into a second implementation."""

import random

import numpy as np
import pytest

from piquet_env.rules.shuffle import deck_of, mix, shuffle_into

# Published: (seed, partie, deal, cards) -> deck. These never change.
VECTORS = {
    (0, 0, 0, 32): "16 7 22 11 15 5 0 6 4 9 12 26 17 10 21 25 27 3 18 19 31 2 1 24 29 14 13 28 23 30 20 8",
    (0, 0, 1, 32): "11 3 4 9 31 14 10 29 13 8 22 7 28 21 2 12 0 25 1 15 20 19 17 16 24 26 23 5 30 18 6 27",
    (1, 0, 1, 32): "19 30 11 5 2 15 25 17 23 6 1 21 12 10 14 29 3 7 9 24 31 8 28 16 22 26 18 0 27 4 20 13",
    (7, 3, 6, 32): "8 15 6 10 4 5 13 22 24 2 31 25 7 21 11 20 3 29 18 1 17 14 26 30 19 28 16 23 9 27 12 0",
    (2**63 - 1, 2**63 - 1, 8, 32): (
        "24 22 8 4 7 19 21 12 31 18 14 6 23 13 3 30 1 25 15 28 5 27 20 10 11 2 16 9 26 0 29 17"
    ),
    (0, 0, 1, 36): "35 18 8 22 31 10 7 20 21 13 19 9 28 0 26 11 33 32 5 24 29 2 3 25 34 23 15 16 14 17 30 1 12 6 4 27",
    (1, 0, 1, 36): "1 33 11 27 4 5 25 30 21 24 19 7 10 6 8 28 29 12 17 32 3 15 35 31 2 26 34 20 18 14 13 0 23 22 16 9",
    (7, 3, 6, 36): "32 12 33 5 28 21 2 8 13 7 15 11 26 0 24 19 34 29 17 16 18 14 25 1 6 22 20 35 27 3 23 31 10 9 30 4",
}
MODULUS = 2**64
CONSTANT = 0x9E3779B97F4A7C15


def plain_mix(value: int) -> int:
    """SplitMix64's finaliser, in whole numbers of any size."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % MODULUS
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % MODULUS
    return value ^ (value >> 31)


def plain_step(value: int) -> int:
    return plain_mix((value + CONSTANT) % MODULUS)


def plain_deck(seed: int, partie: int, deal: int, cards: int) -> list[int]:
    """The deck as the docstring of the shuffle tells it."""
    state = plain_step((plain_step((plain_step(seed) + partie) % MODULUS) + deal) % MODULUS)
    deck = list(range(cards))
    for i in range(cards - 1, 0, -1):
        state = (state + CONSTANT) % MODULUS
        j = plain_mix(state) % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


@pytest.mark.nojit
@pytest.mark.parametrize("place", VECTORS)
def test_published_decks(place: tuple[int, int, int, int]) -> None:
    published = [int(card) for card in VECTORS[place].split()]
    deck = deck_of(*place)
    assert deck.dtype == np.int8
    assert deck.tolist() == published
    assert plain_deck(*place) == published


def test_any_deck_is_that_of_the_plain_shuffle() -> None:
    rng = random.Random(1)
    for _ in range(300):
        place = (rng.getrandbits(63), rng.getrandbits(rng.randint(1, 63)), rng.randint(0, 1000), rng.choice((32, 36)))
        deck = deck_of(*place).tolist()
        assert deck == plain_deck(*place)
        assert sorted(deck) == list(range(place[3]))


def test_every_number_of_the_place_matters() -> None:
    decks = {deck_of(seed, partie, deal).tobytes() for seed in range(12) for partie in range(12) for deal in range(12)}
    assert len(decks) == 12**3


def test_mix_is_a_permutation_of_sixty_four_bits() -> None:
    # It can be undone, so no two values meet: each step by itself is a bijection.
    first = pow(0xBF58476D1CE4E5B9, -1, MODULUS)
    second = pow(0x94D049BB133111EB, -1, MODULUS)
    rng = random.Random(2)
    for _ in range(200):
        value = rng.getrandbits(64)
        mixed = plain_mix(value)
        assert int(mix(np.uint64(value))) == mixed
        mixed = _undo_shift(mixed, 31) * second % MODULUS
        mixed = _undo_shift(mixed, 27) * first % MODULUS
        assert _undo_shift(mixed, 30) == value


def _undo_shift(value: int, shift: int) -> int:
    """The number whose exclusive or with itself, shifted to the right, is `value`."""
    whole, left = value, value >> shift
    while left:
        whole ^= left
        left >>= shift
    return whole


@pytest.mark.nojit
def test_a_shuffle_overwrites_the_whole_deck() -> None:
    deck = np.full(32, -1, dtype=np.int8)
    with np.errstate(over="ignore"):
        shuffle_into(7, 3, 6, deck)
    assert deck.tolist() == deck_of(7, 3, 6).tolist()
