"""Deals and parties: beginning a partie and a deal, ending a deal, ties, games of au cent, and the settlement."""

from __future__ import annotations

import numpy as np

from .actions import WORD_DEAL_FIRST, WORD_DEAL_SECOND
from .dialogue import late_word
from .exchange import start_exchange
from .jit import inner, jit
from .scoring import book_cards, settlement
from .state import CUT, DEAL_OVER, NOBODY, PARTIE_OVER, seat_of
from .variants import CHOOSE_DEALER, SEVENTH_DEAL, TWO_DEALS


@inner
def start_partie(row: np.void, rules: np.void, dealer: int, cut: np.ndarray) -> None:
    """Begin a partie in a row (seed and partie may stand in it).

    dealer: seat that deals the first deal, or NOBODY to leave it to the rules
    cut:    int8[pack], the deck of deal 0: cards 0 and 1 are drawn for seats 0 and 1, the next pair if equal in rank
    The row is then in phase CUT, or DEAL_OVER waiting for `start_deal`.
    """
    for seat in range(2):
        row["totals"][seat] = 0
        row["games"][seat] = 0
        row["lurches"][seat] = 0
        row["deal_points"][seat] = 0
    row["game_over"] = 0
    row["deals_ended"] = 0
    row["chooser"] = 0
    row["deal_number"] = 0
    _clear_deal(row)
    row["planned_deals"] = rules["deals"] if rules["form"] == 0 else 0
    row["phase"] = DEAL_OVER
    row["to_act"] = NOBODY
    row["dealer"] = dealer
    if dealer != NOBODY:
        return
    if rules["first_dealer"] > CHOOSE_DEALER:
        row["dealer"] = rules["first_dealer"] - CHOOSE_DEALER - 1
        return
    high = _higher_seat(cut, rules["ranks"])
    if rules["first_dealer"] == CHOOSE_DEALER:
        row["chooser"] = high
        row["phase"] = CUT
        row["to_act"] = high
    else:
        # By lot: the higher card deals first, which he would choose; in au cent the lower card must.
        row["dealer"] = high if rules["form"] == 0 else 1 - high


@jit
def _higher_seat(cut: np.ndarray, ranks: int) -> int:
    """Return the seat with the higher card of the first pair of unequal rank."""
    for place in range(0, cut.shape[0] - 1, 2):
        first, second = cut[place] % ranks, cut[place + 1] % ranks
        if first != second:
            return 0 if first > second else 1
    return 0


@inner
def find_legal_cut(row: np.void, rules: np.void) -> None:
    """Write the choice of the winner of the cut."""
    ranks = rules["ranks"]
    row["legal_words"] = 1 << late_word(WORD_DEAL_FIRST, ranks) | 1 << late_word(WORD_DEAL_SECOND, ranks)


@inner
def apply_cut(row: np.void, rules: np.void, word: int) -> None:
    """Enter the choice of the winner of the cut; the first deal then waits for its deck."""
    first = word == late_word(WORD_DEAL_FIRST, rules["ranks"])
    row["dealer"] = row["chooser"] if first else 1 - row["chooser"]
    row["phase"] = DEAL_OVER
    row["to_act"] = NOBODY


@inner
def start_deal(row: np.void, rules: np.void, deck: np.ndarray) -> None:
    """Begin the next deal from `deck` (int8[pack]; see `shuffle`): clear the last one, alternate the deal, deal."""
    row["deal_number"] += 1
    if row["deals_ended"] > 0:
        row["dealer"] = 1 - row["dealer"]
    if row["game_over"]:
        row["game_over"] = 0
        row["totals"][0] = 0
        row["totals"][1] = 0
    _clear_deal(row)
    for role in range(2):
        hand = 0
        for place in range(12):
            hand |= 1 << int(deck[12 * role + place])
        row["dealt"][role] = hand
        row["hands"][role] = hand
    for place in range(rules["pack"] - 24):
        row["talon"][place] = deck[24 + place]
    start_exchange(row, rules)


