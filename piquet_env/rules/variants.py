"""`Rules`: every option of the two-handed game, the presets, and the row of integers that the kernel reads.

`OPTIONS` is the one table of options; the dataclass, the kernel's row, the text form and docs/rules.md follow it.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from .cards import RANKS
from .errors import NotationError

RANK_LIMITS = ("any", *RANKS[1:])  # "any", or the lowest rank that scores

Rank = Literal["any", "7", "8", "9", "T", "J", "Q", "K", "A"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of a partie. Immutable, comparable and hashable; every option is a field with its values as its type.

    Raises ValueError, in one sentence, for a value that an option does not have and for options that contradict.
    """

    pack: Literal[32, 36] = 32
    """Cards in the pack; 36 adds the sixes."""
    elder_max: int | None = None
    """Most cards elder may exchange; None is the pack's own number, 5 or 7."""
    first_dealer: Literal["random", "choose", 0, 1] = "random"
    """Who deals first: by lot, by choice of the winner of the cut, or a seat."""
    carte_blanche_claim: Literal["optional", "automatic"] = "optional"
    """Whether the holder of a carte blanche decides to claim it."""
    carte_blanche_show: Literal["immediate", "after_opponent_discards"] = "immediate"
    """When elder's carte blanche is shown."""
    younger_cb_announce: Literal["before_exchange", "after_elder_exchange"] = "before_exchange"
    """When younger announces his carte blanche."""
    younger_cb_show: Literal["after_elder_exchange", "immediate"] = "after_elder_exchange"
    """When younger's carte blanche is shown."""
    younger_must_exchange: bool = True
    """Whether younger must exchange at least one card."""
    leftover_reveal: Literal["younger_choice_after_lead", "after_last_trick", "never"] = "younger_choice_after_lead"
    """What becomes of the cards left in the talon."""
    sinking: Literal["combination", "partial", "none"] = "combination"
    """What may be left undeclared: whole combinations, parts of them too, or nothing."""
    undercall_lock: Literal["cavendish", "absolute", "none"] = "cavendish"
    """Whether holdings superior to elder's own call may still score."""
    point_call: Literal["number", "number_and_pips"] = "number"
    """What the call of a point says at once."""
    sequence_call: Literal["length", "length_and_top"] = "length"
    """What the call of a sequence says at once."""
    younger_declares: Literal["after_lead", "in_turn"] = "after_lead"
    """When younger names and scores what he has won."""
    show_scored: Literal["auto", "never"] = "auto"
    """Whether the cards of scored and equal combinations become public."""
    sets_from: Literal["T", "J"] = "T"
    """The lowest rank of which trios and quatorzes count."""
    bonus_order: Literal["fixed", "actual"] = "fixed"
    """The order in which points reckon towards pique."""
    cards_count_for_pique: bool = False
    """Whether the ten for cards is booked at the seventh trick and counts towards pique."""
    carte_rouge: Literal[0, 20] = 0
    """Points for a hand every card of which stands in a scored combination."""
    lead_point_min_rank: Rank = "any"
    """The lowest rank that scores for a lead."""
    capture_point_min_rank: Rank = "any"
    """The lowest rank that scores for winning a trick that the other led."""
    last_trick_point: Literal[0, 1] = 1
    """The extra point for the last trick."""
    form: Literal["rubicon", "au_cent"] = "rubicon"
    """A partie of a fixed number of deals, or games up to a target."""
    deals: int = 6
    """Deals in a Rubicon partie; any positive number for study."""
    tie_break: Literal["two_deals", "draw", "seventh_deal"] = "two_deals"
    """What follows equal totals after the last deal."""
    rubicon_line: int = 100
    """The points that save the loser from the Rubicon."""
    target: int = 100
    """Au cent: the points that win a game."""
    lurch: int = 50
    """Au cent: a loser below these points loses a double game."""
    games: int = 3
    """Au cent: the games that win the match; a double game counts two."""
    au_cent_stop: Literal["immediate", "end_of_deal"] = "immediate"
    """Au cent: whether a game ends at the deciding point or with the deal."""

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))
        if self.elder_max is None:
            object.__setattr__(self, "elder_max", ELDER_MAX[self.pack])
        for contradiction in CONTRADICTIONS:
            if contradiction.holds(self):
                raise ValueError(f"contradictory rules: {contradiction.sentence}")

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the preset called `name`; ValueError lists the presets."""
        if name not in PRESETS:
            raise ValueError(f"unknown rules preset {name!r}; the presets are {', '.join(PRESETS)}")
        return cls(**PRESETS[name])

    @classmethod
    def of(cls, rules: Rules | str) -> Rules:
        """Return `rules` itself, or the rules that a preset's name or `str(rules)` stands for."""
        if isinstance(rules, Rules):
            return rules
        if not isinstance(rules, str):
            raise ValueError(f"rules must be a preset's name or a Rules object, not {type(rules).__name__}")
        return cls.parse(rules)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Return the rules written as `preset option=value …`, the inverse of `str`."""
        name, *settings = text.split() or [""]
        changes: dict[str, Any] = {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            option = next((option for option in OPTIONS if option.name == key), None)
            if option is None or not equals:
                raise NotationError(f"unknown rules option {setting!r} (write a preset, then option=value)")
            changes[key] = option.parse(value)
        return cls.preset(name).replace(**changes)

    def replace(self, **changes: Any) -> Rules:
        """Return these rules with some options changed; ValueError names an unknown option."""
        names = [option.name for option in OPTIONS]
        for key in changes:
            if key not in names:
                raise ValueError(f"unknown rules option {key!r}; the options are {', '.join(names)}")
        if "pack" in changes and "elder_max" not in changes and self.elder_max == ELDER_MAX[self.pack]:
            changes["elder_max"] = None
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return every option with its value, in the order of the table."""
        return {option.name: getattr(self, option.name) for option in OPTIONS}

    @property
    def name(self) -> str:
        """The preset with these options, or the text form where no preset has them."""
        return str(self)

    @property
    def ranks(self) -> int:
        """Cards in a suit: 8, or 9 with the sixes."""
        return self.pack // 4

    @property
    def hash(self) -> str:
        """A short stable digest of all options: eight hexadecimal digits, the same on every platform."""
        text = " ".join(f"{name}={value}" for name, value in self.as_dict().items())
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def codes(self) -> np.ndarray:
        """Return the kernel's form: a structured array of shape (1,), one int64 field an option (RULES_DTYPE)."""
        row = np.zeros(1, dtype=RULES_DTYPE)
        for option in OPTIONS:
            row[option.name] = option.encode(getattr(self, option.name))
        row["ranks"] = self.ranks
        return row

    def __str__(self) -> str:
        mine = self.as_dict()
        best = min(PRESETS, key=lambda name: len(_differences(mine, name)))
        changed = [f"{name}={mine[name]}" for name in _differences(mine, best)]
        return " ".join([best, *changed])


