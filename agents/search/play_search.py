"""The play: the mean value of each card over the hands that the other can hold, each solved with both hands known."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import cards_in

from .belief import Belief
from .seen import Seen
from .solver import NO_VALUE, Solver
from .terms import Terms

CHUNK = 16  # worlds between two looks at the clock


class Valuation(NamedTuple):
    """The value of each legal card, summed over the worlds by their weights, and over how many worlds."""

    cards: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    worlds: int


def pick_worlds(belief: Belief, worlds: int, offset: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return hands and weights: all that can be, or an even sample of `worlds` by weight where there are more.

    offset: in [0, 1), shifts the sample
    """
    if len(belief.hands) <= worlds:
        return belief.hands, belief.weights
    hands, counts = np.unique(belief.sample(worlds, offset), return_counts=True)
    return hands, counts.astype(np.int64)


def value_cards(
    solver: Solver,
    seen: Seen,
    terms: Terms,
    hands: npt.NDArray[np.int64],
    weights: npt.NDArray[np.int64],
    seconds: float | None = None,
) -> Valuation:
    """Return the values of the cards that the seat may play.

    hands, weights: the worlds
    seconds:        stop after so long, at least with the first chunk done; None: look at every world
    """
    own, led = seen.mask("hand"), seen.led
    won = seen.tricks_won[0]
    legal: npt.NDArray[np.int64] | None = None
    totals: list[npt.NDArray[np.int64]] = []
    looked_at = 0
    size = CHUNK if seconds is not None else max(1, len(hands))
    until = time.perf_counter() + (seconds or 0.0)
    for start in range(0, len(hands), size):
        part = slice(start, start + size)
        values = solver.moves(own, hands[part], led=led, won=won, terms=terms)
        if legal is None:
            legal = np.array([card for card in cards_in(own, seen.rules.ranks) if values[0, card] != NO_VALUE])
        totals.append(weights[part] @ values[:, legal])
        looked_at += len(values)
        if seconds is not None and time.perf_counter() > until:
            break
    assert legal is not None, "there is at least one world"
    return Valuation(legal, np.sum(totals, axis=0), looked_at)
