"""Why an action is not legal: what was wrong, the law of docs/rules.md that says so, and what is legal instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .actions import Action, action_table
from .cards import RANKS, SUITS, cards_in, format_card, format_hand, parse_card, pattern_of
from .holdings import item_cards, item_rank
from .state import (
    CALL,
    CARTE_BLANCHE,
    CATEGORY_NAMES,
    CUT,
    DEAD,
    DEAL_OVER,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    EQUAL,
    EXCHANGE,
    FURTHER,
    LEFTOVERS,
    NOBODY,
    PARTIE_OVER,
    PLAY,
    POINT,
    REPLY,
    SEQUENCE,
    SET,
    TO_YOUNGER,
    YOUNGER,
)
from .tables import SEQUENCE_NAMES, SET_NAMES
from .variants import Rules

SUIT_NAMES = dict(zip(SUITS, ("spades", "hearts", "diamonds", "clubs"), strict=True))
RANK_NAMES = dict(zip(RANKS, ("six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"), strict=True))
_ROLES = ("elder", "younger")
_CLAIMS = (CALL, FURTHER, DECLARE)


def explain_refusal(row: np.void, rules: Rules, action: Any) -> str:
    """Return why `action` is refused in the position of `row`: the reason, its law, and the legal actions in words."""
    table = action_table(rules.pack)
    is_id = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    if not is_id or not 0 <= action < len(table):
        return f"{action!r} is not an action: an action is a whole number from 0 to {len(table) - 1}"
    tried = table[action]
    if row["phase"] == PARTIE_OVER:
        return f"the partie is over, so nothing can be done any more; tried '{tried.words}'"
    if row["phase"] == DEAL_OVER:
        return f"the deal is over, and the next one has not begun; tried '{tried.words}'"
    reason, law = _REASONS[int(row["phase"])](_Position(row, rules), tried)
    return f"{reason}; tried '{tried.words}' (law {law}). Legal: {', '.join(legal_words(row, rules.pack))}"


def legal_words(row: np.void, pack: int) -> list[str]:
    """Return the legal actions of a row in words."""
    return [action_table(pack)[action].words for action in legal_ids(row, pack)]


def legal_ids(row: np.void, pack: int) -> list[int]:
    """Return the ids of the legal actions of a row, ascending."""
    cards, words = int(row["legal_cards"]), int(row["legal_words"])
    first = int(row["legal_kind"]) * pack
    ids = [first + card for card in range(pack) if cards >> card & 1]
    return ids + [3 * pack + word for word in range(words.bit_length()) if words >> word & 1]


Reason = tuple[str, int]


class _Position:
    """What the reasons speak of: the row, the rules, and the role that is to act."""

    def __init__(self, row: np.void, rules: Rules) -> None:
        self.row = row
        self.rules = rules
        self.ranks = rules.ranks
        self.role = YOUNGER if row["to_act"] == row["dealer"] else ELDER
        self.name = _ROLES[self.role] if row["dealer"] != NOBODY else f"seat {row['to_act']}"
        self.category = int(row["category"])
        self.hand = int(row["hands"][self.role])

    def held(self, cards: int) -> str:
        """Return cards as text, without empty suits."""
        return " ".join(suit for suit in format_hand(cards, self.ranks).split() if not suit.endswith(":-"))

    def card(self, tried: Action) -> int:
        """Return the card that an action names."""
        return parse_card(tried.operand, self.ranks)

    def call(self) -> str:
        """Return elder's call in words."""
        length, rank = int(self.row["call_length"][self.category]), int(self.row["call_rank"][self.category])
        if self.category == POINT:
            return f"point of {length}"
        if self.category == SET:
            return f"{SET_NAMES[length]} of {RANK_NAMES[RANKS[rank]]}s"
        return SEQUENCE_NAMES[length]


# -- before the calls -------------------------------------------------------------------------------------------------


def _reason_cut(at: _Position, tried: Action) -> Reason:
    return f"{at.name} has won the cut and chooses who deals first", 5


def _reason_carte_blanche(at: _Position, tried: Action) -> Reason:
    return f"{at.name} holds a carte blanche and first says whether it is claimed", 8