class Option(NamedTuple):
    """One row of the option table: the name, the values it may take (None: any integer from `low`), and the lowest."""

    name: str
    values: tuple[Any, ...] | None
    low: int = 0

    def check(self, value: Any) -> None:
        """Raise ValueError for a value that the option does not have."""
        if self.values is None:
            is_number = isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= MOST[self.name]
            if not is_number and not (value is None and self.name == "elder_max"):
                raise ValueError(
                    f"rules option {self.name} must be an integer from {self.low} to {MOST[self.name]}, not {value!r}"
                )
        elif not any(value == known and type(value) is type(known) for known in self.values):
            known_values = ", ".join(repr(known) for known in self.values)
            raise ValueError(f"rules option {self.name} must be one of {known_values}, not {value!r}")

    def encode(self, value: Any) -> int:
        """Return the integer that the kernel reads for `value`: numbers stand for themselves, words for their place."""
        if self.values is None or all(isinstance(known, int) for known in self.values):
            return int(value)
        if self.name in ("lead_point_min_rank", "capture_point_min_rank", "sets_from"):
            return max(RANKS.find(value), 0)  # the pattern rank; "any" is the lowest
        return self.values.index(value)

    def parse(self, text: str) -> Any:
        """Return the value written as `text`; NotationError lists the values."""
        for known in self.values or ():
            if text == str(known):
                return known
        if self.values is None and re.fullmatch("-?[0-9]{1,9}", text):
            return int(text)
        raise NotationError(f"rules option {self.name} has no value {text!r}")


def _option_of(field: dataclasses.Field[Any], hint: Any) -> Option:
    """Return the option row of one dataclass field, from its type."""
    if hint is bool:
        return Option(field.name, (False, True))
    values = get_args(hint)
    if not values or hint == int | None:
        return Option(field.name, None, LEAST[field.name])
    return Option(field.name, values)


