"""Open-hand play worked out the slow way, written from the laws: every lead, every answer, no pruning.

Hands are masks of cards, suit by suit. The score is carried along as it is booked; a side's points are those to come.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.typed import Dict

# The places in `laws`, an int64 array.
RANKS, LAST, LEAD_RANK, CAPTURE_RANK, EARLY, TOWARDS, MAY, BOOKED = 0, 1, 2, 3, 4, 5, 7, 9
SIZE = 11


def laws_of(rules: Any, towards: tuple[int, int], may: tuple[bool, bool], booked: tuple[int, int]) -> np.ndarray:
    """The laws and the score at the root as numbers. Ranks count from the lowest of the pack."""
    names = "6789TJQKA"[9 - rules.ranks :]
    lead, capture = rules.lead_point_min_rank, rules.capture_point_min_rank
    laws = np.zeros(SIZE, dtype=np.int64)
    laws[RANKS] = rules.ranks
    laws[LAST] = rules.last_trick_point
    laws[LEAD_RANK] = 0 if lead == "any" else names.index(lead)
    laws[CAPTURE_RANK] = 0 if capture == "any" else names.index(capture)
    laws[EARLY] = int(rules.cards_count_for_pique)
    laws[TOWARDS : TOWARDS + 2] = towards
    laws[MAY : MAY + 2] = may
    laws[BOOKED : BOOKED + 2] = booked
    return laws


@njit
def early(laws, side, tricks):
    """The ten that a side has by its seventh trick, where they count at once and do not stand in the score yet."""
    return 10 if laws[EARLY] and tricks >= 7 and laws[BOOKED + side] == 0 else 0


@njit
def pique(laws, p0, p1, piques, won0, ended):
    """The piques (bit a side) after a look at the score: thirty while the other has nothing."""
    t0 = laws[TOWARDS] + p0 + early(laws, 0, won0)
    t1 = laws[TOWARDS + 1] + p1 + early(laws, 1, ended - won0)
    if laws[MAY] and t0 >= 30 and t1 == 0:
        piques |= 1
    if laws[MAY + 1] and t1 >= 30 and t0 == 0:
        piques |= 2
    return piques


@njit
def cards_and_capot(laws, side, tricks):
    """What the number of tricks still brings a side."""
    if tricks == 12:
        return 40 - laws[BOOKED + side]
    return (10 if tricks >= 7 else 0) - laws[BOOKED + side]


@njit
def final(laws, equity, by_table, p0, p1, piques, won0):
    """What side 0 has of the end: the difference of points to come, or the entry of the table."""
    own = p0 + 30 * (piques & 1) + cards_and_capot(laws, 0, won0)
    other = p1 + 30 * (piques >> 1) + cards_and_capot(laws, 1, 12 - won0)
    return equity[own, other] if by_table else own - other


@njit
def legal(hand, led, ranks):
    """The cards that may be played."""
    if led < 0:
        return hand
    in_suit = hand & (((1 << ranks) - 1) << (led // ranks * ranks))
    return in_suit or hand


@njit
def play(laws, leader, won0, left, p0, p1, piques, led, answer):
    """Play a trick; return (winner, tricks of side 0, points of both, piques)."""
    ranks = laws[RANKS]
    if led % ranks >= laws[LEAD_RANK]:
        p0, p1 = (p0 + 1, p1) if leader == 0 else (p0, p1 + 1)
    piques = pique(laws, p0, p1, piques, won0, 12 - left)
    winner = leader
    points = 0
    if answer // ranks == led // ranks and answer > led:
        winner = 1 - leader
        if answer % ranks >= laws[CAPTURE_RANK]:
            points = 1
    if left == 1:
        points += laws[LAST]
    p0, p1 = (p0 + points, p1) if winner == 0 else (p0, p1 + points)
    won0 += 1 - winner
    return winner, won0, p0, p1, pique(laws, p0, p1, piques, won0, 13 - left)


@njit
def minimax(laws, equity, by_table, h0, h1, leader, won0, left, p0, p1, piques):
    """The value for side 0: every lead and every answer."""
    if left == 0:
        return final(laws, equity, by_table, p0, p1, piques, won0)
    best = -(10**9) if leader == 0 else 10**9
    leads, others = (h0, h1) if leader == 0 else (h1, h0)
    for led in range(4 * laws[RANKS]):
        if leads >> led & 1 == 0:
            continue
        worst = 10**9 if leader == 0 else -(10**9)
        answers = legal(others, led, laws[RANKS])
        for answer in range(4 * laws[RANKS]):
            if answers >> answer & 1:
                gone = ~(1 << led | 1 << answer)
                winner, w, x, y, q = play(laws, leader, won0, left, p0, p1, piques, led, answer)
                value = minimax(laws, equity, by_table, h0 & gone, h1 & gone, winner, w, left - 1, x, y, q)
                worst = min(worst, value) if leader == 0 else max(worst, value)
        best = max(best, worst) if leader == 0 else min(best, worst)
    return best


@njit
def owners(h0, h1, ranks):
    """The remaining cards as owners in order, a digit a card (1 or 2) and a 0 between suits."""
    number = 0
    for card in range(4 * ranks):
        if card % ranks == 0:
            number *= 3
        if h0 >> card & 1:
            number = 3 * number + 1
        elif h1 >> card & 1:
            number = 3 * number + 2
    return number


@njit
def _remembered(laws, equity, memory, h0, h1, leader, won0, left):
    """The difference to come, without piques, every position once and every move tried in it."""
    if left == 0:
        return final(laws, equity, False, 0, 0, 0, won0)
    key = (owners(h0, h1, laws[RANKS]), leader + 2 * won0)
    if key in memory:
        return memory[key]
    best = -(10**9) if leader == 0 else 10**9
    leads, others = (h0, h1) if leader == 0 else (h1, h0)
    for led in range(36):
        if leads >> led & 1 == 0:
            continue
        worst = 10**9 if leader == 0 else -(10**9)
        answers = legal(others, led, laws[RANKS])
        for answer in range(36):
            if answers >> answer & 1:
                gone = ~(1 << led | 1 << answer)
                winner, w, x, y, _ = play(laws, leader, won0, left, 0, 0, 0, led, answer)
                value = x - y + _remembered(laws, equity, memory, h0 & gone, h1 & gone, winner, w, left - 1)
                worst = min(worst, value) if leader == 0 else max(worst, value)
        best = max(best, worst) if leader == 0 else min(best, worst)
    memory[key] = best
    return best


def truth(laws: np.ndarray, equity: np.ndarray, by_table: bool, hands: np.ndarray, leader: int, won0: int) -> int:
    """The value for side 0 of a position in which a trick is to be led, by plain minimax."""
    left = int(hands[0]).bit_count()
    return int(minimax(laws, equity, by_table, hands[0], hands[1], leader, won0, left, 0, 0, 0))


def remembered(laws: np.ndarray, hands: np.ndarray, leader: int) -> int:
    """The difference of points for side 0 of whole hands where no pique can come."""
    memory = Dict()
    memory[(0, -1)] = 0
    return int(_remembered(laws, np.zeros((1, 1), dtype=np.int64), memory, hands[0], hands[1], leader, 0, 12))