def _reason_exchange(at: _Position, tried: Action) -> Reason:
    law = 14 if at.role == ELDER else 16
    pending = int(at.row["pending"])
    if tried.kind == "draw":
        return f"{at.name} lays out at least one card before drawing", law
    if tried.kind in ("carte blanche", "silent"):
        return f"{at.name} is not asked about a carte blanche now", 8
    if tried.kind != "discard":
        return f"{at.name} is exchanging", 6
    card = at.card(tried)
    if not at.hand >> card & 1:
        return f"{at.name} does not hold {tried.operand}, but {at.held(at.hand)}", law
    if pending >> card & 1:
        return f"{at.name} has laid out {tried.operand} already", law
    laid_out = cards_in(pending, at.ranks)
    if laid_out and card < laid_out[-1]:
        return f"discards are named in ascending order, and {format_card(laid_out[-1], at.ranks)} is laid out", law
    return f"{at.name} has laid out {len(laid_out)} cards, as many as may be exchanged", law


# -- the dialogue -----------------------------------------------------------------------------------------------------


def _reason_claim(at: _Position, tried: Action) -> Reason:
    if at.row["composing"]:
        return _reason_composing(at, tried)
    category = CATEGORY_NAMES[at.category]
    if tried.kind == "done":
        return _reason_done(at)
    if tried.kind == "withhold":
        if at.rules.sinking == "partial":
            return "a card is withheld from a claim that has been chosen, and none has", 36
        return "cards are withheld only with sinking='partial'", 36
    if tried.kind == category:
        return _reason_item(at, tried)
    doing = {CALL: f"{at.name} is calling the {category}", FURTHER: f"{at.name} may add to the {category}"}
    said = doing.get(int(at.row["phase"]), f"{at.name} first declares in the category {category}")
    return said, 30 if at.row["phase"] == DECLARE else 23


def _reason_done(at: _Position) -> Reason:
    if at.row["status"][at.category] == DEAD:
        return "several claims equal the call, and younger names one of them", 40
    return f'younger said "not good" and has still to claim something that beats the {at.call()}', 31


def _reason_item(at: _Position, tried: Action) -> Reason:
    """Tell why a point, sequence or set of the right category may not be chosen."""
    item = tried.id - next(action.id for action in action_table(at.rules.pack) if action.kind == tried.kind)
    cards = int(item_cards(at.category, item, at.hand, at.ranks))
    size = len(cards_in(cards, at.ranks))
    missing = _reason_not_held(at, tried, cards, size)
    if missing is not None:
        return missing
    phase, status = int(at.row["phase"]), int(at.row["status"][at.category])
    if at.category != POINT and item <= at.row["last_item"]:
        return "further claims come in ascending order, and a higher one has been made", 28
    if cards & int(at.row["used"]):
        return f"{at.held(cards)} has served in a claim, and each run or rank serves in one", 36
    if phase == FURTHER:
        return f"{_named(at, item, cards)} is superior to the {at.call()} called, and was sunk by it", 38
    if phase == DECLARE and status == DEAD:
        return f"{at.held(cards)} cannot equal the call", 40
    if phase == DECLARE and status == TO_YOUNGER:
        length = int(at.row["call_length"][at.category])
        if at.row["reply"][at.category] == EQUAL and size > length:
            return f'younger said "equal" and can claim nothing longer than {length} cards', 32
        return f'younger said "not good", and behind this claim nothing could beat the {at.call()}', 31
    return f"{at.held(cards)} cannot be claimed now", 23


def _named(at: _Position, item: int, cards: int) -> str:
    size = min(len(cards_in(cards, at.ranks)), 9)
    name = SEQUENCE_NAMES[size] if at.category == SEQUENCE else SET_NAMES[size]
    rank = RANKS[int(item_rank(at.category, item, cards, at.ranks))]
    return f"{name} {at.held(cards)}" if at.category == SEQUENCE else f"{name} of {RANK_NAMES[rank]}s"


