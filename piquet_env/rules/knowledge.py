"""What a seat knows: the public phase, the points it may see, and what the record still allows.

A seat that is not to act sees only what has been said. Which questions the engine puts to the other (a carte blanche, a
further combination, a declaration) depends on the other's cards, so those questions look, from across the table, like
what would follow without them.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from .jit import inner, jit
from .masks import write_mask
from .scoring import is_actual, towards_pique
from .state import (
    CALL,
    CARTE_BLANCHE,
    CB_ANNOUNCED,
    CLASS_CARTE_BLANCHE,
    CLASS_POINT,
    COLUMN_BONUS,
    COLUMN_ROUGE,
    CUT,
    DEAL_OVER,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    EXCHANGE,
    FURTHER,
    LEFTOVERS,
    NOBODY,
    PASSED,
    REPLY,
    SET,
    TO_ELDER,
    TO_YOUNGER,
    TURNED_UP,
    UNCALLED,
    YOUNGER,
    role_of,
    seat_of,
)
from .tables import BONUS_AT


class View(IntEnum):
    """The phase as a seat sees it."""

    CUT = 0
    CARTE_BLANCHE = 1
    EXCHANGE_ELDER = 2
    EXCHANGE_YOUNGER = 3
    CALL = 4
    REPLY = 5
    SECOND_REPLY = 6
    FURTHER = 7
    DECLARE = 8
    LEFTOVERS = 9
    LEAD = 10
    FOLLOW = 11
    OVER = 12


VIEW_NAMES = tuple(view.name.lower().replace("_", " ") for view in View)
(VIEW_CUT, VIEW_CARTE_BLANCHE, VIEW_EXCHANGE_ELDER, VIEW_EXCHANGE_YOUNGER, VIEW_CALL, VIEW_REPLY) = range(6)
(VIEW_SECOND_REPLY, VIEW_FURTHER, VIEW_DECLARE, VIEW_LEFTOVERS, VIEW_LEAD, VIEW_FOLLOW, VIEW_OVER) = range(6, 13)


@inner
def is_first_answer(row: np.void, rules: np.void) -> bool:
    """Return whether elder has led to the first trick and younger has not played: he may declare, turn up, or play."""
    return row["tricks_played"] == 0 and row["led"] >= 0 and row["phase"] < DEAL_OVER


@inner
def hears(row: np.void, rules: np.void, seat: int) -> bool:
    """Return whether `seat` is elder listening to younger's answer to the first lead."""
    return is_first_answer(row, rules) and role_of(row, seat) == ELDER


@inner
def _next_of_elder(category: int) -> tuple[int, int]:
    """Return the view and category of what elder does behind a category: the next call, or the first lead."""
    if category < SET:
        return VIEW_CALL, category + 1
    return VIEW_LEAD, NOBODY


@inner
def _own_view(row: np.void, rules: np.void) -> tuple[int, int]:
    """Return (view, category) for the seat to act; the category is NOBODY outside the dialogue."""
    phase = row["phase"]
    if phase == CUT:
        return VIEW_CUT, NOBODY
    if phase == CARTE_BLANCHE:
        return VIEW_CARTE_BLANCHE, NOBODY
    if phase == EXCHANGE:
        return (VIEW_EXCHANGE_YOUNGER if role_of(row, row["to_act"]) == YOUNGER else VIEW_EXCHANGE_ELDER), NOBODY
    if phase == CALL:
        return VIEW_CALL, row["category"]
    if phase == REPLY:
        return VIEW_REPLY, row["category"]
    if phase == DETAIL_REPLY:
        return VIEW_SECOND_REPLY, row["category"]
    if phase == FURTHER:
        return VIEW_FURTHER, row["category"]
    if phase == DECLARE:
        return VIEW_DECLARE, row["category"]
    if phase == LEFTOVERS:
        return VIEW_LEFTOVERS, NOBODY
    if phase >= DEAL_OVER:
        return VIEW_OVER, NOBODY
    return (VIEW_FOLLOW if row["led"] >= 0 else VIEW_LEAD), NOBODY


@inner
def _other_view(row: np.void, rules: np.void) -> tuple[int, int, int]:
    """Return (view, category, role in turn) for the seat that is not to act."""
    phase, category = row["phase"], row["category"]
    if is_first_answer(row, rules):
        return (VIEW_FOLLOW if row["leftover_state"] == TURNED_UP else VIEW_DECLARE), NOBODY, YOUNGER
    if phase == CARTE_BLANCHE:
        asked_late = row["taken"][ELDER] >= 0
        return (VIEW_EXCHANGE_YOUNGER if asked_late else VIEW_EXCHANGE_ELDER), NOBODY, YOUNGER if asked_late else ELDER
    if phase == FURTHER:
        view, following = _next_of_elder(category)
        return view, following, ELDER
    if phase == DECLARE and (row["status"][category] == PASSED or row["beaten"]):
        # In turn: younger may have nothing (more) to say, and then elder would go on.
        view, following = _next_of_elder(category)
        return view, following, ELDER
    view, following = _own_view(row, rules)
    return view, following, NOBODY if row["to_act"] == NOBODY else role_of(row, row["to_act"])


