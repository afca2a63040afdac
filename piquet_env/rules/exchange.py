"""Carte blanche and the exchange: what may be claimed, discarded and drawn, and what each side learns by it."""

from __future__ import annotations

import numpy as np

from .actions import KIND_DISCARD, WORD_CARTE_BLANCHE, WORD_DRAW, WORD_SILENT
from .cards import num_cards, pattern_of
from .jit import inner, jit
from .scoring import book_carte_blanche
from .state import (
    CARTE_BLANCHE,
    CB_ANNOUNCED,
    CB_NONE,
    CB_SHOWN,
    CB_SILENT,
    ELDER,
    EXCHANGE,
    NOBODY,
    YOUNGER,
    role_of,
    seat_of,
)
from .variants import RULES_DTYPE  # noqa: F401  (the row that every function here reads)

_COURT = 0b011100000  # pattern of king, queen and knave


@inner
def has_carte_blanche(row: np.void, rules: np.void, role: int) -> bool:
    """Return whether the hand as dealt holds no king, queen or knave."""
    for suit in range(4):
        if pattern_of(row["dealt"][role], suit, rules["ranks"]) & _COURT:
            return False
    return True


@inner
def shows_late(row: np.void, rules: np.void) -> bool:
    """Return whether elder's carte blanche waits to be shown until younger has laid out his discards."""
    return rules["carte_blanche_show"] == 1 and row["carte_blanche"][ELDER] == CB_ANNOUNCED


# -- carte blanche ----------------------------------------------------------------------------------------------------


@inner
def find_legal_carte_blanche(row: np.void, rules: np.void) -> None:
    """Write the legal actions of the holder of a carte blanche."""
    row["legal_words"] = 1 << WORD_CARTE_BLANCHE | 1 << WORD_SILENT


@inner
def apply_carte_blanche(row: np.void, rules: np.void, word: int) -> None:
    """Claim a carte blanche or keep it silent, and go on to the next question or the exchange."""
    role = role_of(row, row["to_act"])
    _answer_carte_blanche(row, rules, role, word == WORD_CARTE_BLANCHE)
    if row["stopped"]:
        return
    if role == ELDER:
        _ask_younger_before(row, rules)
    else:
        _after_younger_answer(row, rules)


@inner
def start_exchange(row: np.void, rules: np.void) -> None:
    """Begin a deal behind the dealing: the questions of carte blanche, then elder's exchange."""
    if has_carte_blanche(row, rules, ELDER):
        if rules["carte_blanche_claim"] == 0:
            _ask_carte_blanche(row, ELDER)
            return
        _answer_carte_blanche(row, rules, ELDER, True)
        if row["stopped"]:
            return
    _ask_younger_before(row, rules)


@inner
def _ask_carte_blanche(row: np.void, role: int) -> None:
    row["phase"] = CARTE_BLANCHE
    row["to_act"] = seat_of(row, role)


@inner
def _answer_carte_blanche(row: np.void, rules: np.void, role: int, claims: bool) -> None:
    """Enter a claim or a silence; show at once where the rules show at once."""
    row["carte_blanche"][role] = CB_ANNOUNCED if claims else CB_SILENT
    if not claims:
        return
    if role == ELDER and rules["carte_blanche_show"] == 0:
        _show_carte_blanche(row, rules, ELDER)
    elif role == YOUNGER and (rules["younger_cb_show"] == 1 or rules["younger_cb_announce"] == 1):
        _show_carte_blanche(row, rules, YOUNGER)


@inner
def _show_carte_blanche(row: np.void, rules: np.void, role: int) -> None:
    row["carte_blanche"][role] = CB_SHOWN
    book_carte_blanche(row, rules, role)


@inner
def _ask_younger_before(row: np.void, rules: np.void) -> None:
    """Ask younger where he announces before the exchange, then let elder exchange."""
    if rules["younger_cb_announce"] == 0 and has_carte_blanche(row, rules, YOUNGER):
        if rules["carte_blanche_claim"] == 0:
            _ask_carte_blanche(row, YOUNGER)
            return
        _answer_carte_blanche(row, rules, YOUNGER, True)
        if row["stopped"]:
            return
    _start_exchange_of(row, ELDER)


@inner
def _after_younger_answer(row: np.void, rules: np.void) -> None:
    """Go on behind younger's answer: to elder's exchange, to his own, or (shown late) to his drawing."""
    if rules["younger_cb_announce"] == 0:
        _start_exchange_of(row, ELDER)
    elif row["taken"][YOUNGER] >= 0:
        _draw_younger(row, rules)
    else:
        _start_exchange_of(row, YOUNGER)