ELDER_MAX = {32: 5, 36: 7}
LEAST = {"elder_max": 1, "deals": 1, "rubicon_line": 0, "target": 1, "lurch": 0, "games": 1}
# One elder card or more must stay for younger, who exchanges at least one; the others are bounds of sense.
MOST = {"elder_max": 11, "deals": 1000, "rubicon_line": 100_000, "target": 100_000, "lurch": 100_000, "games": 1000}
_HINTS = __import__("typing").get_type_hints(Rules)
OPTIONS: tuple[Option, ...] = tuple(_option_of(field, _HINTS[field.name]) for field in dataclasses.fields(Rules))
RULES_DTYPE = np.dtype([(option.name, np.int64) for option in OPTIONS] + [("ranks", np.int64)])

# What the kernel compares codes with: the place of a word among the values of its option.
COMBINATION, PARTIAL, NONE = 0, 1, 2  # sinking
CAVENDISH, ABSOLUTE, NO_LOCK = 0, 1, 2  # undercall_lock
TWO_DEALS, DRAW, SEVENTH_DEAL = 0, 1, 2  # tie_break
RANDOM_DEALER, CHOOSE_DEALER = 0, 1  # first_dealer, by `Option.encode`
YOUNGER_CHOICE, AFTER_LAST_TRICK, NEVER = 0, 1, 2  # leftover_reveal


class Contradiction(NamedTuple):
    """Options that cannot stand together: the condition and the sentence that says so."""

    holds: Any
    sentence: str


def _au_cent_keeps_defaults(rules: Rules) -> bool:
    defaults = {"deals": 6, "tie_break": "two_deals", "rubicon_line": 100}
    return rules.form == "au_cent" and any(getattr(rules, name) != value for name, value in defaults.items())


def _rubicon_keeps_defaults(rules: Rules) -> bool:
    defaults = {"target": 100, "lurch": 50, "games": 3, "au_cent_stop": "immediate"}
    return rules.form == "rubicon" and any(getattr(rules, name) != value for name, value in defaults.items())


CONTRADICTIONS = (
    Contradiction(
        lambda r: r.younger_cb_announce == "after_elder_exchange" and r.younger_cb_show == "immediate",
        "younger_cb_announce='after_elder_exchange' announces and shows together, "
        "so younger_cb_show cannot be 'immediate'.",
    ),
    Contradiction(
        _au_cent_keeps_defaults,
        "form='au_cent' is played for games, so deals, tie_break and rubicon_line must keep their defaults.",
    ),
    Contradiction(
        _rubicon_keeps_defaults,
        "target, lurch, games and au_cent_stop belong to form='au_cent' and must keep their defaults without it.",
    ),
    Contradiction(
        lambda r: r.form == "au_cent" and r.first_dealer == "choose",
        "in au cent the lower card of the cut must deal, so first_dealer cannot be 'choose'.",
    ),
    Contradiction(
        lambda r: r.form == "au_cent" and r.lurch > r.target,
        "the lurch of au cent cannot stand above its target.",
    ),
    Contradiction(
        lambda r: r.elder_max > r.pack - 24 - 1,
        "elder_max must leave at least one card of the talon to younger.",
    ),
)

PRESETS: dict[str, dict[str, Any]] = {
    "rubicon": {},
    "cavendish": {
        "sinking": "partial",
        "carte_blanche_show": "after_opponent_discards",
        "sequence_call": "length_and_top",
    },
    "german": {"bonus_order": "actual"},
    "pagat": {"bonus_order": "actual", "carte_blanche_show": "after_opponent_discards"},
    "finnish": {"sets_from": "J", "cards_count_for_pique": True},
    "swedish": {
        "lead_point_min_rank": "T",
        "younger_must_exchange": False,
        "leftover_reveal": "after_last_trick",
        "tie_break": "draw",
        "younger_declares": "in_turn",
        "younger_cb_show": "immediate",
        "carte_blanche_claim": "automatic",
    },
    "high_cards": {"lead_point_min_rank": "T", "capture_point_min_rank": "T", "last_trick_point": 0},
    "au_cent": {"form": "au_cent", "younger_must_exchange": False},
    "au_cent_36": {"form": "au_cent", "younger_must_exchange": False, "pack": 36},
}


def _differences(mine: dict[str, Any], preset: str) -> list[str]:
    """Return the options in which `mine` differs from a preset; elder_max from what the pack makes of it."""
    theirs = _values_of(preset, mine["pack"])
    return [name for name, value in mine.items() if value != theirs[name] or type(value) is not type(theirs[name])]


@functools.cache
def _values_of(preset: str, pack: int) -> dict[str, Any]:
    """Return the options of a preset, with the elder_max that belongs to `pack`."""
    base = Rules.preset(preset)
    return {**base.replace(pack=pack).as_dict(), "pack": base.pack}
