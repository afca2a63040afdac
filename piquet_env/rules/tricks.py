"""The play of the cards: following suit, winning and leading, and the points of the tricks in their order."""

from __future__ import annotations

import numpy as np

from .actions import KIND_PLAY, WORD_LEAVE, WORD_TURN_UP
from .cards import rank_of, suit_of
from .dialogue import late_word, start_declarations
from .jit import inner
from .scoring import book, book_cards_early, book_late, book_pique
from .state import (
    CLASS_CAPTURE,
    CLASS_LAST_TRICK,
    CLASS_LEAD,
    LEFT_DOWN,
    NOBODY,
    PLAY,
    TIME_TRICK,
    TIME_TRICK_END,
    TURNED_UP,
    YOUNGER,
    role_of,
    seat_of,
)


@inner
def find_legal_play(row: np.void, rules: np.void) -> None:
    """Write the legal cards: any to a lead; the suit led where it is held, else any."""
    hand = row["hands"][role_of(row, row["to_act"])]
    row["legal_kind"] = KIND_PLAY
    row["legal_cards"] = hand
    if row["led"] >= 0:
        ranks = rules["ranks"]
        in_suit = hand & (((1 << ranks) - 1) << (suit_of(row["led"], ranks) * ranks))
        if in_suit:
            row["legal_cards"] = in_suit


@inner
def apply_play(row: np.void, rules: np.void, card: int) -> None:
    """Play a card: as a lead, or as the answer that ends the trick."""
    role = role_of(row, row["to_act"])
    row["hands"][role] &= ~(1 << card)
    row["known"][role] &= ~(1 << card)
    row["played"][role] |= 1 << card
    if row["led"] < 0:
        _lead(row, rules, role, card)
    else:
        _end_trick(row, rules, role, card)


@inner
def _lead(row: np.void, rules: np.void, role: int, card: int) -> None:
    """Lead a card; behind elder's first lead younger declares before he plays."""
    trick = row["tricks_played"]
    row["led"] = card
    row["lead_cards"][trick] = card
    row["leaders"] |= role << trick
    row["to_act"] = seat_of(row, 1 - role)
    time = TIME_TRICK * (trick + 1)
    points = 1 if rank_of(card, rules["ranks"]) >= rules["lead_point_min_rank"] else 0
    if row["reckoned"]:
        book_late(row, rules, role, points, CLASS_LEAD, time)
        book_pique(row, rules, time + 1)
    else:
        book(row, role, points, CLASS_LEAD, time)  # what it makes is reckoned behind younger's declarations
    if trick == 0 and not row["stopped"]:
        start_declarations(row, rules)


@inner
def _end_trick(row: np.void, rules: np.void, role: int, card: int) -> None:
    """Answer a lead: the higher card of the suit led wins, scores if it captures, and leads next."""
    ranks, led, trick = rules["ranks"], row["led"], row["tricks_played"]
    row["reply_cards"][trick] = card
    captures = card > led and suit_of(card, ranks) == suit_of(led, ranks)
    winner = role if captures else 1 - role
    winning_card = card if captures else led
    row["tricks_won"][winner] += 1
    row["winners"] |= winner << trick
    row["led"] = -1
    time = TIME_TRICK * (trick + 1) + TIME_TRICK_END
    if captures and rank_of(winning_card, ranks) >= rules["capture_point_min_rank"]:
        book_late(row, rules, winner, 1, CLASS_CAPTURE, time)
    if trick == 11:
        book_late(row, rules, winner, rules["last_trick_point"], CLASS_LAST_TRICK, time)
    book_cards_early(row, rules, winner, time)
    book_pique(row, rules, time + 1)
    row["tricks_played"] = trick + 1
    row["leader"] = winner
    row["to_act"] = seat_of(row, winner) if trick < 11 else NOBODY


@inner
def find_legal_leftovers(row: np.void, rules: np.void) -> None:
    """Write younger's choice: turn up what is left, or leave it."""
    row["legal_words"] = 1 << late_word(WORD_TURN_UP, rules["ranks"]) | 1 << late_word(WORD_LEAVE, rules["ranks"])


@inner
def apply_leftovers(row: np.void, rules: np.void, word: int) -> None:
    """Turn up the cards left in the talon for both, or leave them; younger then plays."""
    row["leftover_state"] = TURNED_UP if word == late_word(WORD_TURN_UP, rules["ranks"]) else LEFT_DOWN
    row["phase"] = PLAY
    row["to_act"] = seat_of(row, YOUNGER)
