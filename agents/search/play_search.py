"""The play: the mean value of each card over the hands that the other can hold.

In each world the deal is played on by the base agent for both seats, or solved with both hands known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import Rules

from .belief import Belief, believe, reweigh, sample_places
from .continuation import continue_from
from .rebuild import can_rebuild
from .rollout import Rollout
from .seen import Seen
from .solver import NO_VALUE, Solver
from .stakes import Stakes
from .terms import Terms

CHUNK = 16  # worlds between two looks at the clock
CONSIDERED = 300  # hands that the other's cards so far are asked about

Ints = npt.NDArray[np.int64]


class Valuation(NamedTuple):
    """The value of each legal card, summed over the worlds by their weights, and over how many worlds."""

    cards: Ints
    values: Ints
    worlds: int


class PlaySearch:
    """Finds the card of a seat.

    solver: of the worlds, where `solves` or where the rules' rows cannot be rebuilt; otherwise they are played on
    worlds: the most hands of the other that a decision looks at
    unlike: the factor for a card of the other that the base agent would not have played; 1 asks for no such thing
    """

    def __init__(
        self,
        rules: Rules,
        rollout: Rollout,
        solver: Solver,
        stakes: Stakes,
        *,
        worlds: int,
        unlike: float,
        solves: bool,
    ) -> None:
        self._rules = rules
        self._solver = solver
        self._stakes = stakes
        self._worlds = worlds
        self._unlike = unlike
        self._rollout = rollout
        self._solves = solves
        self._rebuilds = can_rebuild(rules) and not (solves and unlike == 1)

    def card(self, seen: Seen, action: int, offset: float, seconds: float | None = None) -> int:
        """Return the card to play; `action` is the base agent's, which is played among equals.

        offset:  in [0, 1), shifts samples of hands
        seconds: stop after so long, at least with the first chunk done; None: look at every world
        """
        belief = believe(seen)
        if len(belief.hands) == 0:  # none of a sample fits
            return action
        find = self._play_on if self._rebuilds else self._solve
        found = find(seen, belief, offset, seconds)
        best = found.cards[found.values == found.values.max()]
        return action if action in best else int(best[0])

    def _play_on(self, seen: Seen, belief: Belief, offset: float, seconds: float | None) -> Valuation:
        """Return the values of the cards, the worlds being weighted by the other's cards so far."""
        hands, weights = pick_worlds(belief, max(CONSIDERED, self._worlds), offset)
        rows, fits = continue_from(self._rollout, seen, hands, self._unlike)
        weights = reweigh(weights, fits)
        if self._solves:
            return self._solve(seen, Belief(hands, weights, belief.exact), offset, seconds)
        places, weights = sample_places(weights, self._worlds, offset)
        rows = rows[places]
        cards = np.array(cards_in(int(rows["legal_cards"][0]), self._rules.ranks), dtype=np.int64)
        worth, seed = self._stakes.worth_of_points(seen), int(offset * (1 << 53))
        return sum_values(cards, weights, lambda part: worth(self._rollout.play_on(rows[part], cards, seed)), seconds)

    def _solve(self, seen: Seen, belief: Belief, offset: float, seconds: float | None) -> Valuation:
        """Return the values of the cards with both hands known."""
        hands, weights = pick_worlds(belief, self._worlds, offset)
        return value_cards(self._solver, seen, self._stakes.terms(seen), hands, weights, seconds)


def pick_worlds(belief: Belief, worlds: int, offset: float) -> tuple[Ints, Ints]:
    """Return hands and weights: all that can be, or an even sample of `worlds` by weight where there are more.

    offset: in [0, 1), shifts the sample
    """
    places, weights = sample_places(belief.weights, worlds, offset)
    return belief.hands[places], weights


def value_cards(
    solver: Solver, seen: Seen, terms: Terms, hands: Ints, weights: Ints, seconds: float | None = None
) -> Valuation:
    """Return the values of the cards that the seat may play, both hands being known in each world.

    hands, weights: the worlds
    seconds:        stop after so long, at least with the first chunk done; None: look at every world
    """
    own, led = seen.mask("hand"), seen.led
    won = seen.tricks_won[0]
    first = solver.moves(own, hands[:1], led=led, won=won, terms=terms)
    cards = np.array([card for card in cards_in(own, seen.rules.ranks) if first[0, card] != NO_VALUE], dtype=np.int64)
    return sum_values(
        cards,
        weights,
        lambda part: solver.moves(own, hands[part], led=led, won=won, terms=terms)[:, cards],
        seconds,
    )


def sum_values(cards: Ints, weights: Ints, value: Callable[[slice], Ints], seconds: float | None) -> Valuation:
    """Return the values of cards over the worlds, in chunks spread over all of them where the time is limited.

    value: returns the value of each card in the worlds of a slice, int64[W, C]
    """
    chunks = 1 if seconds is None else -(-len(weights) // CHUNK)
    until = time.perf_counter() + (seconds or 0.0)
    sums = np.zeros(len(cards), dtype=np.int64)
    looked_at = 0
    for start in range(chunks):
        part = slice(start, None, chunks)
        sums += weights[part] @ value(part)
        looked_at += len(weights[part])
        if seconds is not None and time.perf_counter() > until:
            break
    return Valuation(cards, sums, looked_at)
