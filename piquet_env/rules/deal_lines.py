"""The lines of a `.deal` text: their keys, and cards, claims and the score log in words.

A line is a key, a role where the line belongs to one, and the rest; a line that begins with a space has the key of the
line before it. The format as a whole is told in notation.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

from .cards import RANKS, cards_in, format_card, format_hand, mask_from, parse_card, parse_hand, pattern_of
from .errors import NotationError
from .replay import ROLES
from .state import POINT, SEQUENCE
from .tables import PIPS, SEQUENCE_NAMES, SET_NAMES

# Longer keys come before those that they begin with.
KEYS = (
    *("laws", "rules", "start", "cut", "deal", "dealt", "talon"),
    *("carte blanche", "exchange", "draws", "point", "sequence", "set", "lead", "leftovers", "play"),
    *("repique", "pique", "carte rouge", "tricks", "cards", "capot", "log", "score", "totals", "games", "settlement"),
    *("legal", "shown", "then"),
)
PLAYED = {"lead", "capture", "last trick"}  # classes that the log of a text gathers as "play"


class Line(NamedTuple):
    """One line of a text: its number (from 1), its key, and what follows."""

    number: int
    key: str
    rest: str

    def fail(self, message: str) -> NoReturn:
        """Raise NotationError with the line's number and key."""
        raise NotationError(f"line {self.number}: {self.key}: {message}")

    def check(self, said: object, true: object) -> None:
        """Raise NotationError if the text says something else than the engine."""
        if said != true:
            self.fail(f"text says {said}, the engine says {true}")

    def role(self) -> tuple[int, str]:
        """Return the role that the line begins with, and what follows it."""
        word, _, rest = self.rest.partition(" ")
        if word not in ROLES:
            self.fail(f"{word!r} is not a role (write elder or younger)")
        return ROLES.index(word), rest.strip()

    def numbers(self, words: Sequence[str], count: int) -> tuple[int, ...]:
        """Return `count` whole numbers."""
        if len(words) != count or not all(word.removeprefix("-").isdecimal() for word in words):
            self.fail(f"{' '.join(words)!r} is not {count} whole number{'s' if count > 1 else ''}")
        return tuple(int(word) for word in words)

    def card(self, word: str, ranks: int) -> int:
        """Return the card written as `SA`."""
        try:
            return parse_card(word, ranks)
        except NotationError as error:
            self.fail(str(error))

    def cards(self, words: Iterable[str], ranks: int) -> list[int]:
        """Return cards written as `SA HT`, in the order of writing."""
        return [self.card(word, ranks) for word in words]

    def hand(self, words: Iterable[str], ranks: int) -> int:
        """Return the mask of cards written as a hand, `S:AK H:T`; a repeated card is refused."""
        mask = 0
        for word in words:
            try:
                part = parse_hand(word, ranks)
            except NotationError as error:
                self.fail(str(error))
            if mask & part:
                self.fail(f"card {format_cards(cards_in(mask & part, ranks), ranks)} stands twice")
            mask |= part
        return mask


def split_lines(text: str) -> list[Line]:
    """Return the lines of a text that say something; blank lines and lines that begin with # do not."""
    lines: list[Line] = []
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip() or raw.startswith("#"):
            continue
        said = " ".join(raw.split())
        if raw[0].isspace():
            if not lines:
                raise NotationError(f"line {number}: a text cannot begin with a space: it has no key to go on with")
            lines.append(Line(number, lines[-1].key, said))
            continue
        key = next((key for key in KEYS if said == key or said.startswith(key + " ")), None)
        if key is None:
            raise NotationError(f"line {number}: {said.split()[0]!r} is not a key; the keys are {', '.join(KEYS)}")
        lines.append(Line(number, key, said[len(key) :].strip()))
    return lines


def format_line(key: str, *parts: str) -> str:
    """Return a line: the key in its column, a role in its own, then the rest."""
    line = f"{key:<9}"
    for part in parts:
        line += f" {part:<7}" if part in ROLES else f" {part}"
    return line.rstrip()


def format_cards(cards: Iterable[int], ranks: int) -> str:
    """Return cards in their order: `SA HT`."""
    return " ".join(format_card(card, ranks) for card in cards)


