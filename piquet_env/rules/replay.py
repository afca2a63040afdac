"""`Replay`: one row of state led through a partie step by step, for the text form of deals.

Under sinking='none' the dialogue of a game runs by itself. A replay speaks it word by word, so that it can be written
and checked like any other: it plays under sinking='combination', and `forced` is the one word that 'none' allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from .actions import first_id
from .explain import legal_ids
from .holdings import best_item, item_cards
from .play import apply_at, deal_at, is_dialogue, settlement_at
from .start import Start, begin_rows, deck_at
from .state import (
    CALL,
    CLASS_NAMES,
    DEAL_OVER,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    NOBODY,
    POINT,
    REPLY,
    STATE_DTYPE,
    YOUNGER,
    entry_class,
    entry_points,
    entry_role,
    entry_time,
)
from .variants import Rules

ROLES = ("elder", "younger")


class Replay:
    """A partie being played again: `row` is its state, `actions` the decisions that the rules have asked for so far."""

    def __init__(self, rules: Rules, start: Start) -> None:
        self.rules = rules
        self.start = start
        self.actions: list[int] = []
        self._runs_itself = rules.sinking == "none"
        self.spoken_rules = rules.replace(sinking="combination") if self._runs_itself else rules
        self._codes = self.spoken_rules.codes()
        self._rows = begin_rows(rules, self._codes, start).view(STATE_DTYPE)
        self.row = self._rows[0]

    @property
    def phase(self) -> int:
        """The phase of the row."""
        return int(self.row["phase"])

    @property
    def role(self) -> int:
        """The role that is to act; NOBODY between deals, at the end, and before the cut is decided."""
        if self.row["to_act"] == NOBODY or self.row["dealer"] == NOBODY:
            return NOBODY
        return YOUNGER if self.row["to_act"] == self.row["dealer"] else ELDER

    @property
    def waits_for_deal(self) -> bool:
        """Whether the next deal is to be dealt."""
        return self.phase == DEAL_OVER

    def deal(self) -> None:
        """Deal the next deal."""
        deal_at(self._rows, 0, self._codes, deck_at(self.rules, self.start, int(self.row["deal_number"]) + 1))

    def apply(self, action: int) -> bool:
        """Apply a decision, or the word that is forced; return False, with nothing changed, if it is not legal."""
        by_itself = self.forced is not None
        if by_itself and action != self.forced:
            return False
        if apply_at(self._rows, 0, self._codes, action) < 0:
            return False
        if not by_itself:
            self.actions.append(action)
        return True

    @property
    def forced(self) -> int | None:
        """Under sinking='none', the word that the dialogue speaks by itself (law 37); None outside it."""
        if not self._runs_itself or not is_dialogue(self.phase):
            return None
        legal = legal_ids(self.row, self.rules.pack)
        if self.phase in (REPLY, DETAIL_REPLY):
            return legal[-1]  # the truth: "not good" comes behind "equal", and that behind "good"
        category = int(self.row["category"])
        done = first_id("done", self.rules.pack)
        claims = [action for action in legal if action != done]
        if claims and (self.phase == CALL or category == POINT):
            lowest_set = int(self._codes["sets_from"][0])
            item = best_item(category, self.hand(self.role), self.rules.ranks, lowest_set)
            best = self.choice(category, item)
            return best if best in claims else claims[0]
        return claims[0] if claims else done

    def hand(self, role: int) -> int:
        """Return the mask of the cards in hand."""
        return int(self.row["hands"][role])

    def cards_of(self, category: int, item: int, hand: int) -> int:
        """Return the mask of all cards of an item (suit, sequence, set) in a hand."""
        return int(item_cards(category, item, hand, self.rules.ranks))

    def settlement(self) -> int:
        """Return what the partie, which is over, pays to seat 0."""
        return int(settlement_at(self._rows, 0, self._codes))

    def choice(self, category: int, item: int) -> int:
        """Return the action that chooses an item."""
        return first_id(("point", "sequence", "set")[category], self.rules.pack) + item

    def is_claim_in(self, category: int, role: int) -> bool:
        """Whether `role` is to call, add or declare in a category."""
        claims = is_dialogue(self.phase) and self.phase not in (REPLY, DETAIL_REPLY)
        return bool(claims and self.row["category"] == category and self.role == role)

    def is_declaring(self) -> bool:
        """Whether younger is declaring."""
        return self.phase == DECLARE

    def log(self) -> list[tuple[int, int, str]]:
        """Return the entries (role, points, class) of the deal in the order of reckoning."""
        entries = sorted(self.row["log"][: self.row["log_size"]].tolist(), key=entry_time)
        return [(int(entry_role(e)), int(entry_points(e)), CLASS_NAMES[entry_class(e)]) for e in entries]

    def talon(self, first: int, end: int | None = None) -> list[int]:
        """Return cards of the talon as dealt, by their places in the drawing order."""
        cards: Sequence[int] = self.row["talon"][: self.rules.pack - 24].tolist()
        return list(cards[first:end])
