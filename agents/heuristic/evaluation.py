"""What twelve cards are worth before the first lead: the expected points of the deal, as a sum of look-ups.

A hand is described by a few whole numbers, each of which picks one entry of a table of weights: what each suit holds
for both seats, what is held of each rank, whether point, sequences and sets can be beaten by the cards that the other
may hold, how near a pique or a repique is, and how many tricks each seat could run off. The weights are fitted to
deals of self-play by fit.py, for elder and for younger apart, and for the points of both.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import pattern_of
from piquet_env.rules.tables import SET_POINTS

from .jit import inner
from .suits import (
    NUM_CODES,
    OTHER_CARDS,
    OTHER_PIPS,
    OTHER_RUN,
    OTHER_SEQUENCE,
    OTHER_SEQUENCES_POINTS,
    OWN_CARDS,
    OWN_PIPS,
    OWN_RUN,
    OWN_SEQUENCE,
    OWN_SEQUENCES_POINTS,
    suit_code,
)

SURE, EVEN, BEATABLE = 0, 1, 2  # what the other's best can be against one's own

# Where each group of look-ups begins, and how many entries it has. The codes of suits come first.
_GROUPS = (
    ("suit", NUM_CODES),
    ("rank", 5 * 25),
    ("point", 10 * 10 * 3),
    ("point rivals", 10 * 5),
    ("sequence", 10 * 10 * 3),
    ("sequence points", 48 * 3),
    ("sets", 48 * 4),
    ("hope", 64 * 4),
    ("certain", 64),
    ("threat", 8 * 64),
    ("race", 13 * 13),
    ("honours", 5 * 5 * 5 * 8),
    ("open suits", 5 * 13 * 5),
)
PLACES = {name: sum(size for _, size in _GROUPS[:place]) for place, (name, _) in enumerate(_GROUPS)}
NUM_WEIGHTS = sum(size for _, size in _GROUPS)
NUM_TERMS = 4 + 5 + len(_GROUPS) - 2
_RANK, _POINT, _RIVALS, _SEQUENCE = (PLACES[name] for name in ("rank", "point", "point rivals", "sequence"))
_SEQUENCE_POINTS, _SETS, _HOPE, _CERTAIN = (PLACES[name] for name in ("sequence points", "sets", "hope", "certain"))
_THREAT, _RACE, _HONOURS, _OPEN = (PLACES[name] for name in ("threat", "race", "honours", "open suits"))

UNIT = 64  # weights are whole numbers, this many to a point, so that sums are the same on every machine

# The ranks from ten to ace of a pattern, three bits each: sums of four patterns count the cards of each rank.
RANKS_OF_PATTERN = np.array(
    [sum(1 << 3 * (rank - 4) for rank in range(4, 9) if pattern >> rank & 1) for pattern in range(512)], dtype=np.int64
)


@inner
def _compare(mine: int, theirs: int) -> int:
    """Return whether one's own best is safe from, even with or beatable by what the other might hold."""
    if mine > theirs:
        return SURE
    return EVEN if mine == theirs else BEATABLE


