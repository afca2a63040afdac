"""The play of a deal as rows of the game, one for each hand that the other can hold, from what a seat has seen.

A row is put at elder's first lead, or behind younger's declarations, and the cards are played on from there. What a
seat cannot know and what nobody asks for behind that point stays out: which cards the other drew is made up, and his
claims count as far as he has shown them. The own seat is seat 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import cards_in, rank_of
from piquet_env.rules.play import apply, deal_next, find_legal
from piquet_env.rules.start import Start, begin_rows
from piquet_env.rules.state import (
    CATEGORY_NAMES,
    CB_ANNOUNCED,
    CB_SHOWN,
    CB_SILENT,
    COLUMN_BONUS,
    COLUMN_PLAY,
    DEAD,
    ELDER,
    LEFT_DOWN,
    PASSED,
    PLAY,
    POINT,
    SEQUENCE,
    SET,
    STATE_DTYPE,
    TO_ELDER,
    TO_YOUNGER,
    TURNED_UP,
    UNCALLED,
    YOUNGER,
)
from piquet_env.rules.tables import BONUS_AT, PIQUE, REPIQUE
from piquet_env.rules.variants import Rules

from .jit import jit
from .seen import Seen
from .terms import codes_of

_STATUS = (UNCALLED, PASSED, DEAD)
_HAND_COLUMNS = 4  # carte blanche, point, sequence and set stand first among the columns of the score

Masks = npt.NDArray[np.int64]


def can_rebuild(rules: Rules) -> bool:
    """Return whether rows can be rebuilt: younger declares behind the lead, shows it, and it ends nothing."""
    return (
        rules.form == "rubicon"
        and rules.younger_declares == "after_lead"
        and rules.show_scored == "auto"
        and rules.bonus_order == "fixed"
        and rules.sinking != "partial"
        and rules.carte_rouge == 0
    )


@dataclass(frozen=True, slots=True)
class Record:
    """The cards played so far, in order: the role that played each, and the card."""

    roles: tuple[int, ...]
    cards: tuple[int, ...]

    @classmethod
    def of(cls, seen: Seen) -> Record:
        """Return the record of the deal that a seat has seen, the card on the table included."""
        facts = seen.facts
        own, other = _by_trick(facts["own_trick"]), _by_trick(facts["other_trick"])
        roles: list[int] = []
        cards: list[int] = []
        for trick in range(1, max([*own, *other], default=0) + 1):
            leads = bool(facts["tricks_led"][trick - 1])
            for role, played in ((seen.role, own), (1 - seen.role, other))[:: 1 if leads else -1]:
                if trick in played:
                    roles.append(role)
                    cards.append(played[trick])
        return cls(tuple(roles), tuple(cards))


def _by_trick(block: npt.NDArray[np.int64]) -> dict[int, int]:
    """Return the card played to each trick, by the trick's number."""
    return {int(block[card]): int(card) for card in np.flatnonzero(block)}


class Moment(NamedTuple):
    """A moment of a deal that a seat has seen: elder's first lead, or that behind it and younger's declarations."""

    seen: Seen
    record: Record
    before_lead: bool

    @property
    def own(self) -> int:
        """The role of the seat."""
        return self.seen.role

    @property
    def played(self) -> tuple[int, int]:
        """The cards that are played behind the moment, the first lead included, by role; masks."""
        own, other = self.seen.mask("own_trick"), self.seen.mask("other_trick")
        return (own, other) if self.own == ELDER else (other, own)

    def status(self, category: int) -> int:
        """Return the Status of a category; the observation has 3 for the seat's own and 4 for the other's."""
        found = int(self.seen.facts["status"][5 * category : 5 * category + 5].argmax())
        if found < len(_STATUS):
            return _STATUS[found]
        owner = self.own if found == 3 else 1 - self.own
        return TO_ELDER if owner == ELDER else TO_YOUNGER

    def claimed(self, role: int, category: int) -> int:
        """Return the cards that a role has claimed by then, as far as the seat knows."""
        if role == YOUNGER and self.before_lead:
            return 0
        return self.seen.mask(("own_" if role == self.own else "other_") + CATEGORY_NAMES[category])

    def shown(self, role: int, category: int) -> int:
        """Return those that both know."""
        is_public = role == YOUNGER or self.status(category) in (TO_ELDER, DEAD)
        return self.claimed(role, category) if is_public else 0


def rebuild(seen: Seen, hands: Masks, record: Record, *, before_lead: bool) -> np.ndarray:
    """Return a row a hand, STATE_DTYPE[W]: at elder's first lead, or behind it and younger's declarations.

    hands:  int64[W], the other's hand now
    record: of the deal; behind the lead it holds one card at least
    """
    moment = Moment(seen, record, before_lead)
    rows = _dealt(seen, len(hands))
    row = rows[0]
    row["phase"], row["to_act"] = PLAY, 0 if seen.role == ELDER else 1
    _write_exchange(row, moment)
    _write_dialogue(row, moment)
    _write_known(row, moment)
    _write_scored(row, moment)
    _write_points(row, moment)
    if not before_lead:
        _write_lead(row, moment)
    rows[1:] = row
    _write_worlds(rows, moment, hands)
    find_all_legal(rows, codes_of(seen.rules))
    return rows