# -- the exchange -----------------------------------------------------------------------------------------------------


@inner
def _start_exchange_of(row: np.void, role: int) -> None:
    row["phase"] = EXCHANGE
    row["to_act"] = seat_of(row, role)
    row["pending"] = 0


@inner
def most_discards(row: np.void, rules: np.void, role: int) -> int:
    """Return how many cards `role` may exchange."""
    return rules["elder_max"] if role == ELDER else rules["pack"] - 24 - row["taken"][ELDER]


@inner
def find_legal_exchange(row: np.void, rules: np.void) -> None:
    """Write the legal discards, which come in ascending order, and whether drawing is legal."""
    role = role_of(row, row["to_act"])
    laid_out = num_cards(row["pending"])
    row["legal_kind"] = KIND_DISCARD
    if laid_out < most_discards(row, rules, role):
        row["legal_cards"] = row["hands"][role] & cards_above(row["pending"])
    if laid_out > 0 or (role == YOUNGER and rules["younger_must_exchange"] == 0):
        row["legal_words"] = 1 << WORD_DRAW


@jit
def cards_above(cards: int) -> int:
    """Return the mask of all cards above the highest of `cards` (all cards, where there are none)."""
    below = cards
    for shift in (1, 2, 4, 8, 16, 32):
        below |= below >> shift
    return ~below


@inner
def apply_discard(row: np.void, rules: np.void, card: int) -> None:
    """Lay out one card."""
    row["pending"] |= 1 << card


@inner
def apply_draw(row: np.void, rules: np.void) -> None:
    """End the discarding of the seat to act, and draw as far as the rules of showing allow."""
    role = role_of(row, row["to_act"])
    row["discards"][role] = row["pending"]
    row["taken"][role] = num_cards(row["pending"])
    row["pending"] = 0
    if role == ELDER:
        if shows_late(row, rules):
            _start_exchange_of(row, YOUNGER)
            return
        _draw_elder(row, rules)
        _show_or_ask_younger(row, rules)
    elif shows_late(row, rules):
        _show_carte_blanche(row, rules, ELDER)
        if row["stopped"]:
            return
        _draw_elder(row, rules)
        _show_or_ask_younger(row, rules)
    else:
        _draw_younger(row, rules)


@inner
def _show_or_ask_younger(row: np.void, rules: np.void) -> None:
    """Show younger's announced carte blanche, or ask for it, behind elder's drawing; then younger goes on."""
    if row["carte_blanche"][YOUNGER] == CB_ANNOUNCED:
        _show_carte_blanche(row, rules, YOUNGER)
    elif rules["younger_cb_announce"] == 1 and has_carte_blanche(row, rules, YOUNGER):
        if rules["carte_blanche_claim"] == 0 and row["carte_blanche"][YOUNGER] == CB_NONE:
            _ask_carte_blanche(row, YOUNGER)
            return
        _answer_carte_blanche(row, rules, YOUNGER, True)
    if row["stopped"]:
        return
    if row["taken"][YOUNGER] >= 0:
        _draw_younger(row, rules)
    else:
        _start_exchange_of(row, YOUNGER)


@inner
def _draw_elder(row: np.void, rules: np.void) -> None:
    """Elder takes his cards from the top of the talon; he also sees the rest of his share."""
    drawn = 0
    for place in range(row["taken"][ELDER]):
        drawn |= 1 << row["talon"][place]
    row["hands"][ELDER] = row["hands"][ELDER] & ~row["discards"][ELDER] | drawn
    row["drawn"][ELDER] = 1


@inner
def _draw_younger(row: np.void, rules: np.void) -> None:
    """Younger takes his cards from the top of what is left; elder knows those that he has seen and left."""
    first = row["taken"][ELDER]
    end = first + row["taken"][YOUNGER]
    drawn = 0
    for place in range(first, end):
        card = 1 << row["talon"][place]
        drawn |= card
        if place < rules["elder_max"]:
            row["known"][YOUNGER] |= card
    row["hands"][YOUNGER] = row["hands"][YOUNGER] & ~row["discards"][YOUNGER] | drawn
    row["drawn"][YOUNGER] = 1
    for place in range(end, rules["pack"] - 24):
        row["leftovers"] |= 1 << row["talon"][place]
    row["phase"] = EXCHANGE  # his answer about a carte blanche may have come last
    row["to_act"] = NOBODY  # the calls begin
