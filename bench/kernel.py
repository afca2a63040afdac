"""The kernel alone: a compiled loop of random legal play over an array of states, without observations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from piquet_env import Rules
from piquet_env.rules import jit as rules_jit
from piquet_env.rules.masks import lowest_bit
from piquet_env.rules.partie import start_partie
from piquet_env.rules.play import apply, count_legal, deal_next, find_legal
from piquet_env.rules.shuffle import shuffle_into
from piquet_env.rules.state import DEAL_OVER, NOBODY, PARTIE_OVER, STATE_DTYPE

# Machine code of these loops depends on the sources of the rules as well.
_PACKAGE = Path(rules_jit.__file__).resolve().parent.parent
jit, inner, _ = rules_jit.make_jit(Path(__file__).resolve().parent, _PACKAGE)


class KernelLoop:
    """`count` parties in one array, played on and on by random legal actions."""

    def __init__(self, count: int, rules: str = "rubicon") -> None:
        self._codes = Rules.of(rules).codes()
        self._rows = np.zeros(count, dtype=STATE_DTYPE)
        self._rows["seed"] = np.arange(count)
        self._rows["partie"] = -1
        self._rows["phase"] = PARTIE_OVER
        self._deck = np.zeros(Rules.of(rules).pack, dtype=np.int8)
        self._random = np.array([88172645463325252], dtype=np.uint64)

    def play(self, steps: int) -> int:
        """Play `steps` decisions in every partie; return the number of decisions."""
        _play(self._rows, self._codes, steps, self._deck, self._random)
        return steps * len(self._rows)


@inner
def _choose(row: np.void, pack: int, number: np.uint64) -> int:
    """Return a legal action: the one at place `number` modulo their count."""
    cards, words = row["legal_cards"], row["legal_words"]
    place = np.int64(number % np.uint64(count_legal(row)))
    while cards:
        if place == 0:
            return int(row["legal_kind"] * pack + lowest_bit(cards))
        place -= 1
        cards &= cards - 1
    while place > 0:
        place -= 1
        words &= words - 1
    return int(3 * pack + lowest_bit(words))


@inner
def _deal_on(row: np.void, rules: np.void, deck: np.ndarray) -> None:
    """Deal, and begin the next partie where one has ended, until a decision is asked."""
    while row["phase"] >= DEAL_OVER:
        if row["phase"] == PARTIE_OVER:
            row["partie"] += 1
            shuffle_into(row["seed"], row["partie"], 0, deck)
            start_partie(row, rules, NOBODY, deck)
            find_legal(row, rules)
        else:
            shuffle_into(row["seed"], row["partie"], row["deal_number"] + 1, deck)
            deal_next(row, rules, deck)


@jit
def _play(rows: np.ndarray, codes: np.ndarray, steps: int, deck: np.ndarray, random: np.ndarray) -> None:
    """Play `steps` decisions in every row. random: uint64[1], the state of a xorshift generator."""
    rules = codes[0]
    number = random[0]
    for _ in range(steps):
        for index in range(rows.shape[0]):
            row = rows[index]
            _deal_on(row, rules, deck)
            number ^= number << np.uint64(13)
            number ^= number >> np.uint64(7)
            number ^= number << np.uint64(17)
            apply(row, rules, _choose(row, rules["pack"], number))
    random[0] = number