def _write_exchange(row: np.void, moment: Moment) -> None:
    """Write the own cards, and what has been said of the exchange and of cartes blanches."""
    seen, own, other = moment.seen, moment.own, 1 - moment.own
    row["dealt"][own] = seen.mask("dealt")
    row["hands"][own] = seen.mask("hand") | moment.played[own]
    row["discards"][own] = seen.mask("discards")
    row["taken"][own], row["taken"][other] = seen.facts["own_taken"][0] - 1, seen.facts["other_taken"][0] - 1
    row["drawn"] = 1
    for role, block, first in ((own, "own_carte_blanche", CB_SILENT), (other, "other_carte_blanche", CB_ANNOUNCED)):
        if seen.facts[block].any():
            row["carte_blanche"][role] = first + int(seen.facts[block].argmax())


def _write_dialogue(row: np.void, moment: Moment) -> None:
    """Write calls, replies and claims."""
    facts = moment.seen.facts
    row["call_length"] = facts["call_length"]
    for category in range(3):
        row["status"][category] = moment.status(category)
        rank = int(facts["call_rank"][category])
        row["call_rank_said"][category] = rank > 0
        row["call_rank"][category] = max(rank - (1 if category else 0), 0)
        for block in ("reply", "second_reply"):
            replies = facts[block][3 * category : 3 * category + 3]
            row[block][category] = 1 + int(replies.argmax()) if replies.any() else 0
        for role in range(2):
            row["claimed"][role, category] = moment.claimed(role, category)
            row["shown"][role, category] = moment.shown(role, category)


def _write_known(row: np.void, moment: Moment) -> None:
    """Write which cards of a hand the other knows: those known now and in the hand then, and those played since."""
    seen, own = moment.seen, moment.own
    for role in range(2):
        shown = int(np.bitwise_or.reduce(row["shown"][role]))
        if row["carte_blanche"][role] == CB_SHOWN:
            shown |= seen.mask("dealt" if role == own else "other_dealt")
        if role == YOUNGER and own == ELDER:
            shown |= seen.mask("talon_seen")
        now = seen.mask("own_known" if role == own else "other_known")
        if role == YOUNGER and moment.before_lead:
            later = Moment(seen, moment.record, before_lead=False)
            now &= ~(later.claimed(role, 0) | later.claimed(role, 1) | later.claimed(role, 2)) | shown
        held = now | moment.played[role]
        row["known"][role] = held & (now | shown)


def _write_lead(row: np.void, moment: Moment) -> None:
    """Put the row behind the first lead and the declarations: younger is to play."""
    card = moment.record.cards[0]
    row["declared"] = 1
    row["reckoned"] = 1
    row["led"] = card
    row["lead_cards"][0] = card
    row["to_act"] = 0 if moment.own == YOUNGER else 1
    row["played"][ELDER] = 1 << card
    row["hands"][ELDER] &= ~(1 << card)
    row["known"][ELDER] &= ~(1 << card)


def _dealt(seen: Seen, worlds: int) -> np.ndarray:
    """Return rows that are cleared for the deal, with the partie's facts."""
    rules = seen.rules
    units, hundreds = seen.facts["deal_number"].tolist()
    start = Start(totals=seen.totals, deal_number=units + 100 * hundreds, dealer=1 if seen.role == ELDER else 0)
    flat = begin_rows(rules, codes_of(rules), start)
    rows = np.tile(flat, (worlds, 1)).view(STATE_DTYPE)[:, 0]
    deal_any(rows, codes_of(rules), np.arange(rules.pack, dtype=np.int8))
    return rows


def _write_scored(row: np.void, moment: Moment) -> None:
    """Write what is publicly known of scored combinations."""
    facts = moment.seen.facts
    scored = [not moment.before_lead or moment.status(category) == TO_ELDER for category in range(3)]
    if scored[POINT]:
        row["point_scored"] = facts["point_scored"]
    if scored[SEQUENCE]:
        lengths, tops = facts["sequences_scored"][::2], facts["sequences_scored"][1::2]
        row["sequences_scored"] = np.where(lengths > 0, 16 * lengths + tops - 1, 0)
    if scored[SET]:
        row["sets_scored"] = facts["sets_scored"]