def format_held(cards: int, ranks: int) -> str:
    """Return the mask of cards as a hand without its empty suits: `S:AK C:9`; "nothing" if there are none."""
    suits = [suit for suit in format_hand(cards, ranks).split() if not suit.endswith(":-")]
    return " ".join(suits) or "nothing"


def pips_of(cards: int, ranks: int) -> int:
    """Return the pips of a mask of cards."""
    return sum(PIPS[card % ranks + 9 - ranks] for card in cards_in(cards, ranks))


def format_claim(category: int, cards: int, whole: int, ranks: int) -> str:
    """Return a claim in words: `S:AKQ (31)`, `tierce S:AKQ`, `trio K without DK`.

    cards, whole: masks of the cards claimed, and of all that are held of the same item
    """
    size = len(cards_in(cards, ranks))
    if category == POINT:
        return f"{format_held(cards, ranks)} ({pips_of(cards, ranks)})"
    if category == SEQUENCE:
        return f"{SEQUENCE_NAMES[size]} {format_held(cards, ranks)}"
    withheld = cards_in(whole & ~cards, ranks)
    rank = RANKS[cards_in(cards, ranks)[0] % ranks + 9 - ranks]
    return f"{SET_NAMES[size]} {rank}" + (f" without {format_cards(withheld, ranks)}" if withheld else "")


class ClaimWords(NamedTuple):
    """A claim as written: the item it names, and the cards (point, sequence) or the card left out (set)."""

    item: int
    cards: int
    name: str
    pips: int | None


def parse_claim(line: Line, category: int, words: list[str], ranks: int) -> ClaimWords:
    """Take a claim off the front of `words`."""
    if category == POINT:
        cards = line.hand(_first(line, words), ranks)
        suit = _one_suit(line, cards, ranks)
        pips = None
        if words and words[0].startswith("("):
            (pips,) = line.numbers([words.pop(0).strip("()")], 1)
        return ClaimWords(suit, cards, "", pips)
    (name,) = _first(line, words)
    if category == SEQUENCE:
        cards = line.hand(_first(line, words), ranks)
        suit = _one_suit(line, cards, ranks)
        top = cards_in(cards, ranks)[-1] % ranks - 2
        if name not in SEQUENCE_NAMES[3:] or top < 0:
            line.fail(f"{name} {format_held(cards, ranks)} is not a sequence")
        return ClaimWords(suit * (ranks - 2) + top, cards, name, None)
    (rank,) = _first(line, words)
    if name not in SET_NAMES[3:] or rank not in tuple(RANKS[4:]):
        line.fail(f"{name} {rank} is not a set")
    without = 0
    if words and words[0] == "without":
        words.pop(0)
        without = mask_from(line.cards(_first(line, words), ranks))
    return ClaimWords(RANKS.index(rank) - 4, without, name, None)


def _first(line: Line, words: list[str]) -> list[str]:
    if not words:
        line.fail("the claim ends too soon")
    return [words.pop(0)]


def _one_suit(line: Line, cards: int, ranks: int) -> int:
    suits = [suit for suit in range(4) if pattern_of(cards, suit, ranks)]
    if len(suits) != 1:
        line.fail(f"{format_held(cards, ranks)} is not in one suit")
    return suits[0]


def format_log(entries: Iterable[tuple[int, int, str]]) -> str:
    """Return the score log in the order of reckoning: `elder point 5, sequence 3 3, play 2; younger play 1`.

    Points of one class that follow each other stand together; those of leads, captures and the last trick are added up.
    """
    turns: list[tuple[int, list[tuple[str, list[int]]]]] = []
    for role, points, score_class in entries:
        name = "play" if score_class in PLAYED else score_class
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        classes = turns[-1][1]
        if not classes or classes[-1][0] != name:
            classes.append((name, []))
        numbers = classes[-1][1]
        if name == "play" and numbers:
            numbers[0] += points
        else:
            numbers.append(points)
    said = [
        f"{ROLES[role]} " + ", ".join(f"{name} {' '.join(map(str, numbers))}" for name, numbers in classes)
        for role, classes in turns
    ]
    return "; ".join(said) or "nothing"
