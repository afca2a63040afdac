"""Cards, and what a hand holds: points, sequences and sets, and the claims that may be made out of them.

A card is a string of suit and rank ("ST" is the ten of spades).  Combinations are tuples of cards in ascending order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

SUITS = "SHDC"
RANKS = "6789TJQKA"
CATEGORIES = ("point", "sequence", "set")
PIPS = {"6": 6, "7": 7, "8": 8, "9": 9, "T": 10, "J": 10, "Q": 10, "K": 10, "A": 11}
RANK_NUMBER = {rank: number for number, rank in enumerate(RANKS)}
CARD_NUMBER = {suit + rank: number for number, (suit, rank) in enumerate((s, r) for s in SUITS for r in RANKS)}

Cards = tuple[str, ...]


class Claim(NamedTuple):
    """A combination as claimed: its number of cards, its pips or the number of its (top) rank, its cards."""

    length: int
    detail: int
    cards: Cards

    @property
    def strength(self) -> tuple[int, int]:
        """Claims of one category are compared by length, then by pips or rank."""
        return self.length, self.detail


class Choice(NamedTuple):
    """The word that chooses a combination, the maximal combination that it uses up, and every claim that can follow.

    Each way to go on is a pair: the cards withheld, in ascending order, and the claim that remains.
    """

    word: str
    uses: Cards
    ways: list[tuple[Cards, Claim]]


def ascending(cards: Sequence[str]) -> list[str]:
    """Cards suit by suit (spades, hearts, diamonds, clubs), and in each suit from the lowest to the ace."""
    return sorted(cards, key=CARD_NUMBER.__getitem__)


def pack_of(size: int) -> list[str]:
    """The piquet pack of 32 cards, or the older one of 36 with the sixes."""
    ranks = RANKS if size == 36 else RANKS[1:]
    return [suit + rank for suit in SUITS for rank in ranks]


def is_carte_blanche(hand: Sequence[str]) -> bool:
    """A hand without king, queen or knave."""
    return not any(card[1] in "KQJ" for card in hand)


def suits_held(cards: Sequence[str]) -> list[Cards]:
    """The cards of each suit that is held at all, in the order of the suits."""
    held: dict[str, list[str]] = {suit: [] for suit in SUITS}
    for card in ascending(cards):
        held[card[0]].append(card)
    return [tuple(suit_cards) for suit_cards in held.values() if suit_cards]


def runs_held(cards: Sequence[str]) -> list[Cards]:
    """Every maximal sequence of three or more cards, suit by suit and from the lowest up; the ace is always high."""
    runs = []
    for suit_cards in suits_held(cards):
        run = [suit_cards[0]]
        for card in suit_cards[1:]:
            if RANK_NUMBER[card[1]] != RANK_NUMBER[run[-1][1]] + 1:
                runs.append(tuple(run))
                run = []
            run.append(card)
        runs.append(tuple(run))
    return [run for run in runs if len(run) >= 3]


def sets_held(cards: Sequence[str], lowest: str) -> list[Cards]:
    """Three or four cards of one rank, for the ranks from `lowest` (ten or knave) up to the ace, the lowest first."""
    held: dict[str, list[str]] = {rank: [] for rank in RANKS[RANK_NUMBER[lowest] :]}
    for card in ascending(cards):
        if card[1] in held:
            held[card[1]].append(card)
    return [tuple(rank_cards) for rank_cards in held.values() if len(rank_cards) >= 3]


def claim_of(category: str, cards: Cards) -> Claim:
    """Measure a combination: a point by its pips, a sequence by its top card, a set by its rank."""
    if category == "point":
        return Claim(len(cards), sum([PIPS[card[1]] for card in cards]), cards)
    return Claim(len(cards), RANK_NUMBER[cards[-1][1]], cards)


def value_of(category: str, length: int) -> int:
    """One for each card of a point or sequence, ten more from the quint on; a trio 3, a quatorze 14."""
    if category == "point":
        return length
    if category == "sequence":
        return length if length < 5 else length + 10
    return 3 if length == 3 else 14


def spoken_detail(category: str, claim: Claim) -> int | str:
    """The second thing said of a claim: the pips of a point, the top card of a sequence, the rank of a set."""
    return claim.detail if category == "point" else RANKS[claim.detail]


def whole(category: str, cards: Cards) -> list[tuple[Cards, Claim]]:
    """The one way to claim a combination that may not be divided."""
    return [((), claim_of(category, cards))]


def under_calls(category: str, cards: Cards) -> list[tuple[Cards, Claim]]:
    """Every way to withhold cards from a combination (Cavendish: a player may call less than he holds).

    A point keeps any three cards or more, a sequence is shortened from below to three or more, a quatorze loses one.
    """
    if category == "point":
        withheld = [gone for number in range(len(cards) - 2) for gone in combinations(cards, number)]
    elif category == "sequence":
        withheld = [cards[:number] for number in range(len(cards) - 2)]
    else:
        withheld = [()] + ([(card,) for card in cards] if len(cards) == 4 else [])
    return [(gone, claim_of(category, tuple([card for card in cards if card not in gone]))) for gone in withheld]


class Holdings:
    """All that one hand of twelve may claim, under the rule of sinking in force."""

    def __init__(self, hand: Sequence[str], sinking: str, sets_from: str) -> None:
        self.hand = list(hand)
        self.partial = sinking == "partial"
        self.sets_from = sets_from
        self._choices: dict[str, list[Choice]] = {}
        self._claims: dict[str, list[Claim]] = {}

    def choices(self, category: str) -> list[Choice]:
        """The combinations that may be chosen, in ascending order of suit and top card, or of rank."""
        if category not in self._choices:
            find: dict[str, Callable[[], list[Choice]]] = {
                "point": self._points,
                "sequence": self._sequences,
                "set": self._sets,
            }
            self._choices[category] = find[category]()
        return self._choices[category]

    def claims(self, category: str) -> list[Claim]:
        """Every claim that could be made in a category."""
        if category not in self._claims:
            self._claims[category] = [claim for choice in self.choices(category) for _, claim in choice.ways]
        return self._claims[category]

    def _points(self) -> list[Choice]:
        """Without under-calling the point is one of the longest suits; with it, any suit of three cards or more."""
        suits = suits_held(self.hand)
        if self.partial:
            return [
                Choice("point " + cards[0][0], cards, under_calls("point", cards)) for cards in suits if len(cards) >= 3
            ]
        longest = max(len(cards) for cards in suits)
        return [
            Choice("point " + cards[0][0], cards, whole("point", cards)) for cards in suits if len(cards) == longest
        ]

    def _sequences(self) -> list[Choice]:
        """Without under-calling whole runs; with it, every card with two lower neighbours may be called as a top."""
        runs = runs_held(self.hand)
        if not self.partial:
            return [Choice("sequence " + run[-1], run, whole("sequence", run)) for run in runs]
        return [
            Choice("sequence " + run[top], run, under_calls("sequence", run[: top + 1]))
            for run in runs
            for top in range(2, len(run))
        ]

    def _sets(self) -> list[Choice]:
        """Three or four of a rank; with under-calling three of the four."""
        ways = under_calls if self.partial else whole
        return [
            Choice("set " + cards[0][1], cards, ways("set", cards)) for cards in sets_held(self.hand, self.sets_from)
        ]


def good_against_the_cards(category: str, call: Claim, unseen: Sequence[str], sets_from: str) -> bool:
    """Cavendish, law 49: nothing better can be made of the cards outside the caller's hand and discards."""
    found = runs_held(unseen) if category == "sequence" else sets_held(unseen, sets_from)
    return all(claim_of(category, cards).strength <= call.strength for cards in found)
