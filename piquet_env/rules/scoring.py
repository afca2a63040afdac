"""Booking points: the score log, repique, pique, carte rouge, cards and capot, and the end of a game of au cent.

Bonuses are never read off running totals but off the booked entries by class (columns of `points`).
"""

from __future__ import annotations

import numpy as np

from .jit import inner, jit
from .state import (
    CB_ANNOUNCED,
    CLASS_CAPOT,
    CLASS_CARDS,
    CLASS_CARTE_BLANCHE,
    CLASS_CARTE_ROUGE,
    CLASS_PIQUE,
    CLASS_POINT,
    CLASS_REPIQUE,
    CLASS_SEQUENCE,
    COLUMN_BONUS,
    COLUMN_CARDS,
    COLUMN_OF_CLASS,
    COLUMN_PLAY,
    COLUMN_ROUGE,
    DEAD,
    ELDER,
    POINT,
    SEQUENCE,
    TIME_CARTE_BLANCHE,
    TIME_CATEGORY,
    TIME_DEAL_END,
    TIME_ROUGE,
    TIME_TRICK,
    TO_ELDER,
    YOUNGER,
    entry_class,
    entry_points,
    entry_role,
    entry_time,
    pack_entry,
    seat_of,
)
from .tables import BONUS_AT, CAPOT, CARDS, CARTE_BLANCHE, PIQUE, REPIQUE, SEQUENCE_POINTS, SET_POINTS


@inner
def stops_at_once(rules: np.void) -> bool:
    """Return whether a game of au cent ends at the deciding point."""
    return rules["form"] == 1 and rules["au_cent_stop"] == 0


@inner
def reaches_target(row: np.void, rules: np.void) -> bool:
    """Return whether either seat's total with the points of this deal has come to the target."""
    for role in range(2):
        if row["totals"][seat_of(row, role)] + row["score"][role] >= rules["target"]:
            return True
    return False


@inner
def book(row: np.void, role: int, points: int, score_class: int, time: int) -> None:
    """Add an entry to the log and its points to the running score; nothing once a game has stopped, and never zero."""
    if points <= 0 or row["stopped"]:
        return
    row["log"][row["log_size"]] = pack_entry(role, points, score_class, time)
    row["log_size"] += 1
    row["score"][role] += points
    row["points"][role, COLUMN_OF_CLASS[score_class]] += points


@inner
def book_late(row: np.void, rules: np.void, role: int, points: int, score_class: int, time: int) -> None:
    """Book an event that can end a game of au cent by itself: a carte blanche, or anything after the declarations."""
    book(row, role, points, score_class, time)
    if stops_at_once(rules) and reaches_target(row, rules):
        row["stopped"] = 1


@inner
def time_of_category(row: np.void, rules: np.void, role: int, category: int) -> int:
    """Return the moment at which a role's points of a category reckon.

    Under bonus_order 'actual' younger's come behind elder's first lead, unless he declares in turn.
    """
    time = TIME_CATEGORY * (category + 1)
    if role == YOUNGER and is_actual(rules):
        time += TIME_TRICK
    return time


@inner
def is_actual(rules: np.void) -> bool:
    """Return whether elder's first lead reckons before younger's declarations."""
    return rules["bonus_order"] == 1 and rules["younger_declares"] == 0


@inner
def book_carte_blanche(row: np.void, rules: np.void, role: int) -> None:
    """Book the ten for a carte blanche that is shown."""
    book_late(row, rules, role, CARTE_BLANCHE, CLASS_CARTE_BLANCHE, TIME_CARTE_BLANCHE + role)


@inner
def book_claim(row: np.void, rules: np.void, role: int, category: int, length: int) -> None:
    """Book a combination by its length, and the repique that it makes."""
    if category == POINT:
        points = length
    elif category == SEQUENCE:
        points = SEQUENCE_POINTS[length]
    else:
        points = SET_POINTS[length]
    book(row, role, points, CLASS_POINT + category, time_of_category(row, rules, role, category))
    if role == ELDER:
        _book_elder_repique(row, rules, True)
    else:
        _book_younger_repique(row, rules, category)


@inner
def _book_repique(row: np.void, rules: np.void, role: int, category: int) -> None:
    row["has_repique"][role] = 1
    book(row, role, REPIQUE, CLASS_REPIQUE, time_of_category(row, rules, role, category) + 1)


@inner
def _book_elder_repique(row: np.void, rules: np.void, only_public: bool) -> None:
    """Book elder's repique if it is certain.

    only_public: before younger's declarations have ended it stands only if the record shows every category up to the
    thirtieth point scored by elder or dead, and no carte blanche of younger's: what younger holds must not tell.
    """
    if row["has_repique"][ELDER]:
        return
    mine, theirs = row["points"][ELDER, CLASS_CARTE_BLANCHE], row["points"][YOUNGER, CLASS_CARTE_BLANCHE]
    if only_public and row["carte_blanche"][YOUNGER] >= CB_ANNOUNCED:
        return
    for category in range(3):
        status = row["status"][category]
        if only_public and status != TO_ELDER and status != DEAD:
            return
        mine += row["points"][ELDER, CLASS_POINT + category]
        theirs += row["points"][YOUNGER, CLASS_POINT + category]
        if theirs > 0:
            return
        if mine >= BONUS_AT:
            _book_repique(row, rules, ELDER, category)
            return


@inner
def _book_younger_repique(row: np.void, rules: np.void, last_category: int) -> None:
    """Book younger's repique if a claim in `last_category` has made it."""
    if row["has_repique"][YOUNGER]:
        return
    mine, theirs = row["points"][YOUNGER, CLASS_CARTE_BLANCHE], row["points"][ELDER, CLASS_CARTE_BLANCHE]
    for category in range(last_category + 1):
        mine += row["points"][YOUNGER, CLASS_POINT + category]
        theirs += row["points"][ELDER, CLASS_POINT + category]
    if theirs == 0 and mine >= BONUS_AT:
        _book_repique(row, rules, YOUNGER, last_category)


