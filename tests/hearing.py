"""What each seat has seen and heard in one deal, by the laws of docs/rules.md and without the code under test.

`Hearing` follows the decisions of both seats. It reads nothing of the engine but its phases and its points for carte
rouge, and shares no code with the observation.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from piquet_env.game import Game
from piquet_env.rules.actions import Action, action_table
from piquet_env.rules.state import DEAL_OVER, Phase
from piquet_env.rules.variants import Rules

ELDER, YOUNGER = 0, 1
POINT, SEQUENCE, SET = 0, 1, 2
Cards = int  # a set of cards as a mask
Entry = tuple[Any, ...]


class Moment(NamedTuple):
    """Where the engine stands: its phase and category, the number of the deal, and the carte rouge booked by role."""

    phase: int
    category: int
    deal: int
    rouge: tuple[int, int] = (0, 0)


def peek(game: Game) -> np.void:
    """The row of a game without the copy that `Game.state` makes: two of them a step would be half the time."""
    return game._rows[0]


def moment_of(game: Game) -> Moment:
    """The moment at which a game stands."""
    state = peek(game)
    rouge = (0, 0)
    if game.rules.carte_rouge:
        booked = state["points"][:, 5].tolist()
        rouge = (booked[0], booked[1])
    return Moment(int(state["phase"]), int(state["category"]), int(state["deal_number"]), rouge)


@lru_cache
def _actions(pack: int) -> tuple[Action, ...]:
    return action_table(pack)


@lru_cache
def _card_names(pack: int) -> dict[str, int]:
    return {action.operand: action.id for action in action_table(pack) if action.kind == "play"}


def cards_of(mask: Cards) -> list[int]:
    """The cards of a mask, ascending."""
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def mask_of(cards: Any) -> Cards:
    """The mask of some cards."""
    return sum(1 << int(card) for card in cards)


class Claim(NamedTuple):
    """A combination: its number of cards, its pips, top or rank (from the lowest of the pack, 0), and its cards."""

    length: int
    rank: int
    cards: Cards


class Holder:
    """What a pack makes of a hand: the whole combinations of each category (laws 2, 19-21, 35)."""

    def __init__(self, rules: Rules) -> None:
        self.ranks = rules.pack // 4
        names = "6789TJQKA"[9 - self.ranks :]
        self.pips = [11 if name == "A" else 10 if name in "TJQK" else int(name) for name in names]
        self.lowest_set = names.index(rules.sets_from)
        self.court = [names.index(name) for name in "JQK"]

    def suits(self, hand: Cards) -> list[list[int]]:
        """The cards of the four suits, each from the lowest up."""
        held: list[list[int]] = [[], [], [], []]
        for card in cards_of(hand):
            held[card // self.ranks].append(card)
        return held

    def measure(self, category: int, cards: Cards) -> Claim:
        """A combination made of just these cards."""
        listed = cards_of(cards)
        if category == POINT:
            return Claim(len(listed), sum(self.pips[card % self.ranks] for card in listed), cards)
        return Claim(len(listed), listed[-1] % self.ranks, cards)

    def is_blank(self, hand: Cards) -> bool:
        """Whether a hand is a carte blanche (law 7)."""
        return all(card % self.ranks not in self.court for card in cards_of(hand))

    def claims(self, category: int, hand: Cards) -> list[Claim]:
        """The whole combinations of a category, in the order of law 28."""
        if category == POINT:
            suits = [suit for suit in self.suits(hand) if len(suit) >= 3]
            longest = max((len(suit) for suit in suits), default=0)
            found = [suit for suit in suits if len(suit) == longest]
        elif category == SEQUENCE:
            found = [run for suit in self.suits(hand) for run in _runs(suit)]
        else:
            by_rank: dict[int, list[int]] = {rank: [] for rank in range(self.lowest_set, self.ranks)}
            for card in cards_of(hand):
                if card % self.ranks in by_rank:
                    by_rank[card % self.ranks].append(card)
            found = [cards for cards in by_rank.values() if len(cards) >= 3]
        return [self.measure(category, mask_of(cards)) for cards in found]

    def parts(self, category: int, hand: Cards) -> list[Claim]:
        """What may be claimed under `sinking="partial"` (law 36), for point and sequence."""
        if category == POINT:
            sets = [
                part
                for suit in self.suits(hand)
                for size in range(3, len(suit) + 1)
                for part in combinations(suit, size)
            ]
        else:
            sets = [
                tuple(run[first:last])
                for suit in self.suits(hand)
                for run in _runs(suit)
                for first in range(len(run))
                for last in range(first + 3, len(run) + 1)
            ]
        return [self.measure(category, mask_of(cards)) for cards in sets]


def _runs(suit: list[int]) -> list[list[int]]:
    """The unbroken runs of three cards or more among the cards of a suit."""
    runs: list[list[int]] = []
    for card in suit:
        if runs and runs[-1][-1] == card - 1:
            runs[-1].append(card)
        else:
            runs.append([card])
    return [run for run in runs if len(run) >= 3]


@lru_cache
def holder_of(rules: Rules) -> Holder:
    """The holder of some rules."""
    return Holder(rules)


def best_of(claims: list[Claim]) -> Claim:
    """The longest, then the one with most pips or the highest top, then the first (law 37)."""
    return max(claims, key=lambda claim: (claim.length, claim.rank))  # max keeps the first of equals


class Hearing:
    """What elder and younger have seen and heard in one deal.

    heard: by role, the entries in their order. Own decisions stand as ("I", action id), what the other says as it is
           said; combinations scored in one category are one entry, without the order in which they were named.
    """

    def __init__(self, rules: Rules, deck: Any) -> None:
        self.rules = rules
        self.holder = holder_of(rules)
        deck = [int(card) for card in deck]
        self.hands = [mask_of(deck[:12]), mask_of(deck[12:24])]
        self.dealt = list(self.hands)
        self.talon = tuple(deck[24:])
        self.laid: Cards = 0
        self.discards = [0, 0]
        self.taken: list[int | None] = [None, None]
        self.drawn = [False, False]
        self.blanche = ["", ""]
        self.status = ["", "", ""]
        self.calls: list[Claim | None] = [None, None, None]
        self.said = [False, False, False]
        self.first_reply = ["", "", ""]
        self.claim: Cards = 0
        self.tricks = 0  # cards played
        self.declared = 0  # categories that younger has gone through behind the lead
        self.rouge = [(0, 0), (0, 0)]  # as elder and younger have heard
        self.heard: list[tuple[Entry, ...]] = [(), ()]
        for role in (ELDER, YOUNGER):
            self._note(role, "dealt", self.dealt[role])
        if rules.carte_blanche_claim == "automatic":
            for role in (ELDER, YOUNGER):
                if self.holder.is_blank(self.dealt[role]) and (role == ELDER or self._announces_before()):
                    self._claim_blanche(role)

    def clone(self) -> Hearing:
        """An independent copy."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list):
                setattr(other, name, value.copy())
        return other

    # -- one decision -------------------------------------------------------------------------------------------------

    def hear(self, role: int, action: int, before: Moment, after: Moment, points: tuple[int, int]) -> None:
        """Enter a decision of `role`; points: by seat, of the deal if it has ended by it."""
        word = _actions(self.rules.pack)[action]
        ended = after.deal != before.deal or after.phase >= DEAL_OVER
        self._note(role, "I", action)
        if word.kind in ("play", "discard", "withhold"):
            self._hear_card(role, word.kind, _card_names(self.rules.pack)[word.operand], after, ended=ended)
        elif word.kind in ("carte blanche", "draw", "silent"):
            self._hear_exchange(role, word.kind, after, ended=ended)
        elif word.kind in ("good", "equal", "not good"):
            self._hear_reply(word.kind, before, after)
        elif word.kind == "turn up":
            turned = mask_of(self.talon[(self.taken[ELDER] or 0) + (self.taken[YOUNGER] or 0) :])
            self._note(ELDER, "turned up", turned)
            self._note(YOUNGER, "turned up", turned)
        elif word.kind != "leave":
            self._hear_claim(role, word, before)
        if self.rules.sinking == "none" and not ended and before.phase <= Phase.EXCHANGE and after.phase == Phase.PLAY:
            self._honest_dialogue()
        if self.tricks and self.rules.younger_declares == "after_lead":
            naming = after.phase == Phase.DECLARE and not ended
            self._declare_to(after.category if naming else 3)
        self._hear_rouge(after, ended=ended)
        if ended:
            self._note(ELDER, "over", points)
            self._note(YOUNGER, "over", points)

    def _note(self, role: int, *entry: Any) -> None:
        self.heard[role] = (*self.heard[role], entry)

    def _hear_card(self, role: int, kind: str, card: int, after: Moment, *, ended: bool) -> None:
        if kind == "discard":
            self.laid |= 1 << card
        elif kind == "withhold":
            self.claim &= ~(1 << card)
        else:
            self.hands[role] &= ~(1 << card)
            self.tricks += 1
            self._note(1 - role, "plays", card)
            after_lead = self.rules.younger_declares == "after_lead"
            if self.tricks == 1 and self.rules.sinking == "none" and after_lead:
                self._honest_declarations()

    # -- carte blanche and the exchange (laws 7-16) -------------------------------------------------------------------

    def _announces_before(self) -> bool:
        return self.rules.younger_cb_announce == "before_exchange"

    def _claim_blanche(self, role: int) -> None:
        self.blanche[role] = "announced"
        self._note(1 - role, "carte blanche")
        at_once = self.rules.carte_blanche_show == "immediate"
        if role == YOUNGER:
            at_once = self.rules.younger_cb_show == "immediate" or not self._announces_before()
        if at_once:
            self._show_blanche(role)

    def _show_blanche(self, role: int) -> None:
        self.blanche[role] = "shown"
        self._note(1 - role, "shows dealt", self.dealt[role])

    def _hear_exchange(self, role: int, kind: str, after: Moment, *, ended: bool) -> None:
        """Hear an answer about a carte blanche or a draw, and let the cards be drawn that now are."""
        shows_late = self.rules.carte_blanche_show == "after_opponent_discards"
        waits = shows_late and self.blanche[ELDER] == "announced"
        if kind == "draw":
            self.discards[role] = self.laid
            self.taken[role] = len(cards_of(self.laid))
            self.laid = 0
            self._note(1 - role, "takes", self.taken[role])
            if role == YOUNGER and waits:
                self._show_blanche(ELDER)
                waits = False
        elif kind == "carte blanche":
            self._claim_blanche(role)
        if ended:
            return
        if self.taken[ELDER] is not None and not self.drawn[ELDER] and not waits:
            self._draw_elder()
        asked = after.phase == Phase.CARTE_BLANCHE
        if self.taken[YOUNGER] is not None and self.drawn[ELDER] and not asked:
            self._draw_younger()

    def _draw_elder(self) -> None:
        """Elder draws and looks at what he left; then younger's carte blanche is shown."""
        taken, most = self.taken[ELDER] or 0, self.rules.elder_max
        self.hands[ELDER] = self.hands[ELDER] & ~self.discards[ELDER] | mask_of(self.talon[:taken])
        self.drawn[ELDER] = True
        self._note(ELDER, "drew", self.talon[:taken], self.talon[taken:most])
        if self.blanche[YOUNGER] == "announced":
            self._show_blanche(YOUNGER)
        elif self.rules.carte_blanche_claim == "automatic" and not self._announces_before():
            if self.holder.is_blank(self.dealt[YOUNGER]):
                self._claim_blanche(YOUNGER)

    def _draw_younger(self) -> None:
        first = self.taken[ELDER] or 0
        drawn = self.talon[first : first + (self.taken[YOUNGER] or 0)]
        self.hands[YOUNGER] = self.hands[YOUNGER] & ~self.discards[YOUNGER] | mask_of(drawn)
        self.drawn[YOUNGER] = True
        self._note(YOUNGER, "drew", drawn)

    # -- the dialogue (laws 23-42) ------------------------------------------------------------------------------------

    def _says_at_once(self, category: int) -> bool:
        if category == POINT:
            return self.rules.point_call == "number_and_pips"
        return category == SET or self.rules.sequence_call == "length_and_top"

    def _hear_claim(self, role: int, word: Action, before: Moment) -> None:
        """Hear a choice of a combination, or "done": of those that nothing follows, only elder's pass is heard."""
        category = before.category
        if word.kind == "done":
            if self.claim:
                self._speak(role, before)
            elif before.phase == Phase.CALL:
                self._pass(category)
            return
        self.claim = self._item(role, word)
        if self.rules.sinking != "partial":
            self._speak(role, before)

    def _item(self, role: int, word: Action) -> Cards:
        """All cards of the combination that a word names."""
        hand, ranks = self.hands[role], self.holder.ranks
        if word.kind == "point":
            return mask_of(card for card in cards_of(hand) if card // ranks == "SHDC".index(word.operand))
        names = "6789TJQKA"[9 - ranks :]
        if word.kind == "set":
            return mask_of(card for card in cards_of(hand) if card % ranks == names.index(word.operand))
        card = "SHDC".index(word.operand[0]) * ranks + names.index(word.operand[1])
        run = 1 << card
        while card % ranks and hand >> (card - 1) & 1:
            card -= 1
            run |= 1 << card
        return run

    def _pass(self, category: int) -> None:
        self.status[category] = "passed"
        self._note(YOUNGER, "passes", category)

    def _speak(self, role: int, before: Moment) -> None:
        category, claim = before.category, self.holder.measure(before.category, self.claim)
        self.claim = 0
        if before.phase == Phase.CALL:
            self._call(category, claim)
        elif self.status[category] == "dead":
            self._show_equal(role, category, claim.cards)
        else:
            self._score(role, category, claim)

    def _call(self, category: int, claim: Claim) -> None:
        self.calls[category] = claim
        self.said[category] = self._says_at_once(category)
        self._note(YOUNGER, "calls", category, claim.length, claim.rank if self.said[category] else None)

    def _show_equal(self, role: int, category: int, cards: Cards) -> None:
        if self.rules.show_scored == "auto":
            self._note(1 - role, "equal", category, cards)

    def _score(self, role: int, category: int, claim: Claim) -> None:
        """A combination scored: its cards, or without showing its length and (a point only if said) its rank."""
        shown = self.rules.show_scored == "auto"
        tells = shown or category != POINT or (role == ELDER and self.said[POINT])
        item = (claim.length, claim.rank if tells else None, claim.cards if shown else None)
        entries = self.heard[1 - role]
        if entries[-1][:2] == ("scores", category):
            self.heard[1 - role] = (*entries[:-1], ("scores", category, tuple(sorted((*entries[-1][2], item)))))
        else:
            self._note(1 - role, "scores", category, (item,))

    def _hear_reply(self, word: str, before: Moment, after: Moment) -> None:
        names_equal = after.phase == Phase.DECLARE and after.category == before.category and after.deal == before.deal
        self._reply(before.category, word, names_equal=names_equal)

    def _reply(self, category: int, word: str, *, names_equal: bool) -> None:
        """A reply of younger's; names_equal: he has several combinations equal to the call and will name one."""
        call = self.calls[category]
        assert call is not None
        decides = self.said[category]
        self.first_reply[category] = self.first_reply[category] or word
        self._note(ELDER, "replies", category, word)
        if word == "good":
            self.status[category] = "elder"
            self._score(ELDER, category, call)
        elif word == "not good":
            self.status[category] = "younger"
        elif not decides:
            self.said[category] = True
            self._note(YOUNGER, "adds", category, call.rank)
        else:
            self.status[category] = "dead"
            self._show_equal(ELDER, category, call.cards)
            if self.rules.younger_declares == "in_turn" and not names_equal:
                self._show_only_equal(category)

    def _equals(self, category: int) -> list[Claim]:
        """Younger's claims that equal the call (laws 35-37)."""
        call = self.calls[category]
        assert call is not None
        find = self.holder.parts if self.rules.sinking == "partial" else self.holder.claims
        return [
            claim
            for claim in find(category, self.hands[YOUNGER])
            if (claim.length, claim.rank) == (call.length, call.rank)
        ]

    def _show_only_equal(self, category: int) -> None:
        """Younger's combination equal to the call is shown without a question if there is just one (law 40)."""
        equals = self._equals(category)
        if len(equals) == 1:
            self._show_equal(YOUNGER, category, equals[0].cards)

    def _declare_to(self, category: int) -> None:
        """Younger has gone through the categories up to this one behind the lead."""
        for passed in range(self.declared, category):
            if self.status[passed] == "dead" and self.rules.sinking != "none":
                self._show_only_equal(passed)
        self.declared = max(self.declared, category)

    def _hear_rouge(self, after: Moment, *, ended: bool) -> None:
        """Carte rouge is booked behind younger's declarations; elder hears of it with younger's first card."""
        if after.rouge == (0, 0) or ended:
            return
        for role in (ELDER, YOUNGER):
            silent = role == ELDER and self.tricks == 1
            if not silent and self.rouge[role] != after.rouge:
                self.rouge[role] = after.rouge
                self._note(role, "carte rouge", after.rouge)

    # -- the dialogue that runs by itself (law 37) --------------------------------------------------------------------

    def _honest_dialogue(self) -> None:
        in_turn = self.rules.younger_declares == "in_turn"
        for category in range(3):
            claims = self.holder.claims(category, self.hands[ELDER])
            if claims:
                self._call(category, best_of(claims))
                self._honest_replies(category)
                if self.status[category] == "elder" and category != POINT:
                    call = self.calls[category]
                    for claim in claims:
                        if claim != call:
                            self._score(ELDER, category, claim)
            else:
                self._pass(category)
            if in_turn:
                self._honest_declaration(category)

    def _honest_replies(self, category: int) -> None:
        while not self.status[category]:
            call = self.calls[category]
            assert call is not None
            mine = self.holder.claims(category, self.hands[YOUNGER])
            if self.first_reply[category]:
                mine = [claim for claim in mine if claim.length == call.length]
            rank = call.rank if self.said[category] else None
            if any(_is_better(claim, call.length, rank) for claim in mine):
                word = "not good"
            else:
                equal = any(claim.length == call.length and rank in (None, claim.rank) for claim in mine)
                word = "equal" if equal else "good"
            self._reply(category, word, names_equal=True)

    def _honest_declarations(self) -> None:
        for category in range(3):
            self._honest_declaration(category)

    def _honest_declaration(self, category: int) -> None:
        status = self.status[category]
        if status == "dead":
            self._show_equal(YOUNGER, category, self._equals(category)[0].cards)
        elif status in ("younger", "passed"):
            claims = self.holder.claims(category, self.hands[YOUNGER])
            if claims and category == POINT:
                claims = [best_of(claims)]
            for claim in claims:
                self._score(YOUNGER, category, claim)


def _is_better(claim: Claim, length: int, rank: int | None) -> bool:
    return claim.length > length or (claim.length == length and rank is not None and claim.rank > rank)
