"""The play of a deal as rows of the game, one for each hand that the other can hold, from what a seat has seen.

A row is put at elder's first lead, or behind younger's declarations, and the cards are played on from there. What a
seat cannot know and what nobody asks for behind that point stays out: which cards the other drew is made up, and his
claims count as far as he has shown them. The own seat is seat 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piquet_env.rules.cards import cards_in, rank_of
from piquet_env.rules.play import apply, deal_next, find_legal
from piquet_env.rules.start import Start, begin_rows
from piquet_env.rules.state import (
    COLUMN_BONUS,
    COLUMN_PLAY,
    DEAD,
    ELDER,
    LEFT_DOWN,
    PASSED,
    PLAY,
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

_CATEGORIES = ("point", "sequence", "set")
_STATUS = (UNCALLED, PASSED, DEAD)
_HAND_COLUMNS = 4  # carte blanche, point, sequence and set stand first among the columns of the score

Masks = npt.NDArray[np.int64]


def can_rebuild(rules: Rules) -> bool:
    """Return whether rows can be rebuilt: what younger declares comes behind the lead, is shown whole and ends nothing."""
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


def rebuild(seen: Seen, hands: Masks, record: Record, *, before_lead: bool) -> np.ndarray:
    """Return a row a hand, STATE_DTYPE[W]: at elder's first lead, or behind it and younger's declarations.

    hands:  int64[W], the other's hand now
    record: of the deal; behind the lead it holds one card at least
    """
    rules, facts = seen.rules, seen.facts
    own, other = seen.role, 1 - seen.role
    rows = _dealt(seen, len(hands))
    row = rows[0]
    status = [_status(seen, category) for category in range(3)]
    own_played, other_played = seen.mask("own_trick"), seen.mask("other_trick")
    hands_ever = seen.mask("other_known") | other_played
    row["phase"], row["to_act"] = PLAY, 0 if own == ELDER else 1
    row["dealt"][own] = seen.mask("dealt")
    row["hands"][own] = seen.mask("hand") | own_played
    row["discards"][own] = seen.mask("discards")
    row["taken"][own], row["taken"][other] = facts["own_taken"][0] - 1, facts["other_taken"][0] - 1
    row["drawn"] = 1
    if facts["own_carte_blanche"].any():
        row["carte_blanche"][own] = 1 + int(facts["own_carte_blanche"].argmax())
    if facts["other_carte_blanche"].any():
        row["carte_blanche"][other] = 2 + int(facts["other_carte_blanche"].argmax())
    row["known"][own] = seen.mask("own_known")
    row["known"][other] = seen.mask("other_known")
    row["status"] = status
    row["call_length"] = facts["call_length"]
    for category, name in enumerate(_CATEGORIES):
        rank = int(facts["call_rank"][category])
        row["call_rank_said"][category] = rank > 0
        row["call_rank"][category] = max(rank - (1 if category else 0), 0)
        for block in ("reply", "second_reply"):
            replies = facts[block][3 * category : 3 * category + 3]
            row[block][category] = 1 + int(replies.argmax()) if replies.any() else 0
        claims = {own: seen.mask("own_" + name), other: seen.mask("other_" + name)}
        for role in range(2):
            if role == YOUNGER and before_lead:
                continue
            row["claimed"][role, category] = claims[role]
            is_public = role == YOUNGER or role == other or status[category] in (TO_ELDER, DEAD)
            row["shown"][role, category] = claims[role] if is_public else 0
    for role, played in ((own, own_played), (other, other_played)):
        shown = int(np.bitwise_or.reduce(row["shown"][role]))
        if row["carte_blanche"][role] == 3:
            shown |= int(row["dealt"][role]) if role == own else seen.mask("other_dealt")
        row["known"][role] |= shown & played
        if role == YOUNGER and before_lead:
            declared = seen.mask("own_point") | seen.mask("own_sequence") | seen.mask("own_set")
            if role == other:
                declared = seen.mask("other_point") | seen.mask("other_sequence") | seen.mask("other_set")
            row["known"][role] &= ~declared
    if own == ELDER:
        row["known"][YOUNGER] |= seen.mask("talon_seen") & hands_ever
    _write_scored(row, seen, status, before_lead)
    _write_points(row, seen, status, before_lead, record)
    if not before_lead:
        lead = 1 << record.cards[0]
        row["declared"] = 1
        row["reckoned"] = 1
        row["led"] = record.cards[0]
        row["lead_cards"][0] = record.cards[0]
        row["to_act"] = 0 if own == YOUNGER else 1
        row["played"][ELDER] = lead
        row["hands"][ELDER] &= ~lead
        row["known"][ELDER] &= ~lead
    rows[1:] = row
    _write_worlds(rows, seen, hands | other_played, before_lead, record)
    find_all_legal(rows, codes_of(rules))
    return rows


def _dealt(seen: Seen, worlds: int) -> np.ndarray:
    """Return rows that are cleared for the deal, with the partie's facts."""
    rules = seen.rules
    units, hundreds = seen.facts["deal_number"].tolist()
    start = Start(totals=seen.totals, deal_number=units + 100 * hundreds, dealer=1 if seen.role == ELDER else 0)
    flat = begin_rows(rules, codes_of(rules), start)
    rows = np.tile(flat, (worlds, 1)).view(STATE_DTYPE)[:, 0]
    deal_any(rows, codes_of(rules), np.arange(rules.pack, dtype=np.int8))
    return rows