def _write_points(row: np.void, moment: Moment) -> None:
    """Write the points booked by then: of the bonuses a repique, and a pique that the first lead has made."""
    seen, points = moment.seen, row["points"]
    for role in range(2):
        seen_now = seen.facts["own_points" if role == moment.own else "other_points"]
        points[role, :_HAND_COLUMNS] = seen_now[:_HAND_COLUMNS]
        row["has_repique"][role] = seen_now[COLUMN_BONUS] == REPIQUE
    if moment.before_lead:
        points[YOUNGER, 1:_HAND_COLUMNS] = 0
        row["has_repique"][YOUNGER] = 0
        row["has_repique"][ELDER] &= _shows_repique(row)
    elif rank_of(moment.record.cards[0], seen.rules.ranks) >= codes_of(seen.rules)["lead_point_min_rank"][0]:
        points[ELDER, COLUMN_PLAY] = 1
    reached = points[:, :_HAND_COLUMNS].sum(axis=1) + points[:, COLUMN_PLAY]
    for role in range(2):
        points[role, COLUMN_BONUS] = REPIQUE * row["has_repique"][role]
        if reached[role] >= BONUS_AT and reached[1 - role] == 0 and not row["has_repique"][role]:
            if not moment.before_lead:
                row["has_pique"][role] = 1
                points[role, COLUMN_BONUS] = PIQUE
    row["score"] = points.sum(axis=1)


def _shows_repique(row: np.void) -> int:
    """Return 1 where the record shows elder's repique before younger declares, as scoring.py books it."""
    if row["carte_blanche"][YOUNGER] >= CB_ANNOUNCED:
        return 0
    mine = int(row["points"][ELDER, 0])
    for category in range(3):
        if row["status"][category] not in (TO_ELDER, DEAD):
            return 0
        mine += int(row["points"][ELDER, 1 + category])
        if mine >= BONUS_AT:
            return 1
    return 0


def _write_worlds(rows: np.ndarray, moment: Moment, hands: Masks) -> None:
    """Write what differs between the worlds: the other's hand of twelve, his discards, and what is left over."""
    seen = moment.seen
    rules, facts, other = seen.rules, seen.facts, 1 - seen.role
    hands = hands | moment.played[other]
    lead = 0 if moment.before_lead or other == YOUNGER else 1 << moment.record.cards[0]
    located = seen.mask("hand") | seen.mask("own_trick") | seen.mask("discards")
    left_seen = seen.mask("talon_seen")
    turned_up = seen.mask("leftovers")
    taken = int(facts["other_taken"][0]) - 1
    elder_taken = int((facts["own_taken"] if seen.role == ELDER else facts["other_taken"])[0]) - 1
    left = rules.pack - 24 - taken - (int(facts["own_taken"][0]) - 1)
    shown_dealt = seen.mask("other_dealt")
    rows["hands"][:, other] = hands & ~lead
    hidden = ((1 << rules.pack) - 1) & ~(located | hands)
    thrown = np.empty_like(hands)
    drawn = np.empty_like(hands)
    lowest_cards(hidden & ~(turned_up | left_seen), taken, thrown)
    lowest_cards(hands & ~shown_dealt, taken, drawn)
    rows["discards"][:, other] = thrown
    rows["dealt"][:, other] = shown_dealt or thrown | hands & ~drawn
    if left:
        rows["leftovers"] = hidden & ~thrown
        if not moment.before_lead:
            rows["leftover_state"] = TURNED_UP if turned_up else LEFT_DOWN
    if elder_taken < int(rules.elder_max or 0):
        for row in rows:
            _write_talon(row, seen, elder_taken)


def _write_talon(row: np.void, seen: Seen, elder_taken: int) -> None:
    """Write which cards elder has seen and left: his own places, or any cards that lie so."""
    places = range(elder_taken, int(seen.rules.elder_max or 0))
    if seen.role == ELDER:
        for card in seen.cards("talon_seen"):
            row["talon"][int(seen.facts["talon_seen"][card]) - 1] = card
        return
    mine = seen.mask("hand") | seen.mask("own_trick")
    fitting = cards_in(mine & ~seen.mask("dealt") | int(row["leftovers"]), seen.rules.ranks)
    known = [card for card in fitting if seen.mask("own_known") >> card & 1]
    for place, card in zip(places, known + [card for card in fitting if card not in known], strict=False):
        row["talon"][place] = card


@jit
def lowest_cards(masks: np.ndarray, number: int, lowest: np.ndarray) -> None:
    """Write the lowest `number` cards of each mask, or all where there are fewer."""
    for index in range(masks.shape[0]):
        rest = masks[index]
        for _ in range(number):
            rest &= rest - 1
        lowest[index] = masks[index] & ~rest


@jit
def deal_any(rows: np.ndarray, rules: np.ndarray, deck: np.ndarray) -> None:
    """Begin the deal in rows that wait for it, with any cards."""
    for index in range(rows.shape[0]):
        deal_next(rows[index], rules[0], deck)


@jit
def find_all_legal(rows: np.ndarray, rules: np.ndarray) -> None:
    """Write the legal actions into the rows."""
    for index in range(rows.shape[0]):
        find_legal(rows[index], rules[0])


@jit
def play_card(rows: np.ndarray, rules: np.ndarray, card: int) -> None:
    """Play one card in all rows, in which it is legal."""
    for index in range(rows.shape[0]):
        apply(rows[index], rules[0], card)
