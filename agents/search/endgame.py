"""The last cards as a game of imperfect information, solved for mixed strategies by CFR+.

The other holds one of the hands of the belief, and does not know which of some hands the seat holds: with each of his
hands he would believe something of it (belief.py, from where he sits). Together that makes a zero-sum game over pairs
of hands, of which only the row of the seat's own hand is true; the other rows are there because he must reckon with
them. The seat plays what its own hand plays in the solution, by its chances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.streams import Streams
from piquet_env.observation import encode_at, observation_size
from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import Rules

from .belief import Belief, believe, reweigh, sample_places
from .continuation import continue_from
from .endgame_kernel import (
    FULL,
    NO_CARD,
    NUM_COUNTS,
    SEQUENCES,
    best_response,
    find_choices,
    grow_tree,
    solve_tree,
)
from .play_search import CONSIDERED, pick_worlds
from .rebuild import can_rebuild
from .rollout import Rollout
from .seen import Seen
from .solver import widen
from .stakes import Stakes
from .terms import Terms, codes_of

MOST_CARDS = 5  # for which the keys of endgame_kernel.py have room
HANDS = 24  # of either side
OWN_CONSIDERED = 64  # own hands that the other thinks of, with each of his
ROUNDS = 200
_SETS, _LEAVES = 1 << 14, 1 << 18
_NO_EQUITY = np.zeros((1, 1), dtype=np.int64)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Ranges(NamedTuple):
    """What both sides can hold: masks of cards, int64[A] and int64[B], and how likely each pair is, float64[A, B].

    The first of the seat's own hands is the true one.
    """

    own: Ints
    other: Ints
    weights: Floats


class Solution(NamedTuple):
    """What a hand of side 0 does at the root, and how good the strategies are.

    chances: float64[C], of its legal cards in ascending order; None where it has no choice
    value:   to side 0, if both sides answer each other best: the middle of what each is sure of
    gap:     the sum of what the two can gain by a best response, 0 in equilibrium
    """

    chances: Floats | None
    value: float
    gap: float


class EndgameSolver:
    """Solves games over pairs of hands; holds room for one tree."""

    def __init__(self, rounds: int = ROUNDS) -> None:
        self._rounds = rounds
        self._keys = np.zeros((2, 4 * _SETS, 2), dtype=np.int64)
        self._sets = np.zeros((2, _SETS, 3), dtype=np.int64)
        self._leaves = np.zeros((_LEAVES, 2), dtype=np.int64)
        self._worth = np.zeros(_LEAVES)
        self._counts = np.zeros(NUM_COUNTS, dtype=np.int64)

    def solve(
        self, ranges: Ranges, *, led: int | None, own_moves: bool, won: int, terms: Terms, hand: int = 0
    ) -> Solution | None:
        """Return what the hand in a place of `ranges.own` does at the root; None where the tree has no room.

        led: the card on the table; None: `own_moves` leads; won: tricks that side 0 has won
        """
        if not self._grow(ranges, led, own_moves, won, terms):
            return None
        room = int(self._counts[SEQUENCES : SEQUENCES + 2].max())
        average = np.zeros((2, room))
        tree = self._sets, self._leaves, self._worth, self._counts
        solve_tree(*tree, self._rounds, average)
        first, second = (best_response(*tree, side, average[1 - side]) for side in range(2))
        return Solution(self._chances(hand, average[0]), (first - second) / 2, first + second)

    def _grow(self, ranges: Ranges, led: int | None, own_moves: bool, won: int, terms: Terms) -> bool:
        """Write the tree; return whether it had room."""
        ranks = terms.rules.ranks
        self._keys[:] = 0
        grow_tree(
            terms.codes(),
            _NO_EQUITY if terms.equity is None else terms.equity,
            widen(ranges.own, ranks),
            widen(ranges.other, ranks),
            ranges.weights / ranges.weights.sum(),
            NO_CARD if led is None else led // ranks * 9 + led % ranks + 9 - ranks,
            0 if own_moves else 1,
            won,
            int(ranges.own[0]).bit_count(),
            self._keys,
            self._sets,
            self._leaves,
            self._worth,
            self._counts,
        )
        return not self._counts[FULL]

    def _chances(self, hand: int, average: Floats) -> Floats | None:
        """Return what a hand of side 0 does at the root."""
        first = np.zeros(1, dtype=np.int64)
        choices = find_choices(self._keys, self._sets, 0, hand, first)
        return average[first[0] : first[0] + choices].copy() if choices else None


class EndgameSearch:
    """Finds the card of a seat that holds few cards.

    cards:  the most cards of a hand with which it decides; 0: never
    unlike: the factor for a card that the base agent would not have played, of either side
    """

    def __init__(self, rules: Rules, rollout: Rollout, stakes: Stakes, *, cards: int, unlike: float) -> None:
        self._rules = rules
        self._rollout = rollout
        self._stakes = stakes
        self._cards = cards
        self._unlike = unlike
        self._solver = EndgameSolver() if cards else None
        self._rebuilds = can_rebuild(rules)

    def decides(self, seen: Seen) -> bool:
        """Return whether it has something to say to a decision in the play."""
        return self._rebuilds and int(np.count_nonzero(seen.facts["hand"])) <= self._cards

    def card(self, seen: Seen, offset: float) -> int | None:
        """Return the card to play, of several by their chances; None where nothing is found.

        offset: in [0, 1), shifts samples of hands and decides by chance
        """
        if self._solver is None:
            return None
        ranges = self.ranges(seen, offset)
        if ranges is None:
            return None
        terms = self._stakes.terms(seen)
        found = self._solver.solve(ranges, led=seen.led, own_moves=True, won=seen.tricks_won[0], terms=terms)
        if found is None or found.chances is None:
            return None
        number = float(Streams([int(offset * (1 << 53))]).random(1)[0])
        place = min(int(np.searchsorted(np.cumsum(found.chances), number, side="right")), len(found.chances) - 1)
        return legal_cards(seen)[place]

    def ranges(self, seen: Seen, offset: float) -> Ranges | None:
        """Return what both can hold at a decision of the play; None where no hand of the other fits."""
        belief = believe(seen)
        if len(belief.hands) == 0:
            return None
        hands, weights = pick_worlds(belief, CONSIDERED, offset)
        rows, fits = continue_from(self._rollout, seen, hands, self._unlike)
        places, weights = sample_places(reweigh(weights, fits), HANDS, offset)
        own = seen.mask("hand")
        rows = rows[places]
        columns = [self._own_hands(rows, place, own, offset) for place in range(len(rows))]
        likely: dict[int, Floats] = {own: np.zeros(len(rows))}
        for place, column in enumerate(columns):
            for hand, weight in column.items():
                likely.setdefault(hand, np.zeros(len(rows)))[place] = weights[place] * weight
        found = np.array(list(likely), dtype=np.int64)
        pairs = np.array(list(likely.values()))
        kept = np.argsort(-pairs[1:].sum(axis=1), kind="stable")[: HANDS - 1] + 1
        kept = np.concatenate([[0], kept])
        return Ranges(found[kept], hands[places], pairs[kept])

    def _own_hands(self, rows: np.ndarray, place: int, own: int, offset: float) -> dict[int, float]:
        """Return the seat's hands that the other thinks of in a world, and how likely each is against the true one."""
        out = np.empty(observation_size(self._rules.pack), dtype=np.int8)
        encode_at(rows, place, codes_of(self._rules), 1, out)
        seen = Seen.of(out, self._rules)
        belief = believe(seen)
        at = np.flatnonzero(belief.hands == own)
        if len(at) == 0:
            return {own: 1.0}
        hands, weights = _with(belief, int(at[0]), OWN_CONSIDERED, offset)
        fits = continue_from(self._rollout, seen, hands, self._unlike)[1] if self._unlike < 1 else np.ones(len(hands))
        likely = weights * fits
        return dict(zip(hands.tolist(), (likely / likely[0]).tolist(), strict=True))


def _with(belief: Belief, place: int, most: int, offset: float) -> tuple[Ints, Floats]:
    """Return hands of a belief and their weights: that in a place first, then all others or an even sample."""
    others = np.delete(np.arange(len(belief.hands)), place)
    chosen, counts = sample_places(belief.weights[others], most - 1, offset)
    weights = counts.astype(np.float64)
    if len(others) > most - 1:  # counts of a sample stand for the weight of them all
        weights *= belief.weights[others].sum() / (most - 1)
    hands = np.concatenate([belief.hands[[place]], belief.hands[others[chosen]]])
    return hands, np.concatenate([belief.weights[[place]].astype(np.float64), weights])


def legal_cards(seen: Seen) -> list[int]:
    """Return the cards that a seat to play may play, ascending."""
    own, led, ranks = seen.mask("hand"), seen.led, seen.rules.ranks
    if led is not None:
        own = own & ((1 << ranks) - 1) << led // ranks * ranks or own
    return cards_in(own, ranks)
