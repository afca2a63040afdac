"""Rows for the fit, read from the states of ended deals: hands before the first lead, positions, and leads."""

from __future__ import annotations

import numpy as np

from piquet_env.rules.cards import pattern_of, rank_of, suit_of

from .evaluation import NUM_TERMS, NUM_WEIGHTS, write_terms
from .jit import inner, jit
from .suits import suit_facts
from .tricks import NUM_LEAD_TERMS, NUM_PLAY_TERMS, NUM_PLAY_WEIGHTS, write_lead_terms, write_play_terms

LEAD_EXTRA = NUM_PLAY_WEIGHTS + 4 * 1024
NUM_EXTRA = 4 * 1024 + 2 * 512 * 9  # weights behind those of the play: patterns of suits by case, and of leads


def hand_rows(states: np.ndarray, role: int, pack: int) -> tuple[np.ndarray, np.ndarray]:
    """Return terms, int32[N, NUM_TERMS + 8], and points of the deal, own and the other's, float64[N, 2].

    Behind the terms of the value stand the patterns of each suit, own and the other's, as weights of their own: they
    carry what is common to many codes.
    """
    terms = np.empty((len(states), NUM_TERMS + 8), dtype=np.int32)
    _write_hands(states["played"][:, role].copy(), states["discards"][:, role].copy(), pack, suit_facts(), terms)
    return terms, states["score"][:, [role, 1 - role]].astype(np.float64)


@jit
def _write_hands(hands: np.ndarray, discards: np.ndarray, pack: int, facts: np.ndarray, terms: np.ndarray) -> None:
    room = np.zeros(NUM_TERMS, dtype=np.int64)
    ranks = pack // 4
    for row in range(hands.shape[0]):
        other = ((1 << pack) - 1) & ~(hands[row] | discards[row])
        write_terms(hands[row], other, ranks, facts, room)
        for place in range(NUM_TERMS):
            terms[row, place] = room[place]
        for suit in range(4):
            terms[row, NUM_TERMS + suit] = NUM_WEIGHTS + pattern_of(hands[row], suit, ranks)
            terms[row, NUM_TERMS + 4 + suit] = NUM_WEIGHTS + 512 + pattern_of(other, suit, ranks)


def play_rows(states: np.ndarray, pack: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return positions between tricks and leads, with what came of them.

    terms, targets: int32[24 N, NUM_PLAY_TERMS + 8], float64[24 N, 3]: points, the other's, and tricks still to come
    lead_terms, lead_targets: int32[12 N, NUM_LEAD_TERMS + 2], float64[12 N, 3]
    cards: int64[24 N], the tricks still to come
    """
    number = len(states)
    terms = np.empty((24 * number, NUM_PLAY_TERMS + 8), dtype=np.int32)
    targets = np.empty((24 * number, 3))
    lead_terms = np.empty((12 * number, NUM_LEAD_TERMS + 2), dtype=np.int32)
    lead_targets = np.empty((12 * number, 3))
    cards = np.empty(24 * number, dtype=np.int64)
    _write_plays(states, pack, suit_facts(), terms, targets, lead_terms, lead_targets, cards)
    return terms, targets, lead_terms, lead_targets, cards


@inner
def _suit_cards(suit: int, ranks: int) -> int:
    return ((1 << ranks) - 1) << (suit * ranks)


@jit
def _write_plays(
    states: np.ndarray,
    pack: int,
    facts: np.ndarray,
    terms: np.ndarray,
    targets: np.ndarray,
    lead_terms: np.ndarray,
    lead_targets: np.ndarray,
    cards: np.ndarray,
) -> None:
    room = np.zeros(NUM_LEAD_TERMS, dtype=np.int64)
    ranks = pack // 4
    for index in range(states.shape[0]):
        state = states[index]
        for role in range(2):
            hand = state["played"][role]
            unseen = ((1 << pack) - 1) & ~(hand | state["discards"][role])
            void = 0
            for trick in range(12):
                left = 12 - trick
                leader = state["leaders"] >> trick & 1
                winner = state["winners"] >> trick & 1
                leads = 1 if leader == role else 0
                lead_card, reply_card = state["lead_cards"][trick], state["reply_cards"][trick]
                row = 24 * index + 12 * role + trick
                cards[row] = left
                other = unseen & ~void
                if leads:
                    suit, rank = suit_of(lead_card, ranks), rank_of(lead_card, ranks)
                    write_lead_terms(hand, other, left, lead_card, 1 - role, ranks, facts, room)
                    at = 12 * index + trick
                    for place in range(NUM_LEAD_TERMS):
                        lead_terms[at, place] = room[place]
                    own_pattern, other_pattern = pattern_of(hand, suit, ranks), pattern_of(other, suit, ranks)
                    lead_terms[at, NUM_LEAD_TERMS] = LEAD_EXTRA + 9 * own_pattern + rank
                    lead_terms[at, NUM_LEAD_TERMS + 1] = LEAD_EXTRA + 9 * (512 + other_pattern) + rank
                else:
                    write_play_terms(hand, other, left, left, 0, 1 - role, ranks, facts, room)
                for place in range(NUM_PLAY_TERMS):
                    terms[row, place] = room[place]
                for suit in range(4):
                    first = NUM_PLAY_WEIGHTS + 1024 * (2 * (1 - role) + leads)
                    terms[row, NUM_PLAY_TERMS + suit] = first + pattern_of(hand, suit, ranks)
                    terms[row, NUM_PLAY_TERMS + 4 + suit] = first + 512 + pattern_of(other, suit, ranks)
                mine, theirs = (lead_card, reply_card) if leads else (reply_card, lead_card)
                targets[row, 0] = (1 if leads else 0) + (1 if winner == role and not leads else 0)
                targets[row, 1] = (0 if leads else 1) + (1 if winner != role and leads else 0)
                targets[row, 2] = 1 if winner == role else 0
                if trick == 11:
                    targets[row, 0 if winner == role else 1] += 1
                if leads and suit_of(theirs, ranks) != suit_of(mine, ranks):
                    void |= _suit_cards(suit_of(mine, ranks), ranks)
                hand &= ~(1 << mine)
                unseen &= ~(1 << theirs)
            for trick in range(11, -1, -1):
                row = 24 * index + 12 * role + trick
                if trick < 11:
                    for column in range(3):
                        targets[row, column] += targets[row + 1, column]
                if state["leaders"] >> trick & 1 == role:
                    for column in range(3):
                        lead_targets[12 * index + trick, column] = targets[row, column]
