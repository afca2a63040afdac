"""How likely hands are kept: the odds of an exchange, as a sum of look-ups fitted to the exchanges of `heuristic`.

Behind the exchanges the cards that a seat cannot place lie in the other's hand or out of it. Each suit is a number in
base three, its ace the last digit, with 2 in the hand, 1 out of it, 0 elsewhere; each rank is counted on both sides.
The weights of these numbers add up to the logarithm of the odds, in steps of a thirty-second of a doubling. They are
whole numbers, and so are the powers of two that come of them, so that odds are the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from piquet_env.rules.cards import pattern_of
from piquet_env.rules.state import ELDER, YOUNGER

from .jit import jit

FOLDER = Path(__file__).resolve().parent
STEPS = 32  # to a doubling of the odds
NUM_CODES = 3**9
_RANK_CASES = 25  # of a rank up to four are in the hand, and up to four out of it
NUM_WEIGHTS = NUM_CODES + 9 * _RANK_CASES
NUM_TERMS = 4 + 9

# The code of a pattern whose cards are out of the hand; in it they count double.
CODE_OF_PATTERN = np.array(
    [sum(3 ** (8 - rank) for rank in range(9) if pattern >> rank & 1) for pattern in range(512)], dtype=np.int64
)
POWERS = np.rint(2.0 ** (20 + np.arange(STEPS) / STEPS))  # by the steps behind the last doubling

# For packs without a fit: the share of unknown cards of a rank (six, seven … ace) that are in the hand of each role.
SHARES = {
    ELDER: (0.36, 0.38, 0.40, 0.43, 0.50, 0.55, 0.68, 0.90, 0.98),
    YOUNGER: (0.45, 0.47, 0.52, 0.57, 0.74, 0.76, 0.89, 0.97, 0.99),
}


@jit
def write_keeping_terms(hand: int, out: int, ranks: int, terms: np.ndarray) -> None:
    """Write which weights make up the odds of a hand of twelve: int64[NUM_TERMS] places.

    out: mask of the cards that are neither in the hand nor known to lie elsewhere
    """
    for suit in range(4):
        terms[suit] = 2 * CODE_OF_PATTERN[pattern_of(hand, suit, ranks)] + CODE_OF_PATTERN[pattern_of(out, suit, ranks)]
    for rank in range(9):
        terms[4 + rank] = NUM_CODES + _RANK_CASES * rank
    for suit in range(4):
        held, lying = pattern_of(hand, suit, ranks), pattern_of(out, suit, ranks)
        for rank in range(9):
            terms[4 + rank] += 5 * (held >> rank & 1) + (lying >> rank & 1)


@jit
def odds_of_hand(hand: int, out: int, ranks: int, weights: np.ndarray, terms: np.ndarray) -> float:
    """Return how likely a hand is kept, up to a factor that is common to all hands.

    weights: int64[NUM_WEIGHTS] of the role; terms: room for NUM_TERMS
    """
    write_keeping_terms(hand, out, ranks, terms)
    steps = 0
    for place in range(NUM_TERMS):
        steps += weights[terms[place]]
    odds = POWERS[steps & STEPS - 1]
    doublings = steps >> 5
    while doublings > 0:
        odds *= 2.0
        doublings -= 1
    while doublings < 0:
        odds *= 0.5
        doublings += 1
    return odds


def weights_path(pack: int) -> Path:
    """Return where the weights of a pack lie."""
    return FOLDER / f"keeping_{pack}.npz"


@lru_cache
def load_keeping(pack: int) -> np.ndarray:
    """Return the weights of a pack by role of the holder, int64[2, NUM_WEIGHTS], read-only."""
    path = weights_path(pack)
    if path.exists():
        with np.load(path, allow_pickle=False) as file:
            weights = file["weights"].astype(np.int64)
    else:
        weights = weights_of_shares()
    weights.setflags(write=False)
    return weights


def weights_of_shares() -> np.ndarray:
    """Return the weights that stand for the odds by rank alone."""
    weights = np.zeros((2, NUM_WEIGHTS), dtype=np.int64)
    for role, shares in SHARES.items():
        for rank, share in enumerate(shares):
            step = round(STEPS * float(np.log2(share / (1 - share))))
            for held in range(5):
                first = NUM_CODES + _RANK_CASES * rank + 5 * held
                weights[role, first : first + 5] = held * step
    return weights


assert STEPS == 32, "odds_of_hand shifts by five"
