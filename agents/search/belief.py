"""`Belief`: the hands that the other can hold by all that a seat has seen, each with a weight.

The set is exact as long as there are not too many hands: 455 for elder who drew five cards, 6,188 for younger who drew
three, fewer as soon as something has been said. Beyond `MOST_CHOICES` it is an even sample of them.

Weights are products of the odds that such a hand was kept at the exchange (keeping.py), and of a factor for each
category in which the holder of the hand would have kept silent about something that he could score.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import cards_in, mask_of, num_cards

from .belief_kernel import EVIDENCE_DTYPE, list_hands
from .keeping import load_keeping
from .seen import Seen
from .terms import codes_of

Ints = npt.NDArray[np.int64]

MOST_CHOICES = 60_000
SUNK = 0.1
MOST_WEIGHT = 1 << 24


@dataclass(frozen=True, slots=True)
class Belief:
    """Hands of the other (masks, int64[W]) and their weights (int64[W], from 1 to MOST_WEIGHT).

    Weights are whole numbers, so that sums of them are the same in any order and on any machine.

    exact: whether these are all hands that can be; otherwise it may be that none is left
    """

    hands: Ints
    weights: Ints
    exact: bool


def sample_places(weights: Ints, number: int, offset: float) -> tuple[Ints, Ints]:
    """Return places and their weights: all of them, or an even sample of `number` by weight, how often each is met.

    offset: in [0, 1), shifts the sample
    """
    if len(weights) <= number:
        return np.arange(len(weights)), weights
    reached = np.cumsum(weights)
    marks = ((np.arange(number) + offset) * (int(reached[-1]) / number)).astype(np.int64)
    places = np.minimum(np.searchsorted(reached, marks, side="right"), len(weights) - 1)
    found, counts = np.unique(places, return_counts=True)
    return found, counts.astype(np.int64)


def reweigh(weights: Ints, fits: npt.NDArray[np.float64]) -> Ints:
    """Return weights times how well each hand fits, as whole numbers from 1 to MOST_WEIGHT."""
    fitted = weights * fits
    return np.maximum(np.rint(fitted * (MOST_WEIGHT / fitted.max())), 1).astype(np.int64)


def believe(seen: Seen, *, sunk: float = SUNK, most: int = MOST_CHOICES) -> Belief:
    """Return what a seat can believe of the other's hand, once both have drawn.

    sunk: the weight of a hand whose holder has sunk something in a category, against one whose holder has not
    most: choices that are looked at; beyond it every k-th
    """
    rules = seen.rules
    known = seen.mask("other_known")
    free = seen.mask("unseen")
    for suit in seen.void_suits():
        free &= ~int(mask_of(511, suit, rules.ranks))
    cards = np.array(cards_in(free, rules.ranks), dtype=np.int64)
    chosen = seen.cards_of_other - int(num_cards(known))
    hands = np.empty(most, dtype=np.int64)
    weights = np.empty(most, dtype=np.float64)
    role = 1 - seen.role
    keeping = load_keeping(rules.pack)[role]
    unseen = seen.mask("unseen")
    found = list_hands(evidence_of(seen), known, cards, chosen, most, sunk, unseen, keeping, hands, weights)
    weights = weights[:found] / weights[:found].max(initial=1e-300)
    whole = np.maximum(np.rint(MOST_WEIGHT * weights), 1).astype(np.int64)
    return Belief(hands[:found].copy(), whole, comb(len(cards), chosen) <= most)


def evidence_of(seen: Seen) -> np.ndarray:
    """Return all that has been said as the kernel reads it (EVIDENCE_DTYPE, shape (1,))."""
    rules, facts = seen.rules, seen.facts
    codes = codes_of(rules)[0]
    evidence = np.zeros(1, dtype=EVIDENCE_DTYPE)
    other = 1 - seen.role
    evidence["ranks"] = rules.ranks
    evidence["lowest_set"] = codes["sets_from"]
    evidence["sinking"] = codes["sinking"]
    evidence["shows"] = rules.show_scored == "auto"
    evidence["role"] = other
    in_turn = rules.younger_declares == "in_turn"
    evidence["has_declared"] = seen.other_has_answered or (in_turn and seen.phase in ("lead", "follow"))
    evidence["played"] = seen.mask("other_trick")
    evidence["dealt"] = seen.mask("other_dealt")
    evidence["kept"] = 12 - (int(facts["other_taken"][0]) - 1)
    at_once = (rules.point_call == "number_and_pips", rules.sequence_call == "length_and_top", True)
    for category, name in enumerate(("point", "sequence", "set")):
        status = int(facts["status"][5 * category : 5 * category + 5].argmax())
        rank = int(facts["call_rank"][category])
        evidence["status"][0, category] = status
        evidence["is_his"][0, category] = status == 4  # by the observation: 3 own, 4 the other's
        evidence["call_length"][0, category] = facts["call_length"][category]
        evidence["call_rank"][0, category] = -1 if rank == 0 else rank - (1 if category else 0)
        evidence["rank_at_once"][0, category] = at_once[category]
        for block in ("reply", "second_reply"):
            replies = facts[block][3 * category : 3 * category + 3]
            evidence[block][0, category] = 1 + int(replies.argmax()) if replies.any() else 0
        evidence["shown"][0, category] = seen.mask("other_" + name)
    return evidence