@inner
def view_of(row: np.void, rules: np.void, seat: int) -> tuple[int, int, int]:
    """Return (view, category, seat in turn) as `seat` sees them; NOBODY where there is none."""
    if row["to_act"] == seat or row["dealer"] == NOBODY:
        view, category = _own_view(row, rules)
        return view, category, row["to_act"]
    view, category, role = _other_view(row, rules)
    return view, category, NOBODY if role == NOBODY else seat_of(row, role)


@inner
def seen_points(row: np.void, rules: np.void, seat: int, role: int, column: int) -> int:
    """Return the points of `role` in a column of the score as `seat` sees them.

    Elder hears of bonuses that rest on younger's silence with younger's first card, when the silence is over.
    """
    points = row["points"][role, column]
    if hears(row, rules, seat):
        if column == COLUMN_BONUS:
            points -= row["held_bonus"][role]
        elif column == COLUMN_ROUGE:
            points -= row["held_rouge"][role]
    return points


@inner
def seen_score(row: np.void, rules: np.void, seat: int, role: int) -> int:
    """Return the running score of `role` in this deal as `seat` sees it."""
    score = 0
    for column in range(8):
        score += seen_points(row, rules, seat, role, column)
    return score


@inner
def _declared_categories(row: np.void, rules: np.void, seat: int) -> int:
    """Return in how many categories, as `seat` sees it, younger can no longer score."""
    if rules["younger_declares"] == 0 and role_of(row, seat) == ELDER:
        return 3 if row["tricks_played"] > 0 else 0
    view, category, _ = view_of(row, rules, seat)
    if view == VIEW_LEAD or view == VIEW_FOLLOW or view == VIEW_LEFTOVERS or view == VIEW_OVER:
        return 3 if rules["younger_declares"] == 1 or row["reckoned"] else 0
    in_dialogue = view == VIEW_CALL or view == VIEW_DECLARE
    if in_dialogue and category != NOBODY and (rules["younger_declares"] == 1 or view == VIEW_DECLARE):
        return category
    return 0


@inner
def is_repique_open(row: np.void, rules: np.void, seat: int, role: int) -> bool:
    """Return whether the record that `seat` sees still allows a repique to `role`; a booked one is no longer open."""
    other = 1 - role
    if row["tricks_played"] > 0 or row["carte_blanche"][other] >= CB_ANNOUNCED:
        return False
    if seen_points(row, rules, seat, role, COLUMN_BONUS):
        return False
    declared = _declared_categories(row, rules, seat)
    mine = row["points"][role, CLASS_CARTE_BLANCHE]
    for category in range(3):
        status = row["status"][category]
        mine += row["points"][role, CLASS_POINT + category]
        if row["points"][other, CLASS_POINT + category] > 0 or status == (TO_ELDER if role == YOUNGER else TO_YOUNGER):
            return False
        if mine >= BONUS_AT:
            return True
        waits = category >= declared and role == YOUNGER and (status == PASSED or status == TO_YOUNGER)
        if status == UNCALLED or waits:
            return True
    return False


@inner
def is_pique_open(row: np.void, rules: np.void, seat: int, role: int) -> bool:
    """Return whether the record that `seat` sees still allows a pique to `role`: no bonus, and nothing against it."""
    if seen_points(row, rules, seat, role, COLUMN_BONUS):
        return False
    waits = row["tricks_played"] == 0 and (row["reckoned"] == 0 or hears(row, rules, seat))
    if role == ELDER and waits:
        if is_actual(rules):
            return row["carte_blanche"][YOUNGER] < CB_ANNOUNCED
        for category in range(3):
            if row["status"][category] == TO_YOUNGER:
                return False
    return towards_pique(row, rules, 1 - role) == 0


NUM_FACTS = 10


@jit
def facts_at(rows: np.ndarray, index: int, rules: np.ndarray, facts: np.ndarray, mask: np.ndarray) -> None:
    """Write what a turn begins with: the plain facts that each seat sees, and the legal actions of the seat to act.

    facts: int64[2, NUM_FACTS], by seat: view, seat in turn, role (2 before the cut is decided), score of the deal,
    totals
           and games of seats 0 and 1, the deal's number
    mask:  int8[num_actions]
    """
    row = rows[index]
    write_mask(row, rules[0], mask.reshape(1, -1), 0)
    for seat in range(2):
        view, _, turn = view_of(row, rules[0], seat)
        facts[seat, 0], facts[seat, 1], facts[seat, 2] = view, turn, 2
        facts[seat, 3], facts[seat, 4] = 0, 0
        if row["dealer"] != NOBODY:
            facts[seat, 2] = role_of(row, seat)
            facts[seat, 3] = seen_score(row, rules[0], seat, role_of(row, 0))
            facts[seat, 4] = seen_score(row, rules[0], seat, role_of(row, 1))
        for other in range(2):
            facts[seat, 5 + other] = row["totals"][other]
            facts[seat, 7 + other] = row["games"][other]
        facts[seat, 9] = row["deal_number"]