@inner
def towards_pique(row: np.void, rules: np.void, role: int) -> int:
    """Return the points that count towards pique: hand and play, and the cards where the rules say so."""
    points = row["points"][role, COLUMN_PLAY]
    for column in range(CLASS_SEQUENCE + 2):
        points += row["points"][role, column]
    if rules["cards_count_for_pique"] and row["tricks_played"] < 12:
        points += row["points"][role, COLUMN_CARDS]
    return points


@inner
def book_pique(row: np.void, rules: np.void, time: int) -> None:
    """Book a pique for the role that has come to thirty while the other has scored nothing."""
    for role in range(2):
        if row["score"][role] >= BONUS_AT and row["has_repique"][role] == 0 and row["has_pique"][role] == 0:
            if towards_pique(row, rules, role) >= BONUS_AT and towards_pique(row, rules, 1 - role) == 0:
                row["has_pique"][role] = 1
                book_late(row, rules, role, PIQUE, CLASS_PIQUE, time)


@inner
def _book_pique_at_lead(row: np.void, rules: np.void) -> None:
    """Book the pique that elder's first lead has made, once younger has declared; it reckons at the lead."""
    if is_actual(rules):
        # Only a carte blanche of younger's came before the lead; elder's thirty in hand belong to the lead.
        reached = towards_pique(row, rules, ELDER) >= BONUS_AT and row["points"][YOUNGER, CLASS_CARTE_BLANCHE] == 0
        if reached and row["has_repique"][ELDER] == 0:
            row["has_pique"][ELDER] = 1
            book(row, ELDER, PIQUE, CLASS_PIQUE, TIME_TRICK + 1)
        return
    for role in range(2):
        if row["has_repique"][role] == 0 and towards_pique(row, rules, role) >= BONUS_AT:
            if towards_pique(row, rules, 1 - role) == 0:
                row["has_pique"][role] = 1
                book(row, role, PIQUE, CLASS_PIQUE, TIME_TRICK + 1)


@inner
def _book_carte_rouge(row: np.void, rules: np.void) -> None:
    """Book carte rouge for a hand of twelve that stands wholly in scored combinations."""
    time = TIME_ROUGE + (TIME_TRICK if is_actual(rules) else 0)
    for role in range(2):
        hand = row["hands"][role]
        if role == ELDER and row["led"] >= 0:
            hand |= 1 << row["led"]
        if hand & ~row["scored_cards"][role] == 0:
            book(row, role, rules["carte_rouge"], CLASS_CARTE_ROUGE, time + role)


@inner
def end_declarations(row: np.void, rules: np.void) -> None:
    """Book what the end of younger's declarations makes certain, and make au cent's reckoning."""
    row["reckoned"] = 1
    for role in range(2):
        row["held_bonus"][role] = -row["points"][role, COLUMN_BONUS]
    _book_elder_repique(row, rules, False)
    if rules["carte_rouge"]:
        _book_carte_rouge(row, rules)
    if row["led"] >= 0:
        _book_pique_at_lead(row, rules)
    for role in range(2):
        row["held_bonus"][role] += row["points"][role, COLUMN_BONUS]
        row["held_rouge"][role] = row["points"][role, COLUMN_ROUGE]
    if stops_at_once(rules) and reaches_target(row, rules):
        _cut_at_target(row, rules)


@jit
def sort_log(log: np.ndarray, size: int) -> None:
    """Bring packed entries into the order of reckoning: by moment, and as booked within a moment."""
    for place in range(1, size):
        entry = log[place]
        before = place - 1
        while before >= 0 and entry_time(log[before]) > entry_time(entry):
            log[before + 1] = log[before]
            before -= 1
        log[before + 1] = entry


@inner
def _cut_at_target(row: np.void, rules: np.void) -> None:
    """End the game at the first entry, in the order of reckoning, that brings a total to the target."""
    sort_log(row["log"], row["log_size"])
    size = row["log_size"]
    row["log_size"] = 0
    for role in range(2):
        row["score"][role] = 0
        for column in range(8):
            row["points"][role, column] = 0
    for place in range(size):
        entry = row["log"][place]
        book_late(row, rules, entry_role(entry), entry_points(entry), entry_class(entry), entry_time(entry))
        if row["stopped"]:
            return


@inner
def book_cards_early(row: np.void, rules: np.void, role: int, time: int) -> None:
    """Book the ten at the seventh trick, where it counts towards pique."""
    if rules["cards_count_for_pique"] and row["tricks_won"][role] == 7:
        book_late(row, rules, role, CARDS, CLASS_CARDS, time)


@inner
def book_cards(row: np.void, rules: np.void) -> None:
    """Book cards or capot at the end of the deal."""
    for role in range(2):
        won = row["tricks_won"][role]
        if won == 12:
            booked = CARDS if rules["cards_count_for_pique"] else 0
            book_late(row, rules, role, CAPOT - booked, CLASS_CAPOT, TIME_DEAL_END)
        elif won >= 7 and not rules["cards_count_for_pique"]:
            book_late(row, rules, role, CARDS, CLASS_CARDS, TIME_DEAL_END)


@jit
def settlement(own: int, other: int, line: int) -> int:
    """Return the Rubicon settlement from one side: + for a win, − for a loss, 0 for equal totals.

    A loser at the line or above it pays 100 and the difference, a loser below it 100 and the sum.
    """
    if own == other:
        return 0
    low = min(own, other)
    amount = 100 + (max(own, other) - low if low >= line else own + other)
    return amount if own > other else -amount
