"""The kernel alone: compiled loops over an array of states, without observations.

`KernelLoop` plays at random, and its speed includes the choice of actions. `KernelReplay` plays recorded actions again,
so that what the rules cost stands alone, or with masks.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from piquet_env import Rules
from piquet_env.rules import jit as rules_jit
from piquet_env.rules.actions import num_actions
from piquet_env.rules.cards import lowest_bit, num_cards
from piquet_env.rules.masks import write_mask
from piquet_env.rules.partie import start_partie
from piquet_env.rules.play import apply, deal_next, find_legal
from piquet_env.rules.shuffle import shuffle_into
from piquet_env.rules.state import DEAL_OVER, NOBODY, PARTIE_OVER, STATE_DTYPE

from .measure import DECISIONS_OF_A_PARTIE, Stopwatch

# Machine code of these loops depends on the sources of the rules as well.
_PACKAGE = Path(rules_jit.__file__).resolve().parent.parent
jit, inner, _ = rules_jit.make_jit(Path(__file__).resolve().parent, _PACKAGE)


class KernelLoop:
    """`count` parties in one array, at different places from the start, played on and on by random legal actions."""

    def __init__(self, count: int, rules: str = "rubicon") -> None:
        self.pack = Rules.of(rules).pack
        self._codes = Rules.of(rules).codes()
        self._rows = np.zeros(count, dtype=STATE_DTYPE)
        self._rows["seed"] = np.arange(count)
        self._rows["partie"] = -1
        self._rows["phase"] = PARTIE_OVER
        self._deck = np.zeros(self.pack, dtype=np.int8)
        self._random = np.array([88172645463325252], dtype=np.uint64)
        _spread(self._rows, self._codes, DECISIONS_OF_A_PARTIE, self._deck, self._random)

    def play(self, steps: int) -> int:
        """Play `steps` decisions in every partie; return the number of decisions."""
        _play(self._rows, self._codes, steps, self._deck, self._random)
        return steps * len(self._rows)

    def record(self, steps: int) -> KernelReplay:
        """Play `steps` decisions in every partie; return them to be played again."""
        start = self._rows.copy()
        actions = np.zeros((steps, len(start)), dtype=np.int64)
        _record(self._rows, self._codes, self._deck, self._random, actions)
        return KernelReplay(start, self._codes, self.pack, actions)


class KernelReplay:
    """Recorded actions, int64[steps, N], played again and again from the same states."""

    def __init__(self, start: np.ndarray, codes: np.ndarray, pack: int, actions: np.ndarray) -> None:
        self._start, self._codes, self._actions = start, codes, actions
        self.rows = start.copy()
        self.masks = np.zeros((len(start), num_actions(pack)), dtype=np.int8)
        self._no_masks = np.zeros((0, 0), dtype=np.int8)
        self._deck = np.zeros(pack, dtype=np.int8)

    def play(self, watch: Stopwatch, *, masks: bool) -> int:
        """Play all of it, timed by `watch`, and write the mask of each decision if `masks`; return the decisions."""
        self.rows[:] = self._start
        written = self.masks if masks else self._no_masks
        with watch:
            _replay(self.rows, self._codes, self._deck, self._actions, written)
        return self._actions.size


@inner
def _choose(row: np.void, pack: int, number: np.uint64) -> int:
    """Return a legal action: each as likely, by the upper bits of `number`."""
    cards, words = row["legal_cards"], row["legal_words"]
    held = num_cards(cards)
    place = int(number >> np.uint64(33)) * (held + num_cards(words)) >> 31
    if place < held:
        return int(row["legal_kind"] * pack + _bit_at(cards, place))
    return int(3 * pack + _bit_at(words, place - held))


@inner
def _bit_at(bits: int, place: int) -> int:
    """Return the set bit with `place` set bits below it."""
    while place > 0:
        place -= 1
        bits &= bits - 1
    return lowest_bit(bits)


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


@inner
def _next(number: np.uint64) -> np.uint64:
    """Return the number that follows in a xorshift generator."""
    number ^= number << np.uint64(13)
    number ^= number >> np.uint64(7)
    return number ^ (number << np.uint64(17))


@jit
def _play(rows: np.ndarray, codes: np.ndarray, steps: int, deck: np.ndarray, random: np.ndarray) -> None:
    """Play `steps` decisions in every row. random: uint64[1], the state of a xorshift generator."""
    rules = codes[0]
    number = random[0]
    for _ in range(steps):
        for index in range(rows.shape[0]):
            row = rows[index]
            if row["phase"] >= DEAL_OVER:  # a call with an array counts references, up and down
                _deal_on(row, rules, deck)
            number = _next(number)
            apply(row, rules, _choose(row, rules["pack"], number))
    random[0] = number


@jit
def _spread(rows: np.ndarray, codes: np.ndarray, span: int, deck: np.ndarray, random: np.ndarray) -> None:
    """Play fewer than `span` decisions in every row, in each another number."""
    rules = codes[0]
    number = random[0]
    for index in range(rows.shape[0]):
        row = rows[index]
        for _ in range(index % span):
            _deal_on(row, rules, deck)
            number = _next(number)
            apply(row, rules, _choose(row, rules["pack"], number))
        _deal_on(row, rules, deck)
    random[0] = number


@jit
def _record(rows: np.ndarray, codes: np.ndarray, deck: np.ndarray, random: np.ndarray, actions: np.ndarray) -> None:
    """Play as `_play` does, and write down the actions: int64[steps, N]."""
    rules = codes[0]
    number = random[0]
    for step in range(actions.shape[0]):
        for index in range(rows.shape[0]):
            row = rows[index]
            number = _next(number)
            action = _choose(row, rules["pack"], number)
            actions[step, index] = action
            apply(row, rules, action)
            _deal_on(row, rules, deck)
    random[0] = number


@jit
def _replay(rows: np.ndarray, codes: np.ndarray, deck: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> None:
    """Play recorded actions from the states in which the recording began. masks: int8[N, A], or int8[0, 0] for none."""
    rules = codes[0]
    for step in range(actions.shape[0]):
        for index in range(rows.shape[0]):
            row = rows[index]
            apply(row, rules, actions[step, index])
            if row["phase"] >= DEAL_OVER:
                _deal_on(row, rules, deck)
            if masks.shape[0] > 0:
                write_mask(row, rules, masks, index)
