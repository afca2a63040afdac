"""`View`: what a seat may see, as the observation and as named Python values, for people who write rules by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from piquet_env.observation import decode, observation_scale
from piquet_env.rules.actions import action_table, format_action, parse_action
from piquet_env.rules.cards import format_card
from piquet_env.rules.knowledge import VIEW_NAMES
from piquet_env.rules.state import CATEGORY_NAMES, COLUMN_NAMES
from piquet_env.rules.variants import Rules

STATUS_NAMES = ("uncalled", "passed", "dead", "own", "other")
REPLY_NAMES = ("good", "equal", "not good")
_CARD_KINDS = ("play", "discard", "withhold")


class Trick(NamedTuple):
    """A trick: whether this seat led, the card led, the answer, whether this seat won; the last two None: not yet."""

    led_by_self: bool
    lead: int
    answer: int | None
    won_by_self: bool | None


class Category(NamedTuple):
    """The dialogue of a category (point, sequence or set) as far as it has been spoken.

    status:       uncalled, passed, dead, own or other: whose it is
    call_length:  cards that elder called; None: no call
    call_rank:    pips of the point, or top or rank (six 0 … ace 8); None: not said
    reply:        good, equal or not good; None: no reply
    second_reply: likewise, to pips or top
    """

    status: str
    call_length: int | None
    call_rank: int | None
    reply: str | None
    second_reply: str | None


class View:
    """What the seat to act may see; made of observation, mask and rules alone.

    observation: float32[observation_size] (or its int8 form): the table stands in piquet_env/observation.py
    action_mask: int8[num_actions], 1 where the action is legal
    rules:       of the partie

    A card is an integer, suit by suit (S H D C) upwards; `text` writes cards. Lists of cards are ascending.
    Every block of the table is in `facts` as whole numbers; the properties name those that rules by hand ask for.
    """

    __slots__ = ("_facts", "action_mask", "observation", "rules")

    def __init__(self, observation: np.ndarray, action_mask: np.ndarray, rules: Rules) -> None:
        self.observation = observation
        self.action_mask = action_mask
        self.rules = rules
        self._facts: dict[str, np.ndarray] | None = None

    def decode(self) -> dict[str, np.ndarray]:
        """Return the named blocks of the observation, as they stand in it."""
        return decode(self.observation)

    @property
    def facts(self) -> dict[str, np.ndarray]:
        """The named blocks as whole numbers, int64."""
        if self._facts is None:
            values = self.observation
            if values.dtype.kind == "f":
                values = np.rint(values / observation_scale(self.rules.pack))
            self._facts = decode(values.astype(np.int64))
        return self._facts

    # -- actions ------------------------------------------------------------------------------------------------------

    @property
    def legal_actions(self) -> list[int]:
        """The ids of the legal actions, ascending."""
        return np.flatnonzero(self.action_mask).tolist()

    def legal(self, kind: str) -> list[int]:
        """Return the ids of the legal actions of a kind, such as "play", "discard" or "point"."""
        table = action_table(self.rules.pack)
        return [action for action in self.legal_actions if table[action].kind == kind]

    def card_of(self, action: int) -> int:
        """Return the card that an action plays, discards or withholds; ValueError for one that names no card."""
        kind = action_table(self.rules.pack)[action].kind
        if kind not in _CARD_KINDS:
            raise ValueError(f"the action {self.words(action)!r} names no card")
        return action % self.rules.pack

    def words(self, action: int) -> str:
        """Return an action in words: `play SA`."""
        return format_action(action, self.rules.pack)

    def action(self, words: str) -> int:
        """Return the id of an action in words; NotationError, a ValueError, says what cannot be read."""
        return parse_action(words, self.rules.pack)

    # -- cards --------------------------------------------------------------------------------------------------------

    def cards(self, block: str) -> list[int]:
        """Return the cards marked in a block by card of the observation table, such as "own_point"."""
        return np.flatnonzero(self.facts[block]).tolist()

    def text(self, cards: int | Iterable[int]) -> str:
        """Return a card, or several, as text: `SA` or `SA SK H7`."""
        one = [cards] if isinstance(cards, int) else cards
        return " ".join(format_card(int(card), self.rules.ranks) for card in one)

    def suit(self, card: int) -> int:
        """Return the suit of a card: S 0, H 1, D 2, C 3."""
        return card // self.rules.ranks

    def rank(self, card: int) -> int:
        """Return the rank of a card: six 0, seven 1 … ace 8, whichever pack is in use."""
        return card % self.rules.ranks + 9 - self.rules.ranks

    @property
    def hand(self) -> list[int]:
        """Own hand; cards laid out for the exchange stay in it until the draw."""
        return self.cards("hand")

    @property
    def discards(self) -> list[int]:
        """Own discards, those being laid out included."""
        return self.cards("discards")

    @property
    def unseen(self) -> list[int]:
        """Cards whose place this seat does not know."""
        return self.cards("unseen")

    @property
    def own_known(self) -> list[int]:
        """Own cards that the other knows to be in this hand."""
        return self.cards("own_known")

    @property
    def other_known(self) -> list[int]:
        """Cards known to be in the other's hand (not among `unseen`)."""
        return self.cards("other_known")

    @property
    def talon_seen(self) -> list[int]:
        """Elder: the cards that he saw in the talon and left, in drawing order."""
        places = self.facts["talon_seen"]
        return sorted(self.cards("talon_seen"), key=lambda card: int(places[card]))

    @property
    def leftovers(self) -> list[int]:
        """Cards left in the talon that younger has turned up."""
        return self.cards("leftovers")

    @property
    def table(self) -> int | None:
        """The card led to the trick on the table; None where there is none."""
        cards = self.cards("table")
        return cards[0] if cards else None

    @property
    def tricks(self) -> list[Trick]:
        """The tricks so far, in order, the one on the table included."""
        facts = self.facts
        own = {int(facts["own_trick"][card]): card for card in self.cards("own_trick")}
        other = {int(facts["other_trick"][card]): card for card in self.cards("other_trick")}
        tricks = []
        for number in range(1, max([0, *own, *other]) + 1):
            led = bool(facts["tricks_led"][number - 1])
            lead, answer = (own.get(number), other.get(number)) if led else (other.get(number), own.get(number))
            assert lead is not None, "a trick begins with a lead"
            won = None if answer is None else bool(facts["tricks_taken"][number - 1])
            tricks.append(Trick(led, lead, answer, won))
        return tricks

    # -- the deal -----------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """The phase by name, one of piquet_env.rules.knowledge.VIEW_NAMES."""
        return VIEW_NAMES[int(np.argmax(self.facts["phase"]))]

    @property
    def role(self) -> str:
        """Elder or younger. Before the first deal is dealt, when nobody is elder yet, it says younger."""
        return "elder" if self.facts["elder"][0] else "younger"

    @property
    def category(self) -> str | None:
        """The category of the dialogue: point, sequence or set; None outside the dialogue."""
        return _name_of(self.facts["category"], CATEGORY_NAMES)

    @property
    def dialogue(self) -> dict[str, Category]:
        """What has been said of each category, by its name."""
        facts = self.facts
        spoken = {}
        for place, name in enumerate(CATEGORY_NAMES):
            rank = int(facts["call_rank"][place])
            spoken[name] = Category(
                _name_of(facts["status"][5 * place : 5 * place + 5], STATUS_NAMES) or STATUS_NAMES[0],
                int(facts["call_length"][place]) or None,
                None if rank == 0 else rank - (1 if place else 0),
                _name_of(facts["reply"][3 * place : 3 * place + 3], REPLY_NAMES),
                _name_of(facts["second_reply"][3 * place : 3 * place + 3], REPLY_NAMES),
            )
        return spoken

    @property
    def own_taken(self) -> int | None:
        """Cards exchanged by this seat; None until it is said."""
        return _less_one(self.facts["own_taken"])

    @property
    def other_taken(self) -> int | None:
        """Cards exchanged by the other; None until it is said."""
        return _less_one(self.facts["other_taken"])

    @property
    def own_carte_blanche(self) -> str | None:
        """What this seat has done with a carte blanche: silent, announced or shown; None: nothing."""
        return _name_of(self.facts["own_carte_blanche"], ("silent", "announced", "shown"))

    @property
    def other_carte_blanche(self) -> str | None:
        """What the other has said of a carte blanche: announced or shown; None: nothing."""
        return _name_of(self.facts["other_carte_blanche"], ("announced", "shown"))

    @property
    def own_points(self) -> dict[str, int]:
        """Own points of the deal by column of the score."""
        return dict(zip(COLUMN_NAMES, self.facts["own_points"].tolist(), strict=True))

    @property
    def other_points(self) -> dict[str, int]:
        """The other's points of the deal by column of the score."""
        return dict(zip(COLUMN_NAMES, self.facts["other_points"].tolist(), strict=True))

    @property
    def own_score(self) -> int:
        """Own points of the deal."""
        return int(self.facts["own_points"].sum())

    @property
    def other_score(self) -> int:
        """The other's points of the deal."""
        return int(self.facts["other_points"].sum())

    @property
    def own_repique_open(self) -> bool:
        """Whether the record still allows this seat a repique."""
        return bool(self.facts["repique_open"][0])

    @property
    def other_repique_open(self) -> bool:
        """Whether the record still allows the other a repique."""
        return bool(self.facts["repique_open"][1])

    @property
    def own_pique_open(self) -> bool:
        """Whether the record still allows this seat a pique."""
        return bool(self.facts["pique_open"][0])

    @property
    def other_pique_open(self) -> bool:
        """Whether the record still allows the other a pique."""
        return bool(self.facts["pique_open"][1])

    @property
    def own_tricks_won(self) -> int:
        """Tricks won by this seat."""
        return int(self.facts["tricks_won"][0])

    @property
    def other_tricks_won(self) -> int:
        """Tricks won by the other."""
        return int(self.facts["tricks_won"][1])

    # -- the partie ---------------------------------------------------------------------------------------------------

    @property
    def deal_number(self) -> int:
        """The number of the deal, from 1."""
        units, hundreds = self.facts["deal_number"].tolist()
        return int(units + 100 * hundreds)

    @property
    def deals_left(self) -> int:
        """Deals that will follow this one, as planned; 0 in au cent."""
        return int(self.facts["deals_left"][0])

    @property
    def own_total(self) -> int:
        """Own points from ended deals of the partie (au cent: of the game)."""
        return _number(self.facts["own_total"])

    @property
    def other_total(self) -> int:
        """The other's points from ended deals."""
        return _number(self.facts["other_total"])

    @property
    def own_games(self) -> int:
        """Au cent: games won by this seat."""
        return _number(self.facts["own_games"])

    @property
    def other_games(self) -> int:
        """Au cent: games won by the other."""
        return _number(self.facts["other_games"])


def _name_of(flags: np.ndarray, names: tuple[str, ...]) -> str | None:
    """Return the name that a block "one of …" marks; None where it marks none."""
    return names[int(np.argmax(flags))] if flags.any() else None


def _less_one(block: np.ndarray) -> int | None:
    """Return a number that the observation holds plus one; None for its zero."""
    return int(block[0]) - 1 if block[0] else None


def _number(digits: np.ndarray) -> int:
    """Return a number written in digits to the base 100, the lowest first."""
    return sum(int(digit) * 100**place for place, digit in enumerate(digits.tolist()))