def _status(seen: Seen, category: int) -> int:
    """Return the Status of a category; the observation has 3 for the own seat's and 4 for the other's."""
    found = int(seen.facts["status"][5 * category : 5 * category + 5].argmax())
    if found < len(_STATUS):
        return _STATUS[found]
    owner = seen.role if found == 3 else 1 - seen.role
    return TO_ELDER if owner == ELDER else TO_YOUNGER


def _write_scored(row: np.void, seen: Seen, status: list[int], before_lead: bool) -> None:
    """Write what is publicly known of scored combinations."""
    facts = seen.facts
    if not before_lead or status[0] == TO_ELDER:
        row["point_scored"] = facts["point_scored"]
    if not before_lead or status[1] == TO_ELDER:
        lengths, tops = facts["sequences_scored"][::2], facts["sequences_scored"][1::2]
        row["sequences_scored"] = np.where(lengths > 0, 16 * lengths + tops - 1, 0)
    if not before_lead or status[2] == TO_ELDER:
        row["sets_scored"] = facts["sets_scored"]


def _write_points(row: np.void, seen: Seen, status: list[int], before_lead: bool, record: Record) -> None:
    """Write the points booked by then: of the bonuses a repique, and a pique that the first lead has made."""
    for role, block in ((seen.role, "own_points"), (1 - seen.role, "other_points")):
        points = seen.facts[block]
        row["points"][role, :_HAND_COLUMNS] = points[:_HAND_COLUMNS]
        row["has_repique"][role] = points[COLUMN_BONUS] == REPIQUE
    if before_lead:
        row["points"][YOUNGER, 1:_HAND_COLUMNS] = 0
        row["has_repique"][YOUNGER] = 0
        row["has_repique"][ELDER] &= _is_certain(row, status)
    elif rank_of(record.cards[0], seen.rules.ranks) >= codes_of(seen.rules)["lead_point_min_rank"][0]:
        row["points"][ELDER, COLUMN_PLAY] = 1
    in_hand = row["points"][:, :_HAND_COLUMNS].sum(axis=1) + row["points"][:, COLUMN_PLAY]
    for role in range(2):
        row["points"][role, COLUMN_BONUS] = REPIQUE * row["has_repique"][role]
        reached = in_hand[role] >= BONUS_AT and in_hand[1 - role] == 0 and not row["has_repique"][role]
        if reached and not before_lead:
            row["has_pique"][role] = 1
            row["points"][role, COLUMN_BONUS] = PIQUE
    row["score"] = row["points"].sum(axis=1)


def _is_certain(row: np.void, status: list[int]) -> int:
    """Return 1 where the record shows elder's repique before younger declares."""
    mine = int(row["points"][ELDER, 0])
    if row["carte_blanche"][YOUNGER] >= 2:
        return 0
    for category in range(3):
        if status[category] not in (TO_ELDER, DEAD):
            return 0
        mine += int(row["points"][ELDER, 1 + category])
        if mine >= BONUS_AT:
            return 1
    return 0


def _write_worlds(rows: np.ndarray, seen: Seen, hands: Masks, before_lead: bool, record: Record) -> None:
    """Write what differs between the worlds: the other's hand of twelve, his discards, and what is left over."""
    rules, facts = seen.rules, seen.facts
    other = 1 - seen.role
    lead = 0 if before_lead or other == YOUNGER else 1 << record.cards[0]
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
        if not before_lead:
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