def _reason_not_held(at: _Position, tried: Action, cards: int, size: int) -> Reason | None:
    """Tell what is missing in the hand for a claim; None if nothing is."""
    partial = at.rules.sinking == "partial"
    if at.category == POINT:
        suits = [int(pattern_of(at.hand, suit, at.ranks)).bit_count() for suit in range(4)]
        if partial:
            return (
                (f"a point keeps three cards or more, and {at.name} holds {size} of this suit", 36)
                if size < 3
                else None
            )
        if size == max(suits):
            return None
        return f"the point is a longest suit, of {max(suits)} cards, and {at.name} holds {size} of this one", 35
    if at.category == SEQUENCE:
        suit, top = SUIT_NAMES[tried.operand[0]], RANK_NAMES[tried.operand[1]]
        if size < 3:
            return f"{at.name} holds no sequence of {suit} to the {top}, but {at.held(at.hand)}", 20
        above = parse_card(tried.operand, at.ranks) + 1
        if not partial and above % at.ranks and at.hand >> above & 1:
            return f"a sequence is claimed at its full run, and {at.name} holds {format_card(above, at.ranks)} too", 35
        return None
    if RANKS.index(tried.operand) < RANKS.index(at.rules.sets_from):
        return f"sets count from the {RANK_NAMES[at.rules.sets_from]}s up", 21
    if size < 3:
        held = at.held(cards) or "none"
        return f"a set is three or four of a rank, and {at.name} holds {held} of the {RANK_NAMES[tried.operand]}s", 21
    return None


def _reason_composing(at: _Position, tried: Action) -> Reason:
    """Tell why a claim that is being put together does not go on so."""
    composing = int(at.row["composing"])
    claim = at.held(composing)
    if tried.kind == "done":
        return f"{claim} is no lawful claim yet, so something must be withheld", 38 if at.row[
            "phase"
        ] == FURTHER else 36
    if tried.kind != "withhold":
        return f"{at.name} is putting {claim} together: a card is withheld, or 'done' speaks it", 36
    card = at.card(tried)
    if not composing >> card & 1:
        return f"{tried.operand} is not among {claim}", 36
    if card <= at.row["withheld_to"]:
        withheld = format_card(int(at.row["withheld_to"]), at.ranks)
        return f"cards are withheld in ascending order, and {withheld} has been", 36
    if at.category == SEQUENCE and composing & ((1 << card) - 1):
        return f"a sequence is shortened from below, and {claim} goes further down", 36
    return f"without {tried.operand} no lawful claim would be left of {claim}", 36


def _reason_reply(at: _Position, tried: Action) -> Reason:
    second = at.row["phase"] == DETAIL_REPLY
    law = 26 if second else 25
    call = at.call()
    if tried.kind == "equal":
        if at.category == SET:
            return "a set is never equal, for a rank has only four cards", 25
        return f"{at.name} holds nothing that equals the {call}{' in pips or top' if second else ''}", law
    if tried.kind == "not good":
        better = "as long with more pips or a higher top" if second else "better"
        return f"{at.name} holds nothing that is {better}: elder called a {call}", law
    return f"elder has called a {call}, and {at.name} replies", 25


# -- the play ---------------------------------------------------------------------------------------------------------


def _reason_leftovers(at: _Position, tried: Action) -> Reason:
    return f"{at.name} first turns up the cards left in the talon, or leaves them", 18


def _reason_play(at: _Position, tried: Action) -> Reason:
    if tried.kind != "play":
        return f"{at.name} is to play a card", 6
    card = at.card(tried)
    if not at.hand >> card & 1:
        return f"{at.name} does not hold {tried.operand}, but {at.held(at.hand)}", 52
    suit = int(at.row["led"]) // at.ranks
    in_suit = at.hand & ((1 << at.ranks) - 1) << suit * at.ranks
    return f"{at.name} must follow {SUIT_NAMES[SUITS[suit]]} and holds {at.held(in_suit)}", 52


_REASONS: dict[int, Callable[[_Position, Action], Reason]] = {
    CUT: _reason_cut,
    CARTE_BLANCHE: _reason_carte_blanche,
    EXCHANGE: _reason_exchange,
    **dict.fromkeys(_CLAIMS, _reason_claim),
    REPLY: _reason_reply,
    DETAIL_REPLY: _reason_reply,
    PLAY: _reason_play,
    LEFTOVERS: _reason_leftovers,
}
