"""What a suit holds for both seats, as one number, and what follows from it: `suit_code` and the table of its facts.

For one seat each card of a suit is its own, possibly the other's, or gone. Three values for nine ranks make 19,683
codes, the first 6,561 of them without a six; so every fact that rests on one suit alone is a look-up.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from piquet_env.rules.cards import pattern_cards, pattern_of
from piquet_env.rules.tables import DOWN_RUN, PATTERN_PIPS, SEQUENCE_POINTS

from .jit import inner, jit

NUM_CODES = 3**9

# The columns of `suit_facts`. A sequence is 16 times its length, plus its top; 0 if there is none.
OWN_CARDS, OWN_PIPS, OWN_SEQUENCE, OWN_SEQUENCES_POINTS, OWN_RUN = 0, 1, 2, 3, 4
OTHER_CARDS, OTHER_PIPS, OTHER_SEQUENCE, OTHER_SEQUENCES_POINTS, OTHER_RUN = 5, 6, 7, 8, 9
NUM_FACTS = 10

# The code that a pattern has as cards of the other; the ace counts 1, the six 3**8.
CODE_OF_PATTERN = np.array(
    [sum(3 ** (8 - rank) for rank in range(9) if pattern >> rank & 1) for pattern in range(512)], dtype=np.int64
)


def codes_of_pack(pack: int) -> int:
    """Return how many codes a pack has."""
    return NUM_CODES if pack == 36 else NUM_CODES // 3


@inner
def suit_code(own: int, other: int, suit: int, ranks: int) -> int:
    """Return the code of a suit; own, other: masks of cards."""
    return 2 * CODE_OF_PATTERN[pattern_of(own, suit, ranks)] + CODE_OF_PATTERN[pattern_of(other, suit, ranks)]


@lru_cache
def suit_facts() -> np.ndarray:
    """Return the facts of every code: int16[NUM_CODES, NUM_FACTS], read-only."""
    facts = np.zeros((NUM_CODES, NUM_FACTS), dtype=np.int16)
    _write_facts(facts)
    facts.setflags(write=False)
    return facts


@jit
def _write_facts(facts: np.ndarray) -> None:
    for code in range(facts.shape[0]):
        own, other, rest = 0, 0, code
        for rank in range(8, -1, -1):
            digit = rest % 3
            rest //= 3
            if digit == 2:
                own |= 1 << rank
            elif digit == 1:
                other |= 1 << rank
        _write_side(facts[code], 0, own, other)
        _write_side(facts[code], 5, other, own)


@inner
def _write_side(facts: np.ndarray, first: int, mine: int, theirs: int) -> None:
    """Write five facts of one side's pattern against the other's."""
    facts[first + OWN_CARDS] = pattern_cards(mine)
    facts[first + OWN_PIPS] = PATTERN_PIPS[mine]
    best, points = 0, 0
    for top in range(8, 1, -1):
        length = DOWN_RUN[mine, top]
        if length >= 3 and (top == 8 or mine >> (top + 1) & 1 == 0):
            best = max(best, 16 * length + top)
            points += SEQUENCE_POINTS[length]
    facts[first + OWN_SEQUENCE] = best
    facts[first + OWN_SEQUENCES_POINTS] = points
    facts[first + OWN_RUN] = _run_of_winners(mine, theirs)


@inner
def _run_of_winners(mine: int, theirs: int) -> int:
    """Return how many tricks `mine` wins from the top before it loses one, if the other follows with his lowest."""
    won = 0
    while mine > theirs:
        top = 8
        while mine >> top & 1 == 0:
            top -= 1
        mine ^= 1 << top
        theirs &= theirs - 1
        won += 1
        if theirs == 0:
            return won + pattern_cards(mine)
    return won