@inner
def write_terms(hand: int, other: int, ranks: int, facts: np.ndarray, terms: np.ndarray) -> None:
    """Write which weights make up the value of a hand: int64[NUM_TERMS] places.

    hand:  the twelve cards; other: the cards that the other may hold
    facts: see `suit_facts`
    """
    point, other_point = 0, 0
    sequence, other_sequence, sequences_points, other_sequences_points = 0, 0, 0, 0
    run, other_run, own_ranks, other_ranks = 0, 0, 0, 0
    open_suits, fourths = 0, 0  # suits that the other could run for three tricks; own suits of four cards or more
    for suit in range(4):
        code = suit_code(hand, other, suit, ranks)
        terms[suit] = code
        fact = facts[code]
        point = max(point, 128 * fact[OWN_CARDS] + fact[OWN_PIPS])
        other_point = max(other_point, 128 * fact[OTHER_CARDS] + fact[OTHER_PIPS])
        sequence = max(sequence, fact[OWN_SEQUENCE])
        other_sequence = max(other_sequence, fact[OTHER_SEQUENCE])
        sequences_points += fact[OWN_SEQUENCES_POINTS]
        other_sequences_points = max(other_sequences_points, fact[OTHER_SEQUENCES_POINTS])
        run += fact[OWN_RUN]
        other_run += fact[OTHER_RUN]
        open_suits += 1 if fact[OTHER_RUN] >= 3 else 0
        fourths += 1 if fact[OWN_CARDS] >= 4 else 0
        own_ranks += RANKS_OF_PATTERN[pattern_of(hand, suit, ranks)]
        other_ranks += RANKS_OF_PATTERN[pattern_of(other, suit, ranks)]
    rivals = 0
    for suit in range(4):
        rivals += 1 if 128 * facts[terms[suit], OTHER_CARDS] + facts[terms[suit], OTHER_PIPS] >= point else 0
    best_set, other_set, set_points, other_set_points, quatorzes = 0, 0, 0, 0, 0
    for rank in range(5):
        held, left = own_ranks >> 3 * rank & 7, other_ranks >> 3 * rank & 7
        terms[4 + rank] = _RANK + 25 * rank + 5 * held + left
        if held >= 3:
            best_set = max(best_set, 8 * held + rank)
            set_points += SET_POINTS[held]
        if left >= 3:
            other_set = max(other_set, 8 * left + rank)
            other_set_points = max(other_set_points, SET_POINTS[left])
            quatorzes += 1 if left == 4 else 0
    points = point >> 7
    against_point = _compare(point, other_point)
    against_sequence = _compare(sequence, other_sequence)
    against_set = _compare(best_set, other_set)
    hope = points + sequences_points + set_points
    open_categories = 1 if against_point != SURE else 0
    open_categories += 1 if against_sequence != SURE and sequence > 0 else 0
    open_categories += 1 if against_set != SURE and best_set > 0 else 0
    certain = points if against_point == SURE else 0
    certain += sequences_points if against_sequence == SURE else 0
    certain += set_points if against_set == SURE else 0
    threat, beatable = 0, 0
    if against_point == BEATABLE:
        threat += other_point >> 7
        beatable += 4
    if against_sequence == BEATABLE:
        threat += other_sequences_points
        beatable += 2
    if against_set == BEATABLE:
        threat += other_set_points + (14 if quatorzes > 1 else 0)
        beatable += 1
    terms[9] = _POINT + 30 * points + 3 * (other_point >> 7) + against_point
    terms[10] = _RIVALS + 5 * points + rivals
    terms[11] = _SEQUENCE + 30 * (sequence >> 4) + 3 * (other_sequence >> 4) + against_sequence
    terms[12] = _SEQUENCE_POINTS + 3 * min(sequences_points, 47) + against_sequence
    terms[13] = _SETS + 4 * min(set_points, 47) + (0 if against_set == SURE else min(1 + quatorzes, 3))
    terms[14] = _HOPE + 4 * min(hope, 63) + open_categories
    terms[15] = _CERTAIN + min(certain + run, 63)
    terms[16] = _THREAT + 64 * beatable + min(threat, 63)
    terms[17] = _RACE + 13 * min(run, 12) + min(other_run, 12)
    tops = 5 * (5 * (own_ranks >> 12 & 7) + (own_ranks >> 9 & 7)) + (own_ranks >> 6 & 7)
    terms[18] = _HONOURS + 8 * tops + min(max(points - 2, 0), 7)
    terms[19] = _OPEN + 65 * open_suits + 5 * min(run, 12) + fourths


@inner
def value_of_hand(
    hand: int,
    other: int,
    ranks: int,
    facts: np.ndarray,
    weights: np.ndarray,
    own_slope: int,
    other_slope: int,
    terms: np.ndarray,
) -> int:
    """Return what the hand is worth: own and the other's expected points, each times its slope.

    weights: int32[NUM_WEIGHTS, 2], own points and the other's, UNIT to a point; terms: room for NUM_TERMS
    """
    write_terms(hand, other, ranks, facts, terms)
    own, others = 0, 0
    for term in range(NUM_TERMS):
        own += weights[terms[term], 0]
        others += weights[terms[term], 1]
    return own_slope * own + other_slope * others