@inner
def _clear_deal(row: np.void) -> None:
    """Clear everything that belongs to one deal."""
    for role in range(2):
        row["discards"][role] = 0
        row["taken"][role] = -1
        row["drawn"][role] = 0
        row["carte_blanche"][role] = 0
        row["known"][role] = 0
        row["scored_cards"][role] = 0
        row["tricks_won"][role] = 0
        row["played"][role] = 0
        row["score"][role] = 0
        row["has_repique"][role] = 0
        row["has_pique"][role] = 0
        row["point_scored"][role] = 0
        row["held_bonus"][role] = 0
        row["held_rouge"][role] = 0
        for column in range(8):
            row["points"][role, column] = 0
        for category in range(3):
            row["claimed"][role, category] = 0
            row["shown"][role, category] = 0
    for category in range(3):
        row["status"][category] = 0
        row["call_length"][category] = 0
        row["call_rank"][category] = 0
        row["call_rank_said"][category] = 0
        row["reply"][category] = 0
        row["second_reply"][category] = 0
        row["declared"][category] = 0
    for place in range(4):
        row["sequences_scored"][place] = 0
    for place in range(5):
        row["sets_scored"][place] = 0
    for trick in range(12):
        row["lead_cards"][trick] = -1
        row["reply_cards"][trick] = -1
    row["pending"] = 0
    row["leftovers"] = 0
    row["leftover_state"] = 0
    row["category"] = 0
    row["composing"] = 0
    row["composing_item"] = 0
    row["withheld_to"] = -1
    row["used"] = 0
    row["last_item"] = -1
    row["beaten"] = 0
    row["reckoned"] = 0
    row["tricks_played"] = 0
    row["leader"] = 0
    row["led"] = -1
    row["leaders"] = 0
    row["winners"] = 0
    row["stopped"] = 0
    row["log_size"] = 0


@inner
def end_deal(row: np.void, rules: np.void) -> None:
    """End a deal that is played out or stopped: cards and capot, the totals, and whether the partie goes on."""
    if not row["stopped"]:
        book_cards(row, rules)
    for role in range(2):
        seat = seat_of(row, role)
        row["deal_points"][seat] = row["score"][role]
        row["totals"][seat] += row["score"][role]
    row["deals_ended"] += 1
    row["to_act"] = NOBODY
    row["phase"] = DEAL_OVER
    if rules["form"] == 0:
        _end_rubicon_deal(row, rules)
    else:
        _end_au_cent_deal(row, rules)


@inner
def _end_rubicon_deal(row: np.void, rules: np.void) -> None:
    """End the partie behind its last deal, or add the deals that break a tie (once)."""
    if row["deal_number"] < row["planned_deals"]:
        return
    tied = row["totals"][0] == row["totals"][1]
    if tied and row["planned_deals"] == rules["deals"]:
        if rules["tie_break"] == TWO_DEALS:
            row["planned_deals"] += 2
            return
        if rules["tie_break"] == SEVENTH_DEAL:
            row["planned_deals"] += 1
            return
    row["phase"] = PARTIE_OVER


@inner
def _end_au_cent_deal(row: np.void, rules: np.void) -> None:
    """End a game when a total has come to the target (the higher, where both have), and the match with enough games."""
    first, second = row["totals"][0], row["totals"][1]
    if max(first, second) < rules["target"] or first == second:
        return
    winner = 0 if first > second else 1
    row["game_over"] = 1
    row["games"][winner] += 1
    if row["totals"][1 - winner] < rules["lurch"]:
        row["games"][winner] += 1
        row["lurches"][1 - winner] += 1
    if row["games"][winner] >= rules["games"]:
        row["phase"] = PARTIE_OVER


@inner
def settlement_of(row: np.void, rules: np.void) -> int:
    """Return what the partie pays to seat 0: the Rubicon settlement, or in au cent the difference in games."""
    if rules["form"] == 1:
        return row["games"][0] - row["games"][1]
    return settlement(row["totals"][0], row["totals"][1], rules["rubicon_line"])
