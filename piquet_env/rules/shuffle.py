"""The documented integer shuffle: (seed, partie, deal) -> deck, the same on every platform and in every version.

The stream is SplitMix64 in arithmetic modulo 2**64, with `step(x)` = `mix(x + 0x9E3779B97F4A7C15)`: the state starts at
`step(step(step(seed) + partie) + deal)`; each draw adds that constant to the state and is `mix` of the sum. The deck
starts as 0, 1, 2 … and is shuffled from the back: for i = n-1 … 1 the card at i changes places with the card at
`draw mod (i + 1)`. The remainder's bias is below 36 / 2**64.
Published test vectors stand in tests/rules/test_shuffle.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import jit

# Everything is uint64: mixed with int64, numba and NumPy would turn the sum into a float.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@jit
def mix(value: np.uint64) -> np.uint64:
    """Return SplitMix64's finaliser of the uint64 `value`."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@jit
def stream_of(seed: int, partie: int, deal: int) -> np.uint64:
    """Return the first state of the stream for one deal; deal 0 is the cut."""
    state = mix(np.uint64(seed) + _GAMMA)
    state = mix(state + np.uint64(partie) + _GAMMA)
    return mix(state + np.uint64(deal) + _GAMMA)


@jit
def shuffle_into(seed: int, partie: int, deal: int, deck: np.ndarray) -> None:
    """Overwrite `deck` (int8[32] or int8[36]) with the deck of (seed, partie, deal).

    Entries 0-11 are elder's hand, 12-23 younger's, the rest the talon in drawing order.
    """
    state = stream_of(seed, partie, deal)
    cards = deck.shape[0]
    for place in range(cards):
        deck[place] = place
    for place in range(cards - 1, 0, -1):
        state = state + _GAMMA
        other = np.int64(mix(state) % np.uint64(place + 1))
        card = deck[place]
        deck[place] = deck[other]
        deck[other] = card


def deck_of(seed: int, partie: int, deal: int, cards: int = 32) -> np.ndarray:
    """Return the deck of (seed, partie, deal) as int8[cards]; deal 0 is the cut.

    Raises ValueError for other than 32 or 36 cards, and for numbers that are not whole or lie outside 0 to 2**63 - 1.
    """
    if cards not in (32, 36):
        raise ValueError(f"a pack has 32 or 36 cards, not {cards!r}")
    given: tuple[Any, ...] = (seed, partie, deal)
    for number in given:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < 2**63:
            raise ValueError(f"seed, partie and deal are whole numbers from 0 to 2**63 - 1, not {number!r}")
    deck = np.empty(cards, dtype=np.int8)
    with np.errstate(over="ignore"):  # the stream is meant to wrap; only uncompiled code would warn
        shuffle_into(seed, partie, deal, deck)
    return deck
